from __future__ import annotations

import httpx

from ._execution import AsyncExecuting, Executing
from ._options import CallOptions, ClientOptions, Unpack
from ._settings import GATEWAY, checked_secret, settings_of
from ._types import Health, Operation, Ping, Result, Simulation


def _ping(client_request_id: str | None, simulate: Simulation | None) -> Operation[Ping]:
    body = {"clientRequestId": client_request_id, "simulate": simulate}
    given = {name: value for name, value in body.items() if value is not None}
    return Operation("POST", "/api/v1/sandbox/ping", given, Ping)


_HEALTH = Operation("GET", "/api/v1/health", {}, Health)


class SandboxGateway(Executing):
    """A client of the sandbox gateway, for servers. Threads may share one. Its connections are kept until `close`."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        transport: httpx.BaseTransport | None = None,
        **options: Unpack[ClientOptions],
    ) -> None:
        """
        api_key: a test key. Default: `SANDBOX_GATEWAY_API_KEY` of the environment.
        transport: sends a request: one of httpx, with a proxy or certificates of your own, or that of a test, without a
            network (`httpx.MockTransport`). Default: `httpx.HTTPTransport`, without the proxies of the environment.
        base_url, timeout, max_retries, headers, max_connections, on_retry: see `ClientOptions`.
        """
        secret = checked_secret(GATEWAY, api_key)
        # What reports an error with the local variables of its frames has no key to show.
        del api_key
        super().__init__(settings_of(GATEWAY, secret, **options), transport)

    def ping(
        self,
        client_request_id: str | None = None,
        simulate: Simulation | None = None,
        **options: Unpack[CallOptions],
    ) -> Result[Ping]:
        """
        Sends a ping until it is answered for good. It is charged once, whatever became of its attempts: all have one
        Idempotency-Key. Raises a SandboxGatewayError; a ValueError where an argument cannot be sent.

        client_request_id: your own name for the request, at most 128 characters, stored in its usage event.
        simulate: asks for this failure; the answer is the real one, and is raised after the first attempt.
        idempotency_key, timeout, max_retries, headers: see `CallOptions`.
        """
        return self.execute(_ping(client_request_id, simulate), **options)

    def health(self, **options: Unpack[CallOptions]) -> Result[Health]:
        """Asks whether the gateway answers. It counts toward no limit, and no key is looked at."""
        return self.execute(_HEALTH, **options)


class AsyncSandboxGateway(AsyncExecuting):
    """The same for asyncio and trio. Tasks of one event loop may share one. Its connections are kept until `aclose`."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        **options: Unpack[ClientOptions],
    ) -> None:
        """As `SandboxGateway`."""
        secret = checked_secret(GATEWAY, api_key)
        del api_key
        super().__init__(settings_of(GATEWAY, secret, **options), transport)

    async def ping(
        self,
        client_request_id: str | None = None,
        simulate: Simulation | None = None,
        **options: Unpack[CallOptions],
    ) -> Result[Ping]:
        """As `ping` of `SandboxGateway`."""
        return await self.execute(_ping(client_request_id, simulate), **options)

    async def health(self, **options: Unpack[CallOptions]) -> Result[Health]:
        """As `health` of `SandboxGateway`."""
        return await self.execute(_HEALTH, **options)
