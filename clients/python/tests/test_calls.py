import asyncio
import contextlib
import json
import logging
import pickle
from datetime import datetime, timezone
from unittest import mock

import httpx

from sandbox_gateway import (
    APITimeoutError,
    AsyncSandboxGateway,
    Health,
    InternalServerError,
    Limit,
    Ping,
    Result,
    SandboxGateway,
    SandboxGatewayError,
)

from .support import API_KEY, BOTH, PING, REQUEST_ID, RESET, Network, WithoutWaits, of, ping, ready, refusal


class Calls(WithoutWaits):
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
                    Result(
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

    def test_an_attempt_ends_in_time_whatever_its_transport_does_between(self):
        class Drip(httpx.SyncByteStream):
            def __iter__(self):
                while True:
                    yield b" "

        network = Network(lambda request: httpx.Response(200, stream=Drip()))
        with self.assertRaises(APITimeoutError) as raised:
            of(transport=network).ping(timeout=0.02, max_retries=0)
        self.assertRegex(str(raised.exception), "^TIMED_OUT: No whole answer came within 0.02 s \\(TimeoutError\\)")

    def test_health_is_asked_without_a_body_under_the_same_rules(self):
        body = {"ok": True, "service": "sandbox-gateway", "status": "available", "requestId": REQUEST_ID, "region": 1}
        for kind in BOTH:
            network = Network(refusal(503, "SERVICE_UNAVAILABLE"), lambda request: httpx.Response(200, json=body))
            came = of(kind, transport=network).health(headers={"traceparent": "00-1"})
            result = came if kind is SandboxGateway else asyncio.run(came)
            self.assertEqual(result.data, Health(True, "sandbox-gateway", "available", REQUEST_ID))
            self.assertEqual((result.request_id, result.rate_limit, result.quota), (REQUEST_ID, None, None))
            sent = [(each.method, str(each.url), each.content, each.headers["traceparent"]) for each in network.requests]
            self.assertEqual(sent, [("GET", "http://127.0.0.1:3000/api/v1/health", b"", "00-1")] * 2)

    def test_status_and_headers_are_told_beside_a_result(self):
        for kind in BOTH:
            client = of(kind, transport=Network())
            came = client.with_response(client.ping, "order-7", idempotency_key="order-7")
            told = came if kind is SandboxGateway else asyncio.run(came)
            self.assertEqual((told.status, told.headers["X-RateLimit-Limit"]), (200, "60"))
            self.assertEqual((told.result.data.request_id, told.result.idempotency_key), (REQUEST_ID, "order-7"))

    def test_they_are_those_of_this_call_also_where_a_task_of_its_own_makes_it(self):
        client = of(AsyncSandboxGateway, transport=Network())

        async def calls():
            await client.ping()
            return await client.with_response(lambda: asyncio.wait_for(client.ping(), 5))

        self.assertEqual(asyncio.run(calls()).status, 200)
        sync = of(transport=Network())
        sync.ping()
        with self.assertRaisesRegex(TypeError, "with_response is for a call"):
            sync.with_response(lambda: None)

    def test_what_the_gateway_says_of_a_repetition_decides(self):
        for status, code, told, attempts in (
            (503, "SERVICE_UNAVAILABLE", "false", 1),
            (409, "BUSY", "true", 2),
            (503, "SERVICE_UNAVAILABLE", "perhaps", 2),
            (408, "", "", 2),
            (408, "", "false", 1),
            (409, "BUSY", "", 1),
        ):
            network = Network(refusal(status, code, **{"X-Should-Retry": told}))
            with self.subTest((status, told)), contextlib.suppress(SandboxGatewayError):
                of(transport=network).ping()
            self.assertEqual(len(network.requests), attempts)
        # What was asked for comes again, whatever is said of it.
        network = Network(refusal(503, "SERVICE_UNAVAILABLE", **{"X-Should-Retry": "true", "X-Service-Simulated": "true"}))
        self.assertRaises(InternalServerError, of(transport=network).ping, simulate="SERVICE_UNAVAILABLE")

    def test_an_answer_is_not_asked_to_be_compressed_and_one_that_is_compressed_is_not_read(self):
        class Unread(httpx.SyncByteStream, httpx.AsyncByteStream):
            def __iter__(self):
                raise AssertionError("It is read.")

            __aiter__ = __iter__

        def compressed(request):
            return httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=Unread())

        for kind in BOTH:
            network = Network(*[compressed] * 3)
            with self.assertRaises(SandboxGatewayError) as raised:
                ping(of(kind, transport=network))
            self.assertEqual((raised.exception.code, raised.exception.status), ("UNEXPECTED_ANSWER", 200))
            self.assertIn("compressed", raised.exception.detail)
            self.assertEqual([each.headers["Accept-Encoding"] for each in network.requests], ["identity"] * 3)

    def test_what_on_retry_raises_is_logged_and_ends_nothing(self):
        def fail(error, wait_seconds):
            raise ValueError("of on_retry")

        for kind in BOTH:
            network = Network(refusal(500, "INTERNAL_ERROR"))
            with self.subTest(kind), self.assertLogs("sandbox_gateway", logging.WARNING) as logged:
                self.assertEqual(ping(of(kind, transport=network, on_retry=fail)).data.request_id, REQUEST_ID)
            self.assertIn("ValueError: of on_retry", logged.output[0])

    def test_the_log_tells_each_attempt_and_nothing_of_the_key(self):
        def echo(request):
            return httpx.Response(500, json={"code": "INTERNAL_ERROR", "detail": f"Of {API_KEY}."})

        logger = logging.getLogger("sandbox_gateway")
        self.addCleanup(logger.setLevel, logging.NOTSET)
        with mock.patch.dict("os.environ", {"SANDBOX_GATEWAY_LOG": "debug"}), mock.patch("logging.basicConfig"):
            client = of(transport=Network(echo))
        self.assertEqual(logger.level, logging.DEBUG)
        with self.assertLogs(logger, logging.DEBUG) as logged:
            client.ping(idempotency_key="order-7")
        asked = "DEBUG:sandbox_gateway:POST /api/v1/sandbox/ping, Idempotency-Key order-7, attempt"
        self.assertRegex(logged.output[0], f"^{asked} 1 after \\d+ ms: INTERNAL_ERROR: Of \\[API key\\]\\. \\(status 500\\)$")
        self.assertRegex(logged.output[1], f"^{asked} 2 after \\d+ ms: status 200$")
        self.assertEqual(len(logged.output), 2)
