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
from ._options import CallOptions, ClientOptions
from ._problems import ErrorCode
from ._types import Health, Limit, Ping, Result, Simulation, WithResponse
from ._version import __version__

__all__ = [
    "APIConnectionError",
    "APITimeoutError",
    "AsyncSandboxGateway",
    "AuthenticationError",
    "BadRequestError",
    "CallOptions",
    "ClientOptions",
    "ConflictError",
    "ErrorCode",
    "Health",
    "InternalServerError",
    "Limit",
    "PermissionDeniedError",
    "Ping",
    "QuotaExceededError",
    "RateLimitError",
    "Result",
    "SandboxGateway",
    "SandboxGatewayError",
    "Simulation",
    "WithResponse",
    "__version__",
]
