import json
import traceback
import unittest
from datetime import datetime, timezone
from pathlib import Path
from unittest import mock

from sandbox_gateway import Limit, PingResult, SandboxGateway, SandboxGatewayError

from .server import API_KEY, PING, REQUEST_ID, RESET_EPOCH_SECONDS, Server

CASES = json.loads((Path(__file__).parents[2] / "cases.json").read_text("utf-8"))["cases"]
RESETS_AT = datetime.fromtimestamp(RESET_EPOCH_SECONDS, timezone.utc)
NAMES = {"timeoutMs": ("timeout_seconds", 0.001), "maxRetries": ("max_retries", 1), "maxWaitMs": ("max_wait_seconds", 0.001)}


def random_part_seconds(retry):
    return 0.5 * min(0.5 * 2**retry, 8)


class Cases(unittest.TestCase):
    """No test waits: the client's sleep ends at once, and is noted."""

    def check(self, answers, waits, call=None, options=None, sent=(), error=None, **_):
        told = []
        given = {NAMES[name][0]: value * NAMES[name][1] for name, value in (options or {}).items()}
        with Server(answers) as server, mock.patch("time.sleep") as sleep, mock.patch("random.random", return_value=0.5):
            client = SandboxGateway(
                api_key=API_KEY,
                base_url=server.url,
                on_retry=lambda failure, seconds: told.append((type(failure), seconds)),
                **given,
            )
            try:
                outcome = client.ping("order-7", **(call or {}))
            except SandboxGatewayError as failure:
                outcome = failure
            attempts = list(server.requests)
            waited = [seconds + random_part_seconds(retry) for retry, seconds in enumerate(waits)]
            slept = [seconds for (seconds,), _ in sleep.call_args_list]
            # Whatever the connection did, the next call is one of its own.
            client.ping()
            self.assertNotEqual(attempts[0]["headers"]["Idempotency-Key"], server.requests[-1]["headers"]["Idempotency-Key"])

        self.assertEqual(slept, waited)
        self.assertEqual(told, [(SandboxGatewayError, seconds) for seconds in waited])
        self.assertEqual(len(attempts), len(waits) + 1)
        self.assertEqual(len({attempt["headers"]["Idempotency-Key"] for attempt in attempts}), 1)
        for index, attempt in enumerate(attempts):
            self.assertEqual(attempt["url"], "/api/v1/sandbox/ping")
            self.assertEqual(attempt["headers"]["Authorization"], f"Bearer {API_KEY}")
            self.assertEqual(attempt["headers"]["Content-Type"], "application/json")
            self.assertRegex(attempt["headers"]["User-Agent"], r"^sandbox-gateway-python/\d")
            simulate = sent[index] if index < len(sent) else None
            expected = {"clientRequestId": "order-7", **({"simulate": simulate} if simulate else {})}
            self.assertEqual(json.loads(attempt["body"]), expected)
        if error:
            self.check_error(outcome, error)
        else:
            unlimited, replayed = answers[-1] == "unlimited", answers[-1] == "replay"
            quota = None if unlimited else Limit(10_000, 9_999, RESETS_AT)
            self.assertEqual(outcome, PingResult(PING, REQUEST_ID, replayed, Limit(60, 59, RESETS_AT), quota))

    def check_error(self, raised, error):
        self.assertIsInstance(raised, SandboxGatewayError)
        told = {name: getattr(raised, name) for name in ("status", "code", "retryable")}
        self.assertEqual({**told, "requestId": raised.request_id == REQUEST_ID}, error)
        self.assertTrue(str(raised).startswith(f"{raised.code}: {raised.detail}"))
        everything = [repr(raised), repr(vars(raised))]
        everything += traceback.TracebackException.from_exception(raised, capture_locals=True).format()
        # With the test's own frame, which knows the key, left out.
        library = [line for line in everything if "tests/test_cases.py" not in line]
        self.assertNotIn(API_KEY[9:], "".join(library))


for number, case in enumerate(CASES):
    name = f"test_{number:02}_{''.join(c if c.isalnum() else '_' for c in case['name'])}"
    setattr(Cases, name, lambda self, case=case: self.check(**case))
