from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, TypeVar, cast

import httpx

from ._connections import remaining_seconds
from ._errors import SandboxGatewayError, class_of
from ._limits import limit_of, retry_after_seconds_of
from ._reading import read
from ._settings import Settings
from ._types import Operation, Result, WithResponse

T = TypeVar("T")


class Failure(NamedTuple):
    """An attempt that failed."""

    error: SandboxGatewayError
    retry_after_seconds: float = 0
    """What the gateway asked to wait; 0: it did not."""
    simulated: bool = False
    """It was asked for (`simulate`), so the same request meets it again."""


_MAX_BYTES = 1_000_000
"""Far more than any answer of the gateway."""
_UNEXPECTED = "UNEXPECTED_ANSWER"
_TOO_LARGE = ("ANSWER_TOO_LARGE", "The answer is more than a megabyte: it is not read.")
_ENCODED = (_UNEXPECTED, "The answer is compressed, which nobody asked for: it is not read.")


class Body:
    """What is read of an answer."""

    def __init__(self, headers: httpx.Headers) -> None:
        is_encoded = headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity")
        self.refusal = _ENCODED if is_encoded else None
        """Why no more of it is read."""
        self._bytes = bytearray()

    def add(self, chunk: bytes) -> bool:
        """False: no more of it is read. Raises a TimeoutError where the attempt is over."""
        self._bytes += chunk
        if len(self._bytes) > _MAX_BYTES:
            self.refusal = _TOO_LARGE
        remaining_seconds()
        return self.refusal is None

    def members(self) -> dict[str, Any]:
        """Those of a JSON object; none where it is no such object."""
        if self.refusal is not None:
            return {}
        try:
            value: object = json.loads(self._bytes.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            return {}
        return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def outcome_of(
    settings: Settings, operation: Operation[T], idempotency_key: str, response: httpx.Response, body: Body
) -> WithResponse[Result[T]] | Failure:
    """Its texts are cleaned after they are parsed: an escape in them hides no key."""
    clean, members = settings.secret.clean, body.members()
    cleaned = {name: clean(value) if isinstance(value, str) else value for name, value in members.items()}
    status, headers = response.status_code, settings.secret.clean_headers(response.headers)
    rate_limit, quota = limit_of(headers, "X-RateLimit"), limit_of(headers, "X-Service-Quota")
    request_id = headers.get("X-Service-Request-Id", "")
    if 200 <= status < 300:
        try:
            data: T = read(operation.answer, cleaned if settings.api.is_cleaned else members)
            replayed = headers.get("X-Service-Idempotency-Replayed") == "true"
            request_id = getattr(data, "request_id", request_id)
            result = Result(data, request_id, idempotency_key, replayed, rate_limit, quota)
            return WithResponse(result, status, headers)
        except (TypeError, ValueError):
            pass
    unexpected = "This is a redirect, which is not followed." if 300 <= status < 400 else "This answer is not the gateway’s."
    code, detail = body.refusal or _problem_of(cleaned, status) or (_UNEXPECTED, unexpected)
    is_elsewhere = status < 400 or status in (404, 405) if code == _UNEXPECTED else code == "NOT_FOUND"
    is_hinted = is_elsewhere and (code == _UNEXPECTED or settings.api.has_each_path)
    hint = f" Is base_url ({settings.base_url}) {settings.api.hint}?" if is_hinted else ""
    error = class_of(status, code)(
        status=status,
        code=code,
        detail=detail[:500] + hint,
        request_id=request_id[:128] or None,
        headers=headers,
        rate_limit=rate_limit,
        quota=quota,
        retryable=_is_retryable(status, code, headers.get("X-Should-Retry")),
        idempotency_key=idempotency_key,
    )
    return Failure(error, retry_after_seconds_of(headers), headers.get("X-Service-Simulated") == "true")


def unanswered(code: str, detail: str, idempotency_key: str) -> Failure:
    """The failure of an attempt without an answer."""
    kind = class_of(None, code)
    return Failure(kind(status=None, code=code, detail=detail, retryable=True, idempotency_key=idempotency_key))


def _problem_of(members: dict[str, Any], status: int) -> tuple[str, str] | None:
    code, detail = members.get("code"), members.get("detail")
    if status < 400 or not isinstance(code, str) or not isinstance(detail, str):
        return None
    return (code, detail) if re.fullmatch("[A-Z][A-Z0-9_]{0,63}", code) else None


def _is_retryable(status: int, code: str, told: str | None) -> bool:
    """
    As the answer says. Where it does not: a failure of the gateway, one before it, a request that came too slowly, or a
    rate limit; one without a code is API Gateway's own. An answer of 200 that cannot be read is one that broke off.
    """
    if told in ("true", "false"):
        return told == "true"
    is_rate_limit = status == 429 and code in ("RATE_LIMIT_EXCEEDED", _UNEXPECTED, _TOO_LARGE[0])
    return status >= 500 or status == 408 or is_rate_limit or 200 <= status < 300
