"""Client of the sandbox developer gateway: retries that are charged once, and errors by code."""

from ._client import SandboxGateway
from ._errors import SandboxGatewayError
from ._types import ErrorCode, Limit, Ping, PingResult, Simulation
from ._version import __version__

__all__ = [
    "ErrorCode",
    "Limit",
    "Ping",
    "PingResult",
    "SandboxGateway",
    "SandboxGatewayError",
    "Simulation",
    "__version__",
]
