import asyncio
import json
import os
import pickle
import re
import ssl
import traceback
import unittest
import zlib
from datetime import datetime, timezone
from pathlib import Path
from unittest import mock

import httpcore
import httpx

import sandbox_gateway
from sandbox_gateway import (
    APIConnectionError,
    APITimeoutError,
    AsyncSandboxGateway,
    InternalServerError,
    Limit,
    Ping,
    PingResult,
    RateLimitError,
    SandboxGateway,
    SandboxGatewayError,
)

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


class Client(unittest.TestCase):
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

    def test_a_test_plays_any_sequence_of_answers_and_each_attempt_is_the_same_request(self):
        for kind in BOTH:
            with self.subTest(kind):
                self.waits.clear()
                told = []
                network = Network(
                    refusal(429, "RATE_LIMIT_EXCEEDED", **{"Retry-After": "31"}),
                    refusal(503, "SERVICE_UNAVAILABLE", **{"Retry-After": "1"}),
                )
                client = of(kind, transport=network, on_retry=lambda error, wait: told.append((error.code, error.idempotency_key, wait)))
                resets_at = datetime.fromtimestamp(RESET, timezone.utc)
                result = ping(client, "order-7")
                key = network.requests[0].headers["Idempotency-Key"]
                self.assertEqual(
                    result,
                    PingResult(
                        data=Ping(True, "sandbox", "Sandbox gateway is ready.", REQUEST_ID),
                        request_id=REQUEST_ID,
                        idempotency_key=key,
                        replayed=False,
                        rate_limit=Limit(60, 59, resets_at),
                        quota=Limit(10_000, 9_999, resets_at),
                    ),
                )
                self.assertEqual(self.waits, [31.25, 1.5])
                self.assertEqual(told, [("RATE_LIMIT_EXCEEDED", key, 31.25), ("SERVICE_UNAVAILABLE", key, 1.5)])
                first, *others = [(each.method, str(each.url), each.headers, each.content) for each in network.requests]
                self.assertEqual(first[:2], ("POST", "http://127.0.0.1:3000/api/v1/sandbox/ping"))
                self.assertEqual(first[2]["Authorization"], f"Bearer {API_KEY}")
                self.assertRegex(key, r"^[-0-9a-f]{36}$")
                self.assertRegex(first[2]["User-Agent"], r"^sandbox-gateway-python/\d\S* [a-z]+/\d")
                self.assertEqual(json.loads(first[3]), {"clientRequestId": "order-7"})
                self.assertEqual(others, [first, first])

    def test_the_random_part_of_a_wait_doubles_up_to_8_s(self):
        network = Network(*[refusal(500, "INTERNAL_ERROR")] * 7)
        of(transport=network, max_retries=7).ping()
        self.assertEqual(self.waits, [0.25, 0.5, 1, 2, 4, 4, 4])

    def test_an_error_has_what_the_answer_told_and_can_be_pickled(self):
        network = Network(refusal(429, "RATE_LIMIT_EXCEEDED", **{"Retry-After": "31"}))
        with self.assertRaises(RateLimitError) as raised:
            of(transport=network, max_retries=0).ping()
        for error in (raised.exception, pickle.loads(pickle.dumps(raised.exception))):
            self.assertIsInstance(error, SandboxGatewayError)
            told = (type(error), error.status, error.code, error.detail, error.request_id, error.retryable)
            self.assertEqual(told, (RateLimitError, 429, "RATE_LIMIT_EXCEEDED", "No.", REQUEST_ID, True))
            self.assertEqual(str(error), f"RATE_LIMIT_EXCEEDED: No. (status 429, request {REQUEST_ID})")
            self.assertEqual(error.headers["Retry-After"], "31")
            self.assertEqual([error.rate_limit.remaining, error.quota.limit], [59, 10_000])

    def test_what_a_transport_raises_is_not_handed_on_but_for_its_code(self):
        def fail(request):
            raise httpx.ReadError(API_KEY) from ConnectionResetError(104, API_KEY)

        for kind in BOTH:
            with self.subTest(kind), self.assertRaises(APIConnectionError) as raised:
                ping(of(kind, transport=Network(fail, fail, fail)))
            error = raised.exception
            self.assertRegex(str(error), "^CONNECTION_FAILED: .*\\(ReadError, ECONNRESET\\)")
            self.assertEqual((error.__cause__, error.__context__), (None, None))
            own = (frame for frame in traceback.walk_tb(error.__traceback__) if "sandbox_gateway" in str(frame[0]))
            shown = "".join(traceback.StackSummary.extract(own, capture_locals=True).format())
            self.assertNotIn(API_KEY[9:], shown)

    def test_a_failure_of_the_network_is_repeated_and_its_class_is_told(self):
        for kind in BOTH:
            for failure, told in (
                (httpx.RemoteProtocolError("x"), "RemoteProtocolError"),
                (OSError(113, "No route to host"), "OSError, EHOSTUNREACH"),
                (ssl.SSLError(1, "x"), "SSLError"),
                (httpcore.ReadError("x"), "ReadError"),
                (zlib.error("x"), "error"),
            ):
                details = []
                network = Network(*[raises(failure)] * 2)
                client = of(kind, transport=network, on_retry=lambda error, wait: details.append(error.detail))
                with self.subTest((kind, told)):
                    ping(client)
                    self.assertEqual(details, [f"No whole answer came from http://127.0.0.1:3000 ({told})."] * 2)

    def test_an_error_of_the_program_comes_through_as_it_is_and_is_not_repeated(self):
        for kind in BOTH:
            for error in (
                AssertionError("of a test"),
                TypeError("of a test"),
                FileNotFoundError(2, "No such file", "answer.json"),
                httpx.UnsupportedProtocol("of a test"),
                RuntimeError("of a test"),
            ):
                network = Network(raises(error))
                with self.subTest((kind, error)), self.assertRaises(type(error)) as raised:
                    ping(of(kind, transport=network))
                self.assertIs(raised.exception, error)
                self.assertEqual(len(network.requests), 1)

    def test_a_transport_of_the_wrong_kind_is_refused(self):
        for kind, transport in (
            (SandboxGateway, httpx.AsyncBaseTransport()),
            (AsyncSandboxGateway, httpx.BaseTransport()),
            (SandboxGateway, lambda request: ready(request)),
        ):
            with self.subTest(kind), self.assertRaisesRegex(ValueError, "transport must be an httpx"):
                of(kind, transport=transport)

    def test_an_attempt_ends_in_time_whatever_its_transport_does_between(self):
        class Drip(httpx.SyncByteStream):
            def __iter__(self):
                while True:
                    yield b" "

        network = Network(lambda request: httpx.Response(200, stream=Drip()))
        with self.assertRaises(APITimeoutError) as raised:
            of(transport=network).ping(timeout=0.02, max_retries=0)
        self.assertRegex(str(raised.exception), "^TIMED_OUT: No whole answer came within 0.02 s \\(TimeoutError\\)")

    def test_key_and_address_come_from_the_environment(self):
        with mock.patch.dict(os.environ, clear=True):
            self.assertRaisesRegex(ValueError, "SANDBOX_GATEWAY_API_KEY", SandboxGateway)
            os.environ["SANDBOX_GATEWAY_API_KEY"] = f" {API_KEY}\n"
            self.assertRaisesRegex(ValueError, "SANDBOX_GATEWAY_BASE_URL", SandboxGateway)
            os.environ["SANDBOX_GATEWAY_BASE_URL"] = "https://gateway.example/v/"
            network = Network()
            client = SandboxGateway(transport=network)
            # Once: what changes later is for the next client.
            os.environ["SANDBOX_GATEWAY_API_KEY"] = "svc_test_other"
            del os.environ["SANDBOX_GATEWAY_BASE_URL"]
            client.ping()
            client.ping(timeout=1, max_retries=1)
        self.assertEqual(client.base_url, "https://gateway.example/v")
        sent = [(str(each.url), each.headers["Authorization"]) for each in network.requests]
        self.assertEqual(sent, [("https://gateway.example/v/api/v1/sandbox/ping", f"Bearer {API_KEY}")] * 2)

    def test_an_option_holds_for_one_call(self):
        fail = refusal(500, "INTERNAL_ERROR")
        for kind in BOTH:
            network = Network(fail, fail, ready)
            client = of(kind, transport=network)
            with self.subTest(kind), self.assertRaises(InternalServerError):
                ping(client, max_retries=0, headers={"traceparent": "00-1", "X-Empty": ""})
            first = network.requests[0].headers
            sent = [first["traceparent"], first["X-Empty"], first["Authorization"]]
            self.assertEqual(sent, ["00-1", "", f"Bearer {API_KEY}"])
            ping(client)
            self.assertEqual(len(network.requests), 3)
            self.assertNotIn("traceparent", network.requests[2].headers)

    def test_a_call_that_failed_is_repeated_under_the_key_of_its_error_in_another_client_too(self):
        def lost(request):
            raise httpx.ReadError("lost")

        def late(request):
            raise httpx.ReadTimeout("late")

        for kind in BOTH:
            for failing in (lost, late, refusal(503, "SERVICE_UNAVAILABLE")):
                network = Network(failing)
                with self.subTest(kind), self.assertRaises(SandboxGatewayError) as raised:
                    ping(of(kind, transport=network, max_retries=0))
                key = pickle.loads(pickle.dumps(raised.exception)).idempotency_key
                result = ping(of(kind, transport=network), idempotency_key=key)
                sent = [each.headers["Idempotency-Key"] for each in network.requests]
                self.assertEqual(sent, [key, result.idempotency_key])

    def test_a_key_of_ones_own_repeats_a_call_in_another_client(self):
        network = Network()
        for client in (of(transport=network), of(transport=network)):
            client.ping(idempotency_key="order-7")
        self.assertEqual([each.headers["Idempotency-Key"] for each in network.requests], ["order-7"] * 2)

    def test_refuses_what_cannot_work_without_the_value(self):
        for options in (
            {"api_key": " \n"},
            {"api_key": f"{API_KEY}\nx"},
            {"api_key": f"“{API_KEY}”"},
            {"base_url": "127.0.0.1:3000"},
            {"base_url": "http://gateway.example"},
            {"base_url": "http://127.0.0.1.example"},
            {"base_url": f"https://{API_KEY}@gateway.example"},
            {"base_url": f"https://gateway.example/?key={API_KEY}"},
            {"base_url": "https://gateway.example/api/v1/sandbox/ping"},
            {"base_url": "https://gateway.example\r\nX: y"},
            {"base_url": "https://[::1"},
            {"base_url": "https://gateway.example:port"},
            {"base_url": "file:///etc"},
            {"timeout": 0},
            {"timeout": float("nan")},
            {"timeout": 2**31},
            {"max_retries": -1},
            {"max_retries": 1.5},
            {"on_retry": True},
        ):
            with self.subTest(options), self.assertRaises(ValueError) as raised:
                of(**options)
            self.assertNotIn(API_KEY[9:], repr(raised.exception))

    def test_does_not_send_what_cannot_be_sent(self):
        network = Network()
        for arguments in ("", "two words", "é", "k" * 256, 7, API_KEY):
            with self.subTest(arguments), self.assertRaises(ValueError):
                of(transport=network).ping(idempotency_key=arguments)
        for options in (
            {"timeout": 0},
            {"max_retries": -1},
            {"headers": "traceparent"},
            {"headers": {"authorization": f"Bearer {API_KEY}"}},
            {"headers": {"IDEMPOTENCY-KEY": "order-7"}},
            {"headers": {"Content-Length": "1"}},
            {"headers": {"Proxy-Authorization": "x"}},
            {"headers": {"X-Key": f"of {API_KEY}"}},
            {"headers": {API_KEY: "x"}},
            {"headers": {"X-A": "a\r\nX-B: b"}},
            {"headers": {"X-A": "é"}},
            {"headers": {"X-A": 1}},
            {"headers": {"X A": "a"}},
            {"headers": {"X-A": " a"}},
            {"headers": {"X-A": "a "}},
        ):
            with self.subTest(options), self.assertRaises(ValueError) as raised:
                of(transport=network).ping(**options)
            self.assertNotIn(API_KEY[9:], repr(raised.exception))
        for name in ("api_key", "base_url", "transport", "on_retry", "rehearse"):
            with self.subTest(name), self.assertRaises(TypeError):
                of(transport=network).ping(**{name: None})
        self.assertEqual(network.requests, [])

    def test_shows_nothing_of_its_key_and_is_not_pickled(self):
        for kind in BOTH:
            client = of(kind, transport=Network())
            self.assertNotIn(API_KEY[9:], repr(client) + str(vars(client)))
            self.assertRaises(TypeError, pickle.dumps, client)

    def test_the_version_is_that_of_the_package_and_the_changelog_says_what_is_new_in_it(self):
        newest = re.search(r"^## (\S+)", (PACKAGE / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
        self.assertEqual(newest and newest[1], sandbox_gateway.__version__)
