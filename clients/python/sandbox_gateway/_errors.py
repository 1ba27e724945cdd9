from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

from ._types import Limit


@dataclass(kw_only=True, eq=False, repr=False)
class SandboxGatewayError(Exception):
    """A call that failed for good. Nothing of the API key is in it, and no character that a terminal obeys."""

    status: int | None
    """HTTP status of the last answer; None: none came."""
    code: str
    """
    Why, for programs: an `ErrorCode` of the gateway; or no whole answer came (`CONNECTION_FAILED`); none came in time
    (`TIMED_OUT`); what came is not the gateway's (`UNEXPECTED_ANSWER`), as that of a proxy, or of API Gateway when a
    function cannot start; or it was more than a megabyte (`ANSWER_TOO_LARGE`).
    """
    detail: str
    """Why, for people; it may change."""
    request_id: str | None = None
    """The id by which the platform team and the portal find the request. None: the gateway sent none."""
    idempotency_key: str
    """Of all attempts of the call, which may have been charged: under it the same call is charged once."""
    headers: httpx.Headers | None = None
    """Headers of the last answer; None: none came."""
    rate_limit: Limit | None = None
    """Requests of this key in this minute; None where the answer did not tell."""
    quota: Limit | None = None
    """Request units of the project in this period; None where the answer did not tell."""
    retryable: bool
    """The same call may succeed later. It is charged once if it is made under the same Idempotency-Key."""

    def __post_init__(self) -> None:
        status, request_id = self.status, self.request_id
        about = [*([f"status {status}"] if status else []), *([f"request {request_id}"] if request_id else [])]
        super().__init__(f"{self.code}: {self.detail}" + (f" ({', '.join(about)})" if about else ""))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (type(self), vars(self))


class BadRequestError(SandboxGatewayError):
    """Status 400, and any other of 4xx without a class of its own."""


class AuthenticationError(SandboxGatewayError):
    """Status 401: the key is missing, wrong, revoked or expired."""


class PermissionDeniedError(SandboxGatewayError):
    """Status 403: the key may not do this, or its project is suspended."""


class ConflictError(SandboxGatewayError):
    """Status 409: another request has this Idempotency-Key."""


class RateLimitError(SandboxGatewayError):
    """Status 429: too many requests in this minute."""


class QuotaExceededError(SandboxGatewayError):
    """Status 429: the units of the project, or of the key, are used up."""


class InternalServerError(SandboxGatewayError):
    """Status 5xx."""


class APIConnectionError(SandboxGatewayError):
    """No answer came, or one that cannot be used."""


class APITimeoutError(APIConnectionError):
    """No whole answer came in time."""


_BY_STATUS: dict[int, type[SandboxGatewayError]] = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    409: ConflictError,
    429: RateLimitError,
}


def class_of(status: int | None, code: str) -> type[SandboxGatewayError]:
    """The class of an error of this status and code."""
    if code == "TIMED_OUT":
        return APITimeoutError
    if status is None or status < 400:
        return APIConnectionError
    if status >= 500:
        return InternalServerError
    if status == 429 and code.endswith("QUOTA_EXCEEDED"):
        return QuotaExceededError
    return _BY_STATUS.get(status, BadRequestError)


def _unpickled(kind: type[SandboxGatewayError], facts: dict[str, Any]) -> SandboxGatewayError:
    return kind(**facts)
