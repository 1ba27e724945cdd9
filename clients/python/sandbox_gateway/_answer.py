from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from email.message import Message
from typing import Any, NamedTuple, Optional, cast

from ._errors import SandboxGatewayError
from ._types import Limit, Ping, PingResult


class Outcome(NamedTuple):
    """What an attempt came to."""

    result: Optional[PingResult] = None
    error: Optional[SandboxGatewayError] = None
    cause: Optional[BaseException] = None
    retry_after_seconds: float = 0
    """What the gateway asked to wait; 0: it did not."""
    simulated: bool = False
    """It was asked for (`simulate`), so the same request meets it again."""


_UNEXPECTED = "UNEXPECTED_ANSWER"


def outcome_of(status: int, headers: Message, text: str) -> Outcome:
    """Reads a whole answer. Its text comes with the API key taken out, so that no echo of it gets into an error."""
    members = _json_object(text)
    request_id = headers.get("X-Service-Request-Id")
    if status < 300 and members.get("ok") is True and request_id is not None:
        return Outcome(
            PingResult(
                data=cast(Ping, members),
                request_id=request_id,
                replayed=headers.get("X-Service-Idempotency-Replayed") == "true",
                rate_limit=_limit_of(headers, "X-RateLimit"),
                quota=_limit_of(headers, "X-Service-Quota"),
            )
        )
    code, detail = members.get("code"), members.get("detail")
    if status < 400 or not isinstance(code, str) or not isinstance(detail, str):
        code, detail = _UNEXPECTED, "This answer is not the gateway’s."
    retry_after = re.fullmatch("[0-9]+", headers.get("Retry-After", ""))
    return Outcome(
        error=SandboxGatewayError(
            status=status, code=code, detail=detail, request_id=request_id, retryable=_is_retryable(status, code)
        ),
        retry_after_seconds=float(retry_after[0]) if retry_after else 0,
        simulated=headers.get("X-Service-Simulated") == "true",
    )


def _is_retryable(status: int, code: str) -> bool:
    """
    A failure of the gateway, one before it, or a rate limit; one without a code is API Gateway's own. An answer of 200
    that cannot be read is one that broke off.
    """
    is_rate_limit = status == 429 and code in ("RATE_LIMIT_EXCEEDED", _UNEXPECTED)
    return status >= 500 or is_rate_limit or 200 <= status < 300


def _json_object(text: str) -> dict[str, Any]:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _limit_of(headers: Message, prefix: str) -> Optional[Limit]:
    limit, remaining, reset = (headers.get(f"{prefix}-{part}") for part in ("Limit", "Remaining", "Reset"))
    if limit is None or remaining is None or reset is None:
        return None
    return Limit(int(limit), int(remaining), datetime.fromtimestamp(int(reset), timezone.utc))
