from __future__ import annotations

from typing import Optional


class SandboxGatewayError(Exception):
    """A call that failed for good. Nothing of the API key is in it."""

    status: Optional[int]
    """HTTP status of the last answer; None: none came."""
    code: str
    """
    Why, for programs: an `ErrorCode` of the gateway; or `CONNECTION_FAILED` (no answer came, or only a part of it),
    `TIMED_OUT` (none came in time), `UNEXPECTED_ANSWER` (what came is not the gateway's, as that of a proxy, or of API
    Gateway when a function cannot start).
    """
    detail: str
    """Why, for people; it may change."""
    request_id: Optional[str]
    """By which the platform team and the portal find the request; None: the gateway told none."""
    retryable: bool
    """The same call may succeed later. It is charged once if it is made under the same Idempotency-Key."""

    def __init__(
        self, *, status: Optional[int], code: str, detail: str, request_id: Optional[str], retryable: bool
    ) -> None:
        about = [*([f"status {status}"] if status else []), *([f"request {request_id}"] if request_id else [])]
        super().__init__(f"{code}: {detail}" + (f" ({', '.join(about)})" if about else ""))
        self.status = status
        self.code = code
        self.detail = detail
        self.request_id = request_id
        self.retryable = retryable
