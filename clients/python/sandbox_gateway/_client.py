from __future__ import annotations

import http.client
import json
import random
import socket
import time
import urllib.request
import uuid
from typing import Any, Callable, Mapping, Optional

from ._answer import Outcome, outcome_of
from ._errors import SandboxGatewayError
from ._input import ApiKey, checked_base_url, checked_idempotency_key
from ._types import PingResult, Simulation
from ._version import __version__

_FIRST_JITTER_SECONDS = 0.5
"""Bound of the first random wait; it doubles with each attempt up to the last bound."""
_LAST_JITTER_SECONDS = 8.0


class _EveryAnswer(urllib.request.HTTPErrorProcessor):
    """Gives each answer as it came: refusals too, and redirects, since a key goes to one address only."""

    def http_response(self, request: urllib.request.Request, response: http.client.HTTPResponse) -> Any:
        return response

    https_response = http_response


class SandboxGateway:
    """A client of the sandbox gateway, for servers. Threads may share one."""

    def __init__(
        self,
        *,
        api_key: Optional[str],
        base_url: Optional[str],
        timeout_seconds: float = 10,
        max_retries: int = 4,
        max_wait_seconds: float = 180,
        on_retry: Optional[Callable[[SandboxGatewayError, float], None]] = None,
    ) -> None:
        """
        api_key: a test key, from the environment of your server: `os.environ["API_KEY"]`.
        base_url: address of the gateway, as the portal shows it: `https://…`; `http://` on this machine only.
        timeout_seconds: how long one attempt may wait for the connection, and for each part of the answer.
        max_retries: attempts after the first.
        max_wait_seconds: how long one call may wait between its attempts, in all.
        on_retry: told of each attempt that failed before it is repeated, and how many seconds the call waits first.
        """
        if not (timeout_seconds > 0 and max_retries >= 0 and max_wait_seconds >= 0):
            raise ValueError("timeout_seconds must be more than 0, max_retries and max_wait_seconds 0 or more.")
        self._api_key = ApiKey(api_key)
        self.base_url = checked_base_url(base_url)
        self.timeout_seconds = timeout_seconds
        self.max_retries = max_retries
        self.max_wait_seconds = max_wait_seconds
        self._on_retry = on_retry
        self._opener = urllib.request.build_opener(_EveryAnswer)

    def ping(
        self,
        client_request_id: Optional[str] = None,
        simulate: Optional[Simulation] = None,
        *,
        idempotency_key: Optional[str] = None,
        rehearse: Optional[Mapping[Simulation, int]] = None,
    ) -> PingResult:
        """
        Sends a ping until it is answered for good. It is charged once, whatever became of its attempts: all have one
        Idempotency-Key. Raises a SandboxGatewayError; a ValueError where an argument cannot be sent.

        client_request_id: your own name for the request, at most 128 characters, stored in its usage event.
        simulate: asks for this failure; the answer is the real one, and is raised after the first attempt.
        idempotency_key: one of your own, to repeat this call later as well: 1 to 255 visible ASCII characters.
        rehearse: so many first attempts ask for these failures, in this order; then the plain request is sent, under
            the same Idempotency-Key. After `ANSWER_LOST` it stays as it is: it is executed, and the next attempt gets
            its answer.
        """
        if simulate and rehearse:
            raise ValueError("Use simulate or rehearse, not both.")
        key = checked_idempotency_key(str(uuid.uuid4()) if idempotency_key is None else idempotency_key)
        attempt, waited_seconds = 0, 0.0
        while True:
            code = simulate or _simulation_of(rehearse or {}, attempt)
            members = {"clientRequestId": client_request_id, "simulate": code}
            body = json.dumps({name: value for name, value in members.items() if value is not None})
            result, error, cause, retry_after_seconds, simulated = self._send(body, key)
            if result is not None:
                return result
            assert error is not None
            jitter_seconds = random.random() * min(_FIRST_JITTER_SECONDS * 2**attempt, _LAST_JITTER_SECONDS)
            wait_seconds = retry_after_seconds + jitter_seconds
            waited_seconds += wait_seconds
            is_same_again = simulated and simulate is not None and simulate != "ANSWER_LOST"
            is_over = attempt >= self.max_retries or waited_seconds > self.max_wait_seconds
            if not error.retryable or is_same_again or is_over:
                raise error from cause
            if self._on_retry is not None:
                self._on_retry(error, wait_seconds)
            time.sleep(wait_seconds)
            attempt += 1

    def _send(self, body: str, idempotency_key: str) -> Outcome:
        try:
            with self._opener.open(self._request(body, idempotency_key), timeout=self.timeout_seconds) as response:
                text: str = response.read().decode("utf-8", "replace")
                return outcome_of(response.status, response.headers, self._api_key.taken_out_of(text))
        except (OSError, http.client.HTTPException) as error:
            return self._unanswered(error)

    def _request(self, body: str, idempotency_key: str) -> urllib.request.Request:
        headers = {
            "Authorization": self._api_key.authorization(),
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key,
            "User-Agent": f"sandbox-gateway-python/{__version__}",
        }
        return urllib.request.Request(f"{self.base_url}/api/v1/sandbox/ping", body.encode(), headers, method="POST")

    def _unanswered(self, error: BaseException) -> Outcome:
        reason = getattr(error, "reason", None)
        cause = reason if isinstance(reason, BaseException) else error
        # The frames of its traceback hold the headers that were sent.
        cause = cause.with_traceback(None)
        cause.__context__ = cause.__cause__ = None
        if isinstance(cause, socket.timeout):
            code, detail = "TIMED_OUT", f"No answer came within {self.timeout_seconds} s."
        else:
            code, detail = "CONNECTION_FAILED", f"No whole answer came from {self.base_url}."
        failure = SandboxGatewayError(status=None, code=code, detail=detail, request_id=None, retryable=True)
        return Outcome(error=failure, cause=cause)


def _simulation_of(rehearse: Mapping[Simulation, int], attempt: int) -> Optional[Simulation]:
    """The failure that an attempt asks for. The first attempt is 0. None: no failure."""
    for code, times in rehearse.items():
        if times > 0 and (attempt < times or code == "ANSWER_LOST"):
            return code
        attempt -= times
    return None
