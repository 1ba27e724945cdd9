import unittest
from datetime import datetime, timezone
from typing import get_args

import httpx

from sandbox_gateway import ErrorCode, Limit, QuotaExceededError, RateLimitError, SandboxGatewayError
from sandbox_gateway.testing import answer, problem, sign_webhook
from sandbox_gateway.webhooks import WebhookVerificationError, verify_webhook

from .support import Network, WithoutWaits, of

SECRET = "whsec_YSBzZWNyZXQgb2YgYSB0ZXN0LCAzMiBieXRlcyBvciBzbw=="


def plays(*answers):
    return of(transport=Network(*[lambda request, each=each: each for each in answers]))


class Answers(WithoutWaits):
    def test_an_answer_is_the_gateways_with_what_it_shall_have(self):
        before = datetime.now(timezone.utc)
        result = plays(answer()).ping()
        self.assertEqual((result.rate_limit.remaining, result.quota.limit, result.replayed), (59, 10_000, False))
        self.assertGreater(result.quota.resets_at, before)
        limit = Limit(5, 0, datetime(2030, 1, 1, tzinfo=timezone.utc))
        result = plays(answer(request_id="r", replayed=True, rate_limit=limit, quota=None, data={"message": "Hi"})).ping()
        self.assertEqual((result.request_id, result.data.request_id, result.data.message), ("r", "r", "Hi"))
        self.assertEqual((result.replayed, result.rate_limit, result.quota), (True, limit, None))

    def test_a_problem_is_the_gateways_refusal_with_each_code(self):
        for code in get_args(ErrorCode):
            with self.subTest(code), self.assertRaises(SandboxGatewayError) as raised:
                plays(*[problem(code)] * 3).ping()
            error, response = raised.exception, problem(code)
            self.assertEqual((error.code, error.status), (code, response.status_code))
            self.assertEqual(response.headers["Content-Type"], "application/problem+json")
            self.assertEqual(response.json()["requestId"], response.headers["X-Service-Request-Id"])
            self.assertEqual(error.retryable, code in ("RATE_LIMIT_EXCEEDED", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"))
        self.assertRaisesRegex(ValueError, "QUOTA_EXCEEDED", problem, "NONE")

    def test_a_rate_limit_is_waited_for_and_a_quota_is_not(self):
        self.assertEqual(plays(problem("RATE_LIMIT_EXCEEDED", retry_after=7), answer(request_id="r")).ping().request_id, "r")
        self.assertEqual(self.waits, [7.25])
        self.assertRaises(RateLimitError, plays(problem("RATE_LIMIT_EXCEEDED", retry_after=61)).ping)
        self.assertRaises(QuotaExceededError, plays(problem("QUOTA_EXCEEDED", retry_after=7)).ping)


class Deliveries(unittest.TestCase):
    def test_a_delivery_is_verified_and_another_secret_or_a_late_one_is_not(self):
        notice = {"type": "endpoint.test", "data": {"accountId": "acc_1", "endpointId": "ep_1", "note": "Zürich"}}
        sent = sign_webhook(notice, SECRET)
        verified = verify_webhook(sent.body, sent.headers, SECRET)
        self.assertEqual((verified["type"], verified["data"]), (notice["type"], notice["data"]))
        self.assertRegex(verified["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        now = datetime(2026, 11, 27, 12, tzinfo=timezone.utc)
        given = sign_webhook({**notice, "timestamp": "2026-11-27T11:59:00.000Z"}, SECRET, now=now)
        self.assertEqual(verify_webhook(given.body, given.headers, SECRET, now=now)["timestamp"], "2026-11-27T11:59:00.000Z")
        self.assertEqual(given.headers["content-type"], "application/json")
        for secret, at in (("whsec_" + "A" * 44, now), (SECRET, None)):
            self.assertRaises(WebhookVerificationError, verify_webhook, given.body, given.headers, secret, now=at)
        self.assertRaises(ValueError, sign_webhook, notice, "whsec_short")
