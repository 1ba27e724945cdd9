"""What the tests share: a network of answers, and clients on it."""

import asyncio
import unittest
from pathlib import Path
from unittest import mock

import httpx

from sandbox_gateway import AsyncSandboxGateway, SandboxGateway

PACKAGE = Path(__file__).parents[1]
API_KEY = f"svc_test_{'k' * 42}"
REQUEST_ID = "01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d"
RESET = 1_900_000_000
HEADERS = {
    "X-Service-Request-Id": REQUEST_ID,
    **{"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "59", "X-RateLimit-Reset": f"{RESET}"},
    **{"X-Service-Quota-Limit": "10000", "X-Service-Quota-Remaining": "9999", "X-Service-Quota-Reset": f"{RESET}"},
}
PING = {"ok": True, "mode": "sandbox", "message": "Sandbox gateway is ready.", "requestId": REQUEST_ID}


def ready(request):
    return httpx.Response(200, headers=HEADERS, json=PING)


def refusal(status, code, **headers):
    body = {"ok": False, "code": code, "detail": "No."}
    return lambda request: httpx.Response(status, headers={**HEADERS, **headers}, json=body)


def raises(error):
    def answer(request):
        raise error

    return answer


class Network(httpx.MockTransport):
    """A network of these answers; then it is ready."""

    def __init__(self, *answers):
        self.requests = []
        self.answers = answers
        super().__init__(self.answer)

    def answer(self, request):
        self.requests.append(request)
        number = len(self.requests) - 1
        return (self.answers[number] if number < len(self.answers) else ready)(request)


def of(kind=SandboxGateway, **options):
    return kind(**{"api_key": API_KEY, "base_url": "http://127.0.0.1:3000", **options})


def ping(client, *args, **options):
    """A call of either client."""
    came = client.ping(*args, **options)
    return asyncio.run(came) if isinstance(client, AsyncSandboxGateway) else came


BOTH = (SandboxGateway, AsyncSandboxGateway)



class WithoutWaits(unittest.TestCase):
    """No call waits between its attempts: the seconds are in `waits`."""

    def setUp(self):
        self.waits = []

        async def wait(seconds):
            self.waits.append(seconds)

        for target, change in (
            ("time.sleep", self.waits.append),
            ("anyio.sleep", wait),
            ("random.random", lambda: 0.5),
        ):
            patch = mock.patch(target, change)
            patch.start()
            self.addCleanup(patch.stop)
