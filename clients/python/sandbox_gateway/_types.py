"""What of `openapi.yaml` this library has; a test compares the two."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

ErrorCode = Literal[
    "INVALID_REQUEST", "INVALID_IDEMPOTENCY_KEY", "MISSING_API_KEY", "INVALID_API_KEY", "API_KEY_REVOKED",
    "API_KEY_EXPIRED", "API_KEY_PAUSED", "INSUFFICIENT_SCOPE", "KEY_MODE_MISMATCH", "PROJECT_SUSPENDED", "NOT_FOUND",
    "METHOD_NOT_ALLOWED", "IDEMPOTENCY_CONFLICT", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE",
    "RATE_LIMIT_EXCEEDED", "QUOTA_EXCEEDED", "KEY_QUOTA_EXCEEDED", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE",
]
"""Every code that the gateway refuses a request with."""

Simulation = Literal[
    "API_KEY_REVOKED", "API_KEY_EXPIRED", "API_KEY_PAUSED", "INSUFFICIENT_SCOPE", "PROJECT_SUSPENDED", "RATE_LIMIT_EXCEEDED",
    "IDEMPOTENCY_CONFLICT", "QUOTA_EXCEEDED", "KEY_QUOTA_EXCEEDED", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE",
    "ANSWER_LOST",
]
"""A failure that a request asks for."""


@dataclass(frozen=True)
class Ping:
    """The body of an answer."""

    ok: Literal[True]
    mode: Literal["sandbox"]
    message: Literal["Sandbox gateway is ready."]
    request_id: str


@dataclass(frozen=True)
class Limit:
    """How much of a limit is left, and when it starts again."""

    limit: int
    remaining: int
    resets_at: datetime


@dataclass(frozen=True)
class PingResult:
    data: Ping
    request_id: str
    idempotency_key: str
    """Yours, or the one that the call got: under it the same call is charged once."""
    replayed: bool
    """The stored answer of an earlier request under the same Idempotency-Key; this one cost nothing."""
    rate_limit: Limit | None
    """Requests of this key in this minute; None where the answer did not tell."""
    quota: Limit | None
    """Request units of the project in this period; None where it has no quota, or the answer did not tell."""
