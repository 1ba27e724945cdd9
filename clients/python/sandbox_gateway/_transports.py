"""httpx bounds each part of an attempt. Here the whole attempt is bounded: whatever is left of its time, a part has."""

from __future__ import annotations

import importlib
import os
import socket
import sys
import time
from contextvars import ContextVar
from typing import Any, AsyncIterator, Callable, Iterator, cast
from weakref import WeakSet

import httpcore
import httpx
from anyio.lowlevel import RunVar

deadline: ContextVar[float] = ContextVar("deadline")
"""When the attempt of this thread, or of this task, ends, by time.monotonic."""


def remaining_seconds() -> float:
    """Raises a TimeoutError where nothing is left."""
    seconds = deadline.get() - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


class _Stream:
    """A stream of httpcore, of either kind: what its methods give is handed on, awaitable or not."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def read(self, max_bytes: int, timeout: float | None = None) -> Any:
        return self._stream.read(max_bytes, timeout=remaining_seconds())

    def write(self, buffer: bytes, timeout: float | None = None) -> Any:
        return self._stream.write(buffer, timeout=remaining_seconds())

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> _Stream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, timeout=remaining_seconds()))


class _AsyncStream(_Stream):
    async def start_tls(  # type: ignore[override]
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> _AsyncStream:
        return _AsyncStream(await self._stream.start_tls(ssl_context, server_hostname, timeout=remaining_seconds()))


class _Backend:
    def __init__(self, backend: Any) -> None:
        self._backend = backend

    def connect_tcp(self, *args: Any, **options: Any) -> _Stream:
        stream = self._backend.connect_tcp(*args, **{**options, "timeout": remaining_seconds()})
        # As asyncio, and newer versions of httpx. Else a body waits some 40 ms until its headers are acknowledged.
        stream.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _Stream(stream)


class _AsyncBackend(_Backend):
    async def connect_tcp(self, *args: Any, **options: Any) -> _AsyncStream:  # type: ignore[override]
        stream = await self._backend.connect_tcp(*args, **{**options, "timeout": remaining_seconds()})
        return _AsyncStream(stream)


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        yield from self._stream

    def close(self) -> None:
        self._stream.close()


class _AsyncBody(httpx.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _OfOneProcess:
    """A forked process has a pool of its own: over connections of two it would get answers of the other one."""

    def __init__(self, backend: Any) -> None:
        self._options = {**_options(), "network_backend": backend}
        self.renew()
        _OF_THIS_PROCESS.add(self)

    def renew(self) -> None:
        raise NotImplementedError


_OF_THIS_PROCESS: WeakSet[_OfOneProcess] = WeakSet()


def _renew_all() -> None:
    # The pools of the parent are not closed: a thread that is not here may hold their locks.
    for each in _OF_THIS_PROCESS:
        each.renew()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_renew_all)


class Pooled(_OfOneProcess, httpx.BaseTransport):
    """Connections that are kept. No proxy of the environment is used."""

    def __init__(self) -> None:
        super().__init__(_Backend(_backend("SyncBackend", "sync", "SyncBackend")))

    def renew(self) -> None:
        self._pool = httpcore.ConnectionPool(**self._options)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return _response(self._pool.handle_request(_request(request)), _Body)

    def close(self) -> None:
        self._pool.close()


class AsyncPooled(_OfOneProcess, httpx.AsyncBaseTransport):
    def __init__(self) -> None:
        super().__init__(_AsyncBackend(_backend("AnyIOBackend", "asyncio", "AsyncIOBackend")))

    def renew(self) -> None:
        self._pool = httpcore.AsyncConnectionPool(**self._options)
        self._loop: object = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._loop = self._loop or _this_loop()
        if self._loop is not _this_loop():
            raise RuntimeError("An AsyncSandboxGateway belongs to the event loop of its first call: make one for each.")
        return _response(await self._pool.handle_async_request(_request(request)), _AsyncBody)

    async def aclose(self) -> None:
        await self._pool.aclose()


_LOOP: RunVar[object] = RunVar("sandbox_gateway")


def _this_loop() -> object:
    """One and the same within a run of an event loop."""
    try:
        return _LOOP.get()
    except LookupError:
        _LOOP.set(loop := object())
        return loop


def _backend(name: str, module: str, earlier_name: str) -> Any:
    """A network backend of httpcore, which has it among its own names since 0.18."""
    found: Any = getattr(httpcore, name, None)
    return (found or getattr(importlib.import_module(f"httpcore.backends.{module}"), earlier_name))()


def _options() -> Any:
    """As httpx’s own."""
    return {
        "ssl_context": httpx.create_ssl_context(),
        "max_connections": 100,
        "max_keepalive_connections": 20,
        "keepalive_expiry": 5.0,
    }


def _request(request: httpx.Request) -> httpcore.Request:
    url = request.url
    return httpcore.Request(
        method=request.method,
        url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=request.headers.raw,
        content=cast(Any, request.stream),
        extensions=cast(Any, request).extensions,
    )


def _response(answered: httpcore.Response, body: Callable[[Any], Any]) -> httpx.Response:
    untyped: Any = answered
    return httpx.Response(
        untyped.status, headers=untyped.headers, stream=body(untyped.stream), extensions=untyped.extensions
    )

