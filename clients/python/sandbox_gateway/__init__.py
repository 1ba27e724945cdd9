"""Client of the sandbox developer gateway: retries that are charged once, and errors by class and code."""

from ._client import AsyncSandboxGateway, SandboxGateway
from ._errors import (
    APIConnectionError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    InternalServerError,
    PermissionDeniedError,
    QuotaExceededError,
    RateLimitError,
    SandboxGatewayError,
)
from ._types import ErrorCode, Limit, Ping, PingResult, Simulation
from ._version import __version__

__all__ = [
    "APIConnectionError",
    "APITimeoutError",
    "AsyncSandboxGateway",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "ErrorCode",
    "InternalServerError",
    "Limit",
    "PermissionDeniedError",
    "Ping",
    "PingResult",
    "QuotaExceededError",
    "RateLimitError",
    "SandboxGateway",
    "SandboxGatewayError",
    "Simulation",
    "__version__",
]
