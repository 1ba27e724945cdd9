"""Connections of a client: at most so many at once, each attempt bounded as a whole, and a forked process has its own."""

from __future__ import annotations

import os
import socket
import ssl
import sys
import threading
import time
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from typing import Any, AsyncGenerator, Callable, Generator, Generic, Mapping, TypeVar
from weakref import WeakSet

import anyio
import httpx
from anyio.lowlevel import current_token

T = TypeVar("T")

_deadline: ContextVar[float] = ContextVar("deadline", default=float("inf"))
"""When the attempt of this thread, or of this task, ends, by time.monotonic."""
_GRACE_SECONDS = 0.1
"""A read that ends by itself leaves httpx in order. Before httpx 0.25 one that is cancelled keeps its connection."""


class NoneFree(TimeoutError):
    """All connections were in use for all the time of an attempt, which was not sent."""


@contextmanager
def within(seconds: float) -> Generator[None, None, None]:
    """Bounds an attempt."""
    token = _deadline.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _deadline.reset(token)


def remaining_seconds() -> float:
    """Raises a TimeoutError where nothing is left."""
    seconds = _deadline.get() - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def bound_reads(event: str, info: Mapping[str, Any]) -> None:
    """
    A trace of httpx, which bounds each read alone: headers that drip are many. From here on each read of a new
    connection has what is left of its attempt.
    """
    if not event.endswith((".connect_tcp.complete", ".connect_unix_socket.complete", ".start_tls.complete")):
        return
    stream = info["return_value"]
    read = stream.read

    def bounded(max_bytes: int, timeout: float | None = None) -> Any:
        return read(max_bytes, timeout if _deadline.get() == float("inf") else remaining_seconds())

    stream.read = bounded
    if event.endswith(".connect_tcp.complete"):
        # As newer versions of httpx. Else a body waits some 40 ms until its headers are acknowledged.
        stream.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


async def bound_async_reads(event: str, info: Mapping[str, Any]) -> None:
    bound_reads(event, info)


class _OfOneProcess(Generic[T]):
    """Over connections of two processes one would get answers of the other."""

    _ssl_context: ssl.SSLContext | None = None

    def __init__(self, given: T | None, most: int) -> None:
        self._given, self.most = given, most
        self.renew()
        _OF_THIS_PROCESS.add(self)

    def renew(self) -> None:
        self.idle: list[T] = []

    def next(self, kind: Callable[..., T]) -> T:
        """The caller's transport; else one of httpx with one connection. A pool of 50 takes long to search itself."""
        if self._given is not None:
            return self._given
        with suppress(IndexError):
            return self.idle.pop()
        self._ssl_context = self._ssl_context or httpx.create_ssl_context()
        return kind(verify=self._ssl_context)

    def keep(self, transport: T) -> None:
        """The last one is the next one, so that few connections are kept."""
        if self._given is None:
            self.idle.append(transport)

    def all(self) -> list[T]:
        return self.idle if self._given is None else [self._given]


_OF_THIS_PROCESS: WeakSet[_OfOneProcess[Any]] = WeakSet()


def _renew_all() -> None:
    # The pools of the parent are not closed: a thread that is not here may hold their locks.
    for each in _OF_THIS_PROCESS:
        each.renew()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_renew_all)


class Connections(_OfOneProcess[httpx.BaseTransport]):
    """Of threads."""

    def renew(self) -> None:
        super().renew()
        self._free = threading.Semaphore(self.most)

    @contextmanager
    def one(self) -> Generator[httpx.BaseTransport, None, None]:
        """A transport whose turn it is to send one request. Raises a NoneFree."""
        free = self._free
        if not free.acquire(timeout=remaining_seconds()):
            raise NoneFree
        transport = self.next(httpx.HTTPTransport)
        try:
            yield transport
            self.keep(transport)
        except BaseException:
            if self._given is None:
                transport.close()
            raise
        finally:
            free.release()


class AsyncConnections(_OfOneProcess[httpx.AsyncBaseTransport]):
    """Of tasks of one event loop."""

    def renew(self) -> None:
        super().renew()
        self._loop: object = None

    @asynccontextmanager
    async def one(self) -> AsyncGenerator[httpx.AsyncBaseTransport, None]:
        """As of `Connections`."""
        if self._loop != (loop := current_token()):
            if self._loop is not None and self._given is None:
                raise RuntimeError("A client belongs to the event loop of its first call: make one for each.")
            self._loop, self._free = loop, anyio.Semaphore(self.most)
        free, is_mine = self._free, False
        with anyio.move_on_after(remaining_seconds()):
            await free.acquire()
            is_mine = True
        if not is_mine:
            raise NoneFree
        transport = self.next(httpx.AsyncHTTPTransport)
        try:
            with anyio.fail_after(remaining_seconds() + _GRACE_SECONDS):
                yield transport
            self.keep(transport)
        except BaseException:
            # Also of an attempt that is cancelled: httpx before 0.25 would keep its connection.
            if self._given is None:
                with anyio.CancelScope(shield=True):
                    await transport.aclose()
            raise
        finally:
            free.release()
