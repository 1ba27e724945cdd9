"""What a caller may say beside what an operation needs."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Callable, Mapping, TypedDict

from ._errors import SandboxGatewayError

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:
    # Python 3.10 has none, and only looks at it where somebody asks for the types of a method.
    Unpack = getattr(typing, "Unpack", typing.Optional)

OnRetry = Callable[[SandboxGatewayError, float], object]


class _Options(TypedDict, total=False):
    timeout: float | None
    """How many seconds one attempt may take, with its whole answer. Default: 10. The gateway takes four at most."""
    max_retries: int | None
    """The number of attempts after the first. Default: 2."""
    headers: Mapping[str, str] | None
    """More headers, as those of a trace; none that this library sets. Those of a call replace those of the client."""


class ClientOptions(_Options, total=False):
    """Options of a client of either API."""

    base_url: str | None
    """
    Address of the API, as the portal shows it: `https://…`; `http://` on this machine only. Default:
    `SANDBOX_GATEWAY_BASE_URL`, or `SANDBOX_MANAGEMENT_BASE_URL`, of the environment.
    """
    max_connections: int | None
    """How many attempts may be under way at once; the others wait, within their timeout. Default: 50."""
    on_retry: OnRetry | None
    """
    Told of each attempt that failed before it is repeated, and how many seconds the call waits first. What it raises is
    logged, and ends nothing.
    """


class CallOptions(_Options, total=False):
    """Options of one call, in place of those of the client."""

    idempotency_key: str | None
    """Your own key, to repeat this call later as well: 1 to 255 visible ASCII characters. Default: a new one."""
