from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Mapping

import anyio
import httpx

from ._answer import Body, Failure
from ._call import Call
from ._settings import OnRetry, Settings, checked_key, checked_transport, for_one_call, settings_of
from ._transports import AsyncPooled, Pooled, remaining_seconds
from ._types import PingResult, Simulation


class _NoConnection:
    """Of a transport that tells none, as that of a test."""

    def close(self) -> None:
        pass

    async def aclose(self) -> None:
        pass


def _connection_of(response: httpx.Response) -> Any:
    untyped: Any = response
    return untyped.extensions.get("network_stream", _NoConnection())


class _Client:
    """What both clients have."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @property
    def base_url(self) -> str:
        """Address of the gateway."""
        return self._settings.base_url


class SandboxGateway(_Client):
    """A client of the sandbox gateway, for servers. Threads may share one. Its connections are kept until `close`."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        transport: httpx.BaseTransport | None = None,
        on_retry: OnRetry | None = None,
    ) -> None:
        """
        api_key: a test key. Default: `SANDBOX_GATEWAY_API_KEY` of the environment.
        base_url: address of the gateway, as the portal shows it: `https://…`; `http://` on this machine only. Default:
            `SANDBOX_GATEWAY_BASE_URL` of the environment.
        timeout: how many seconds one attempt may take, with its whole answer. Default: 10. The gateway takes four at
            most.
        max_retries: the number of attempts after the first. Default: 2.
        transport: sends a request, so that a test answers without a network (`httpx.MockTransport`). Default: pooled
            connections, without the proxies of the environment.
        on_retry: told of each attempt that failed before it is repeated, and how many seconds the call waits first.
        """
        key = checked_key(api_key)
        # What reports an error with the local variables of its frames has no key to show.
        del api_key
        super().__init__(settings_of(key, base_url, timeout, max_retries, on_retry))
        self._transport = Pooled() if transport is None else transport
        checked_transport(self._transport, "handle_request", "httpx.BaseTransport")

    def ping(
        self,
        client_request_id: str | None = None,
        simulate: Simulation | None = None,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> PingResult:
        """
        Sends a ping until it is answered for good. It is charged once, whatever became of its attempts: all have one
        Idempotency-Key. Raises a SandboxGatewayError; a ValueError where an argument cannot be sent.

        client_request_id: your own name for the request, at most 128 characters, stored in its usage event.
        simulate: asks for this failure; the answer is the real one, and is raised after the first attempt.
        idempotency_key: your own key, to repeat this call later as well: 1 to 255 visible ASCII characters. Default: a
            new one.
        timeout, max_retries: as of the client, for this call alone.
        headers: more headers, as those of a trace; none that this library sets.
        """
        settings = for_one_call(self._settings, timeout, max_retries)
        call = Call(settings, client_request_id, simulate, idempotency_key, headers)
        while isinstance(outcome := self._send(call), Failure):
            time.sleep(call.wait_seconds_after(outcome))
        return outcome

    def _send(self, call: Call) -> PingResult | Failure:
        try:
            response = self._transport.handle_request(call.request())
            body = Body(response.headers)
            try:
                assert isinstance(response.stream, httpx.SyncByteStream), "The answer has no synchronous stream."
                for chunk in response.stream:
                    body.add(chunk)
                    if body.is_too_large:
                        break
                    remaining_seconds()
                outcome = call.answered(response, body)
                if isinstance(outcome, Failure) and response.is_success:
                    # Bytes of an answer that breaks off, or is too long, would be read as the next one.
                    _connection_of(response).close()
                return outcome
            finally:
                response.close()
        except Exception as error:
            return call.failed(error)

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> SandboxGateway:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class AsyncSandboxGateway(_Client):
    """The same for asyncio and trio. Tasks of one event loop may share one. Its connections are kept until `aclose`."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        on_retry: OnRetry | None = None,
    ) -> None:
        """As `SandboxGateway`."""
        key = checked_key(api_key)
        del api_key
        super().__init__(settings_of(key, base_url, timeout, max_retries, on_retry))
        self._transport = AsyncPooled() if transport is None else transport
        checked_transport(self._transport, "handle_async_request", "httpx.AsyncBaseTransport")

    async def ping(
        self,
        client_request_id: str | None = None,
        simulate: Simulation | None = None,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> PingResult:
        """As `ping` of `SandboxGateway`."""
        settings = for_one_call(self._settings, timeout, max_retries)
        call = Call(settings, client_request_id, simulate, idempotency_key, headers)
        while isinstance(outcome := await self._send(call), Failure):
            await anyio.sleep(call.wait_seconds_after(outcome))
        return outcome

    async def _send(self, call: Call) -> PingResult | Failure:
        try:
            response = await self._transport.handle_async_request(call.request())
            body = Body(response.headers)
            try:
                assert isinstance(response.stream, httpx.AsyncByteStream), "The answer has no asynchronous stream."
                async for chunk in response.stream:
                    body.add(chunk)
                    if body.is_too_large:
                        break
                    remaining_seconds()
                outcome = call.answered(response, body)
                if isinstance(outcome, Failure) and response.is_success:
                    # Bytes of an answer that breaks off, or is too long, would be read as the next one.
                    await _connection_of(response).aclose()
                return outcome
            finally:
                await response.aclose()
        except Exception as error:
            return call.failed(error)

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def __aenter__(self) -> AsyncSandboxGateway:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()
