"""What a client of either API has: how it executes an operation, and how it is closed."""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Awaitable, Callable, Generator, ParamSpec, TypeVar

import anyio
import httpx

from ._answer import Body, Failure
from ._call import Call
from ._connections import AsyncConnections, Connections, bound_async_reads, bound_reads
from ._options import CallOptions, Unpack
from ._settings import Settings, checked_transport
from ._types import Operation, Result, WithResponse

T = TypeVar("T")
P = ParamSpec("P")
_Self = TypeVar("_Self", bound="Executing")
_AsyncSelf = TypeVar("_AsyncSelf", bound="AsyncExecuting")

_HEARD: ContextVar[list[tuple[int, httpx.Headers]] | None] = ContextVar("heard", default=None)
"""Status and headers for a `with_response`: a list, since another task has a copy of the context."""


@contextmanager
def _hearing() -> Generator[list[tuple[int, httpx.Headers]], None, None]:
    heard: list[tuple[int, httpx.Headers]] = []
    token = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(token)


def _told(result: T, heard: list[tuple[int, httpx.Headers]]) -> WithResponse[T]:
    if not heard:
        raise TypeError("with_response is for a call that gets an answer before it returns; a list asks later.")
    return WithResponse(result, *heard[-1])


def _tell(outcome: WithResponse[Any]) -> None:
    if (heard := _HEARD.get()) is not None:
        heard.append((outcome.status, outcome.headers))


def _connection_to_end(response: httpx.Response, outcome: WithResponse[Any] | Failure) -> Any:
    """Bytes of an answer that breaks off, or is too long, would be read as the next one. None: the transport has none."""
    untyped: Any = response
    is_broken = isinstance(outcome, Failure) and response.is_success
    return untyped.extensions.get("network_stream") if is_broken else None


class _Client:
    _settings: Settings

    @property
    def base_url(self) -> str:
        """Address of the API."""
        return self._settings.base_url


class Executing(_Client):
    def __init__(self, settings: Settings, transport: httpx.BaseTransport | None) -> None:
        self._settings = settings
        checked_transport(transport, "handle_request", "httpx.BaseTransport")
        self._connections = Connections(transport, settings.max_connections)

    def execute(self, operation: Operation[T], **options: Unpack[CallOptions]) -> Result[T]:
        """Makes attempts until one is answered for good."""
        call = Call(self._settings, operation, **options)
        while isinstance(outcome := self._send(call), Failure):
            time.sleep(call.wait_seconds_after(outcome))
        _tell(outcome)
        return outcome.result

    def _send(self, call: Call[T]) -> WithResponse[Result[T]] | Failure:
        try:
            with call.attempt(bound_reads) as request, self._connections.one() as transport:
                response = transport.handle_request(request)
                try:
                    assert isinstance(response.stream, httpx.SyncByteStream), "The answer has no synchronous stream."
                    body = Body(response.headers)
                    if body.refusal is None:
                        for chunk in response.stream:
                            if not body.add(chunk):
                                break
                    outcome = call.answered(response, body)
                    if connection := _connection_to_end(response, outcome):
                        connection.close()
                    return outcome
                finally:
                    response.close()
        except Exception as error:
            return call.failed(error)

    def with_response(self, method: Callable[P, T], *args: P.args, **options: P.kwargs) -> WithResponse[T]:
        """
        Calls a method of this client, and gives status and headers of the answer beside the result:
        `client.with_response(client.ping, "order-7")`.
        """
        with _hearing() as heard:
            return _told(method(*args, **options), heard)

    def close(self) -> None:
        """Closes the connections. A `with` does it at its end."""
        for transport in self._connections.all():
            transport.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncExecuting(_Client):
    def __init__(self, settings: Settings, transport: httpx.AsyncBaseTransport | None) -> None:
        self._settings = settings
        checked_transport(transport, "handle_async_request", "httpx.AsyncBaseTransport")
        self._connections = AsyncConnections(transport, settings.max_connections)

    async def execute(self, operation: Operation[T], **options: Unpack[CallOptions]) -> Result[T]:
        """Makes attempts until one is answered for good."""
        call = Call(self._settings, operation, **options)
        while isinstance(outcome := await self._send(call), Failure):
            await anyio.sleep(call.wait_seconds_after(outcome))
        _tell(outcome)
        return outcome.result

    async def _send(self, call: Call[T]) -> WithResponse[Result[T]] | Failure:
        try:
            with call.attempt(bound_async_reads) as request:
                async with self._connections.one() as transport:
                    response = await transport.handle_async_request(request)
                    try:
                        assert isinstance(response.stream, httpx.AsyncByteStream), "The answer has no asynchronous stream."
                        body = Body(response.headers)
                        if body.refusal is None:
                            async for chunk in response.stream:
                                if not body.add(chunk):
                                    break
                        outcome = call.answered(response, body)
                        if connection := _connection_to_end(response, outcome):
                            await connection.aclose()
                        return outcome
                    finally:
                        await response.aclose()
        except Exception as error:
            return call.failed(error)

    async def with_response(self, method: Callable[P, Awaitable[T]], *args: P.args, **options: P.kwargs) -> WithResponse[T]:
        """As of the synchronous client."""
        with _hearing() as heard:
            return _told(await method(*args, **options), heard)

    async def aclose(self) -> None:
        """Closes the connections. An `async with` does it at its end."""
        for transport in self._connections.all():
            await transport.aclose()

    async def __aenter__(self: _AsyncSelf) -> _AsyncSelf:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
