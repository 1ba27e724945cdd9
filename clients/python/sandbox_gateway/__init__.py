"""Client of the sandbox developer gateway: retries that are charged once, and errors by class and code."""

from ._client import AsyncSandboxGateway as AsyncSandboxGateway, SandboxGateway as SandboxGateway
from ._errors import (
    APIConnectionError as APIConnectionError,
    APITimeoutError as APITimeoutError,
    AuthenticationError as AuthenticationError,
    BadRequestError as BadRequestError,
    ConflictError as ConflictError,
    InternalServerError as InternalServerError,
    PermissionDeniedError as PermissionDeniedError,
    QuotaExceededError as QuotaExceededError,
    RateLimitError as RateLimitError,
    SandboxGatewayError as SandboxGatewayError,
)
from ._options import CallOptions as CallOptions, ClientOptions as ClientOptions
from ._problems import ErrorCode as ErrorCode
from ._types import *
from ._version import __version__ as __version__
