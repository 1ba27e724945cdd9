from __future__ import annotations

import json
import re
import zlib
from typing import Any, NamedTuple, Protocol, cast

import httpx

from ._cleaning import ApiKey
from ._errors import SandboxGatewayError, class_of
from ._limits import limit_of, retry_after_seconds_of
from ._types import Ping, PingResult


class Failure(NamedTuple):
    """An attempt that failed."""

    error: SandboxGatewayError
    retry_after_seconds: float = 0
    """What the gateway asked to wait; 0: it did not."""
    simulated: bool = False
    """It was asked for (`simulate`), so the same request meets it again."""


_MAX_BYTES = 1_000_000
"""Far more than any answer of the gateway."""


class _Decompressor(Protocol):
    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes: ...


class Body:
    """The body of an answer, of which no more is decompressed than an answer of the gateway can have."""

    def __init__(self, headers: httpx.Headers) -> None:
        encoding = headers.get("Content-Encoding", "identity").strip().lower()
        self._gzip: _Decompressor | None = zlib.decompressobj(16 + zlib.MAX_WBITS) if encoding == "gzip" else None
        self._is_unknown = encoding not in ("identity", "gzip")
        self._bytes = bytearray()

    @property
    def is_too_large(self) -> bool:
        return len(self._bytes) > _MAX_BYTES

    def add(self, chunk: bytes) -> None:
        """Raises a zlib.error where it is compressed and cannot be read."""
        room = _MAX_BYTES + 1 - len(self._bytes)
        self._bytes += self._gzip.decompress(chunk, room) if self._gzip else chunk[:room]

    def members(self) -> dict[str, Any]:
        """Those of a JSON object; none where it is no such object."""
        if self.is_too_large or self._is_unknown:
            return {}
        try:
            value: object = json.loads(self._bytes.decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            return {}
        return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def outcome_of(
    status: int, headers: httpx.Headers, body: Body, base_url: str, api_key: ApiKey, idempotency_key: str
) -> PingResult | Failure:
    """Reads an answer. Its texts are cleaned after they are parsed: an escape in them hides no key."""
    members = {
        name: api_key.clean(value) if isinstance(value, str) else value for name, value in body.members().items()
    }
    rate_limit, quota = limit_of(headers, "X-RateLimit"), limit_of(headers, "X-Service-Quota")
    data = _ping_of(members) if 200 <= status < 300 else None
    if data:
        replayed = headers.get("X-Service-Idempotency-Replayed") == "true"
        return PingResult(data, data.request_id, idempotency_key, replayed, rate_limit, quota)
    code, detail = _TOO_LARGE if body.is_too_large else _problem_of(members, status) or _unexpected(status)
    # The gateway has the path of a ping. The portal, among others, has not.
    is_elsewhere = status < 400 or status in (404, 405) if code == _UNEXPECTED else code == "NOT_FOUND"
    hint = f" Is base_url ({base_url}) the gateway’s address, and not the portal’s?" if is_elsewhere else ""
    error = class_of(status, code)(
        status=status,
        code=code,
        detail=detail[:500] + hint,
        request_id=api_key.clean(headers.get("X-Service-Request-Id", ""))[:128] or None,
        headers=api_key.clean_headers(headers),
        rate_limit=rate_limit,
        quota=quota,
        retryable=_is_retryable(status, code),
        idempotency_key=idempotency_key,
    )
    return Failure(error, retry_after_seconds_of(headers), headers.get("X-Service-Simulated") == "true")


def unanswered(code: str, detail: str, idempotency_key: str) -> Failure:
    """The failure of an attempt without an answer."""
    kind = class_of(None, code)
    return Failure(kind(status=None, code=code, detail=detail, retryable=True, idempotency_key=idempotency_key))


def _ping_of(members: dict[str, Any]) -> Ping | None:
    ok, mode, message, request_id = (members.get(name) for name in ("ok", "mode", "message", "requestId"))
    if ok is not True or mode != "sandbox" or not isinstance(message, str) or not isinstance(request_id, str):
        return None
    return Ping(ok, "sandbox", cast(Any, message), request_id)


def _problem_of(members: dict[str, Any], status: int) -> tuple[str, str] | None:
    code, detail = members.get("code"), members.get("detail")
    if status < 400 or not isinstance(code, str) or not isinstance(detail, str):
        return None
    return (code, detail) if re.fullmatch("[A-Z][A-Z0-9_]{0,63}", code) else None


_TOO_LARGE = ("ANSWER_TOO_LARGE", "The answer is more than a megabyte: it is not read.")
_UNEXPECTED = "UNEXPECTED_ANSWER"


def _unexpected(status: int) -> tuple[str, str]:
    if 300 <= status < 400:
        return _UNEXPECTED, "This is a redirect, which is not followed."
    return _UNEXPECTED, "This answer is not the gateway’s."


def _is_retryable(status: int, code: str) -> bool:
    """
    A failure of the gateway, one before it, or a rate limit; one without a code is API Gateway's own. An answer of 200
    that cannot be read is one that broke off.
    """
    is_rate_limit = status == 429 and code in ("RATE_LIMIT_EXCEEDED", _UNEXPECTED, _TOO_LARGE[0])
    return status >= 500 or is_rate_limit or 200 <= status < 300
