"""A call without its network and its waits: what each client does."""

from __future__ import annotations

import errno
import json
import logging
import platform
import random
import re
import socket
import ssl
import time
import uuid
from contextlib import contextmanager
from typing import Any, Callable, Generator, Generic, Sequence, TypeVar

import httpx

from ._answer import Body, Failure, outcome_of, unanswered
from ._connections import NoneFree, within
from ._settings import Settings, checked_idempotency_key, for_one_call, log
from ._types import Operation, Result, WithResponse
from ._version import __version__

T = TypeVar("T")

_FIRST_JITTER_SECONDS = 0.5
"""Bound of the first random wait; it doubles with each attempt up to the last bound."""
_LAST_JITTER_SECONDS = 8.0
_MAX_RETRY_AFTER_SECONDS = 60
"""Whoever asks for a longer wait is not waited for."""
_USER_AGENT = (
    f"sandbox-gateway-python/{__version__} {platform.python_implementation().lower()}/{platform.python_version()}"
)
_OF_THE_NETWORK = (httpx.TimeoutException, httpx.NetworkError, httpx.ProtocolError, httpx.ProxyError, OSError)


class Call(Generic[T]):
    """Its attempts are one request: all have one Idempotency-Key."""

    def __init__(
        self, settings: Settings, operation: Operation[T], idempotency_key: str | None = None, **options: Any
    ) -> None:
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        self._idempotency_key = checked_idempotency_key(key, settings.secret)
        self._settings = settings = for_one_call(settings, **options)
        self._operation = operation
        self._attempt = 0
        query: Any = {name: value for name, value in operation.body.items() if value is not None}
        is_read = operation.method == "GET"
        self._url = httpx.URL(f"{settings.base_url}{operation.path}", **({"params": query} if is_read and query else {}))
        self._body = None if is_read else json.dumps(operation.body).encode()

    @contextmanager
    def attempt(self, trace: Callable[..., object]) -> Generator[httpx.Request, None, None]:
        """The request of the next attempt, whose time begins."""
        settings, self._started_at = self._settings, time.monotonic()
        with within(settings.timeout_seconds):
            yield httpx.Request(
                self._operation.method,
                self._url,
                headers={
                    **settings.headers,
                    **({} if self._body is None else {"Content-Type": "application/json"}),
                    "Accept-Encoding": "identity",
                    "Authorization": settings.secret.authorization(),
                    "Idempotency-Key": self._idempotency_key,
                    "User-Agent": _USER_AGENT,
                },
                content=self._body,
                extensions={"timeout": httpx.Timeout(settings.timeout_seconds).as_dict(), "trace": trace},
            )

    def answered(self, response: httpx.Response, body: Body) -> WithResponse[Result[T]] | Failure:
        outcome = outcome_of(self._settings, self._operation, self._idempotency_key, response, body)
        self._log(str(outcome.error) if isinstance(outcome, Failure) else f"status {outcome.status}")
        return outcome

    def failed(self, error: Exception) -> Failure:
        """
        Nothing of a failure of the network is handed on but its class and a short code: it may hold the secret.
        Anything else is an error of the program, and is raised as it is.
        """
        # An OSError with a name of a file is not of a socket.
        if not isinstance(error, _OF_THE_NETWORK) or getattr(error, "filename", None) is not None:
            raise error
        failure = unanswered(*self._why(error), self._idempotency_key)
        self._log(str(failure.error))
        return failure

    def _why(self, error: Exception) -> tuple[str, str]:
        kind, seconds, base_url = type(error).__name__, self._settings.timeout_seconds, self._settings.base_url
        if isinstance(error, NoneFree):
            most = self._settings.max_connections
            return "TIMED_OUT", f"It was not sent: all {most} connections were in use for {seconds:g} s (max_connections)."
        is_late = time.monotonic() >= self._started_at + seconds
        if is_late or isinstance(error, (httpx.TimeoutException, TimeoutError)):
            return "TIMED_OUT", f"No whole answer came within {seconds:g} s ({kind})."
        code = _code_of(error)
        why = f"{kind}, {code}" if code else kind
        if code == "ECONNREFUSED":
            return "CONNECTION_FAILED", f"Nothing listens at {base_url} ({why}): is this the right address?"
        if code == "ENOTFOUND":
            return "CONNECTION_FAILED", f"There is no host of this name, {base_url} ({why}): is this the right address?"
        return "CONNECTION_FAILED", f"No whole answer came from {base_url} ({why})."

    def wait_seconds_after(self, failure: Failure) -> float:
        """How long to wait before the next attempt. Raises the error where there is none."""
        error, retry_after_seconds, simulated = failure
        is_same_again = simulated and self._operation.body.get("simulate") not in (None, "ANSWER_LOST")
        is_over = self._attempt >= self._settings.max_retries or retry_after_seconds > _MAX_RETRY_AFTER_SECONDS
        if not error.retryable or is_same_again or is_over:
            raise error
        # Beyond the fourth retry nothing doubles: 2.0**1024 is no number.
        bound = min(_FIRST_JITTER_SECONDS * 2.0 ** min(self._attempt, 10), _LAST_JITTER_SECONDS)
        wait_seconds = retry_after_seconds + random.random() * bound
        self._attempt += 1
        try:
            if self._settings.on_retry is not None:
                self._settings.on_retry(error, wait_seconds)
        except Exception:
            log.warning("on_retry failed; the call goes on.", exc_info=True)
        return wait_seconds

    def _log(self, told: str) -> None:
        if not log.isEnabledFor(logging.DEBUG):
            return
        after_ms = 1_000 * (time.monotonic() - self._started_at)
        asked = f"{self._operation.method} {self._url.raw_path.decode()}, Idempotency-Key {self._idempotency_key}"
        log.debug("%s, attempt %d after %d ms: %s", self._settings.secret.clean(asked), self._attempt + 1, after_ms, told)


def _code_of(error: BaseException | None) -> str:
    """The code of a transport's error, which is that of one of its causes. Empty: it has none."""
    if error is None:
        return ""
    if isinstance(error, socket.gaierror):
        return "ENOTFOUND"
    if isinstance(error, ssl.SSLError):
        reason = getattr(error, "reason", None) or ""
        return reason if re.fullmatch("[A-Z][A-Z0-9_]{2,39}", reason) else ""
    if isinstance(error, OSError) and error.errno is not None:
        return errno.errorcode.get(error.errno, "")
    # Several addresses of one name fail in a group.
    group: Sequence[BaseException] = getattr(error, "exceptions", ())
    codes = (_code_of(each) for each in (group or (error.__cause__ or error.__context__,)))
    return next((code for code in codes if code), "")
