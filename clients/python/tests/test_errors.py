import pickle
import ssl
import traceback

import httpx

from sandbox_gateway import APIConnectionError, AsyncSandboxGateway, RateLimitError, SandboxGateway, SandboxGatewayError

from .support import API_KEY, BOTH, REQUEST_ID, Network, WithoutWaits, of, ping, raises, refusal


class Errors(WithoutWaits):
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
