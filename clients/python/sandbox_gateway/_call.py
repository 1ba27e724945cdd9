"""A call without its network and its waits: what both clients do."""

from __future__ import annotations

import errno
import json
import platform
import random
import re
import socket
import ssl
import time
import uuid
import zlib
from typing import Mapping, Sequence

import httpcore
import httpx

from ._answer import Body, Failure, outcome_of, unanswered
from ._settings import Settings, checked_headers, checked_idempotency_key
from ._transports import deadline
from ._types import PingResult, Simulation
from ._version import __version__

_FIRST_JITTER_SECONDS = 0.5
"""Bound of the first random wait; it doubles with each attempt up to the last bound."""
_LAST_JITTER_SECONDS = 8.0
_MAX_RETRY_AFTER_SECONDS = 60
"""Whoever asks for a longer wait is not waited for."""
_USER_AGENT = (
    f"sandbox-gateway-python/{__version__} {platform.python_implementation().lower()}/{platform.python_version()}"
)
_OF_THE_NETWORK = (
    *(httpx.TimeoutException, httpx.NetworkError, httpx.ProtocolError, httpx.ProxyError),
    *(httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError),
    *(OSError, zlib.error),
)


class Call:
    """Its attempts are one request: all have one Idempotency-Key."""

    def __init__(
        self,
        settings: Settings,
        client_request_id: str | None,
        simulate: Simulation | None,
        idempotency_key: str | None,
        headers: Mapping[str, str] | None,
    ) -> None:
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        self._idempotency_key = checked_idempotency_key(key, settings.api_key)
        self._headers = checked_headers({} if headers is None else headers, settings.api_key)
        self._settings = settings
        self._simulate = simulate
        self._attempt = 0
        members = {"clientRequestId": client_request_id, "simulate": simulate}
        self._body = json.dumps({name: value for name, value in members.items() if value is not None}).encode()

    def request(self) -> httpx.Request:
        """The request of the next attempt, whose time begins."""
        seconds = self._settings.timeout_seconds
        deadline.set(time.monotonic() + seconds)
        return httpx.Request(
            "POST",
            f"{self._settings.base_url}/api/v1/sandbox/ping",
            headers={
                **self._headers,
                "Accept-Encoding": "gzip",
                "Authorization": self._settings.api_key.authorization(),
                "Content-Type": "application/json",
                "Idempotency-Key": self._idempotency_key,
                "User-Agent": _USER_AGENT,
            },
            content=self._body,
            extensions={"timeout": httpx.Timeout(seconds).as_dict()},
        )

    def answered(self, response: httpx.Response, body: Body) -> PingResult | Failure:
        settings = self._settings
        return outcome_of(
            response.status_code, response.headers, body, settings.base_url, settings.api_key, self._idempotency_key
        )

    def failed(self, error: Exception) -> Failure:
        """
        Nothing of a failure of the network is handed on but its class and a short code: it may hold the key. Anything
        else is an error of the program, and is raised as it is.
        """
        # An OSError with a name of a file is not of a socket.
        if not isinstance(error, _OF_THE_NETWORK) or getattr(error, "filename", None) is not None:
            raise error
        kind, seconds, base_url = type(error).__name__, self._settings.timeout_seconds, self._settings.base_url
        if isinstance(error, (httpx.TimeoutException, httpcore.TimeoutException, TimeoutError)) or time.monotonic() >= deadline.get():
            detail = f"No whole answer came within {seconds:g} s ({kind})."
            return unanswered("TIMED_OUT", detail, self._idempotency_key)
        code = _code_of(error)
        why = f"{kind}, {code}" if code else kind
        if code == "ECONNREFUSED":
            detail = f"Nothing listens at {base_url} ({why}): is this the gateway’s address?"
        elif code == "ENOTFOUND":
            detail = f"There is no host of this name, {base_url} ({why}): is this the gateway’s address?"
        else:
            detail = f"No whole answer came from {base_url} ({why})."
        return unanswered("CONNECTION_FAILED", detail, self._idempotency_key)

    def wait_seconds_after(self, failure: Failure) -> float:
        """How long to wait before the next attempt. Raises the error where there is none."""
        error, retry_after_seconds, simulated = failure
        is_same_again = simulated and self._simulate is not None and self._simulate != "ANSWER_LOST"
        is_over = self._attempt >= self._settings.max_retries or retry_after_seconds > _MAX_RETRY_AFTER_SECONDS
        if not error.retryable or is_same_again or is_over:
            raise error
        # Beyond the fourth retry nothing doubles: 2.0**1024 is no number.
        bound = min(_FIRST_JITTER_SECONDS * 2.0 ** min(self._attempt, 10), _LAST_JITTER_SECONDS)
        wait_seconds = retry_after_seconds + random.random() * bound
        self._attempt += 1
        if self._settings.on_retry is not None:
            self._settings.on_retry(error, wait_seconds)
        return wait_seconds


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
