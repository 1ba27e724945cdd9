"""What of `openapi.yaml` this library has; a test compares the two."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, Mapping, TypeVar

import httpx

__all__ = ["Health", "Limit", "Ping", "Result", "Simulation", "WithResponse"]

T = TypeVar("T")

Simulation = Literal[
    "API_KEY_REVOKED", "API_KEY_EXPIRED", "API_KEY_PAUSED", "INSUFFICIENT_SCOPE", "PROJECT_SUSPENDED", "RATE_LIMIT_EXCEEDED",
    "IDEMPOTENCY_CONFLICT", "QUOTA_EXCEEDED", "KEY_QUOTA_EXCEEDED", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE",
    "ANSWER_LOST",
]
"""A failure that a request asks for."""


@dataclass(frozen=True)
class Ping:
    """The answer to a ping."""

    ok: Literal[True]
    mode: Literal["sandbox"]
    message: Literal["Sandbox gateway is ready."]
    request_id: str


@dataclass(frozen=True)
class Health:
    """The answer of a gateway that works."""

    ok: Literal[True]
    service: Literal["sandbox-gateway"]
    status: Literal["available"]
    request_id: str


@dataclass(frozen=True)
class Limit:
    """How much of a limit is left, and when it starts again."""

    limit: int
    """How much there is in a period."""
    remaining: int
    """How much of it is left."""
    resets_at: datetime
    """When the next period begins."""


@dataclass(frozen=True)
class Result(Generic[T]):
    """What a call came to."""

    data: T
    """The body of the answer."""
    request_id: str
    """The id by which the platform team and the portal find the request."""
    idempotency_key: str
    """Yours, or the one that the call got: under it the same call is charged once."""
    replayed: bool
    """The stored answer of an earlier request under the same Idempotency-Key; this one cost nothing."""
    rate_limit: Limit | None
    """Requests of this key in this minute; None where the answer did not tell."""
    quota: Limit | None
    """Request units of the project in this period; None where it has no quota, or the answer did not tell."""


@dataclass(frozen=True)
class WithResponse(Generic[T]):
    """A result with what HTTP said."""

    result: T
    """What the call itself gives."""
    status: int
    """HTTP status of the answer."""
    headers: httpx.Headers
    """Headers of the answer."""


@dataclass(frozen=True)
class Operation(Generic[T]):
    """What an API does, as data: how it is asked, and what its answer is."""

    method: Literal["GET", "POST", "PATCH"]
    path: str
    """Below the base URL."""
    body: Mapping[str, object]
    """Members of the body, or of the query where it is a GET."""
    answer: type[T]
    """A dataclass: the members of the answer."""
