"""httpx bounds each part of an attempt. Here the whole attempt is bounded: whatever is left of its time, a part has."""

from __future__ import annotations

import socket
import time
from contextvars import ContextVar
from typing import Any

import httpx

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


def pooled() -> httpx.BaseTransport:
    """Connections that are kept. No proxy of the environment is used."""
    transport = httpx.HTTPTransport()
    # httpx has no option for the backend of its pool.
    pool: Any = getattr(transport, "_pool")
    pool._network_backend = _Backend(pool._network_backend)
    return transport


def pooled_async() -> httpx.AsyncBaseTransport:
    transport = httpx.AsyncHTTPTransport()
    pool: Any = getattr(transport, "_pool")
    pool._network_backend = _AsyncBackend(pool._network_backend)
    return transport
