import base64
import hashlib
import hmac
import json
import unittest
from datetime import datetime, timedelta, timezone
from email.message import Message

from sandbox_gateway.webhooks import WebhookVerificationError, verify_webhook


def secret_of(text):
    return f"whsec_{base64.b64encode(text).decode()}"


SECRET = secret_of(b"a secret of a test, 32 bytes or so")
OTHER = secret_of(b"another secret of a test, as long")
NOW = datetime(2026, 11, 27, 12, tzinfo=timezone.utc)
DATA = {"accountId": "acc_1", "projectId": "prj_1", "keyId": "key_1", "expiresAt": "2026-11-28T00:00:00.000Z", "days": 1}
BODY = json.dumps({"type": "key.expiring", "timestamp": "2026-11-27T11:59:00.000Z", "data": DATA, "note": "Zürich"})


def notice_with(data):
    return BODY.replace(json.dumps(DATA), data)


def delivery(notice_id="ntc_1", at=NOW, body=BODY, secret=SECRET, **changed):
    """As the portal signs it."""
    timestamp = str(int(at.timestamp()))
    signed = f"{notice_id}.{timestamp}.{body}".encode()
    signature = hmac.new(base64.b64decode(secret[6:]), signed, hashlib.sha256).digest()
    headers = {
        "webhook-id": notice_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
    }
    return {**headers, **{f"webhook-{name}": value for name, value in changed.items()}}


def verified(headers, body=BODY, secret=SECRET, **options):
    return verify_webhook(body, headers, secret, **{"now": NOW, **options})


def after(seconds):
    return NOW + timedelta(seconds=seconds)


def message(*pairs):
    headers = Message()
    for name, value in pairs:
        headers[name] = value
    return headers


class Webhooks(unittest.TestCase):
    def test_is_as_the_example_of_the_standard(self):
        # Standard Webhooks, "Verifying signatures".
        headers = {
            "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "webhook-timestamp": "1614265330",
            "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        }
        with self.assertRaisesRegex(WebhookVerificationError, "not a notice"):
            verify_webhook(
                '{"test": 2432232314}',
                headers,
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                now=datetime.fromtimestamp(1614265330, timezone.utc),
            )

    def test_takes_what_is_signed_with_its_secret(self):
        right = delivery()
        both = f"v2,x {delivery(secret=OTHER)['webhook-signature']} {right['webhook-signature']}"
        for what, take in (
            ("as text", lambda: verified(right)),
            ("as bytes", lambda: verified(right, BODY.encode())),
            ("as a bytearray", lambda: verified(right, bytearray(BODY.encode()))),
            ("headers of http.server", lambda: verified(message(*right.items()))),
            ("headers in capitals", lambda: verified({name.title(): value for name, value in right.items()})),
            ("290 s ago", lambda: verified(delivery(at=after(-290)))),
            ("290 s ahead", lambda: verified(delivery(at=after(290)))),
            ("an hour ago", lambda: verified(delivery(at=after(-3_600)), tolerance_seconds=4_000)),
            ("the second of two secrets", lambda: verified(right, secret=[OTHER, SECRET])),
            ("two signatures", lambda: verified(delivery(signature=both))),
        ):
            with self.subTest(what):
                self.assertEqual(take(), json.loads(BODY))

    def test_refuses_all_else(self):
        right = delivery()
        for what, take in (
            ("another secret", lambda: verified(delivery(secret=OTHER))),
            ("another body", lambda: verified(right, BODY.replace("1", "2"))),
            ("another id", lambda: verified(delivery(id="ntc_2"))),
            ("another time", lambda: verified(delivery(timestamp=str(int(NOW.timestamp()) + 1)))),
            ("310 s ago", lambda: verified(delivery(at=after(-310)))),
            ("310 s ahead", lambda: verified(delivery(at=after(310)))),
            ("a tolerance that is no number", lambda: verified(right, tolerance_seconds=float("nan"))),
            ("a time that is none", lambda: verified(delivery(timestamp="now"))),
            ("a time in another form", lambda: verified(delivery(timestamp="1e9"))),
            ("a time in other digits", lambda: verified(delivery(timestamp="١٧"))),
            ("no headers", lambda: verified({})),
            ("an empty signature", lambda: verified(delivery(signature=""))),
            ("a signature of no bytes", lambda: verified(delivery(signature="v1,"))),
            ("a signature in other letters", lambda: verified(delivery(signature="v1,é\udcff"))),
            ("another version", lambda: verified(delivery(signature=right["webhook-signature"].replace("v1", "v2")))),
            ("two ids", lambda: verified(message(*right.items(), ("Webhook-Id", "ntc_1")))),
            *(
                (f"a signed body that is no notice: {body}", lambda body=body: verified(delivery(body=body), body))
                for body in ("[]", "null", *(notice_with(data) for data in ("null", "[]", '"x"', "1")))
            ),
            ("a signed body that is no JSON", lambda: verified(delivery(body="{"), "{")),
        ):
            with self.subTest(what), self.assertRaises(WebhookVerificationError) as raised:
                take()
            self.assertNotIn("ntc_", repr(raised.exception))

    def test_tells_what_is_no_delivery(self):
        right = delivery()
        pairs = [(name.encode(), value.encode()) for name, value in right.items()]
        body, headers = "^body is parsed.* raw .* bytes", "^headers must be names and values as text.*ASGI"
        for what, take, message in (
            ("a parsed body", lambda: verified(right, json.loads(BODY)), body),
            ("no body", lambda: verified(right, None), body),
            ("headers of ASGI", lambda: verified(pairs), headers),
            ("headers of bytes", lambda: verified(dict(pairs)), headers),
            ("headers with lists", lambda: verified({name: [value] for name, value in right.items()}), headers),
            ("no headers at all", lambda: verified(None), headers),
        ):
            with self.subTest(what), self.assertRaisesRegex(ValueError, message):
                take()

    def test_tells_why_a_signed_body_is_not_a_notice(self):
        for body, reason in (
            ("{", "is no JSON object"),
            ("[]", "is no JSON object"),
            ("null", "is no JSON object"),
            ("{}", "has no text as type"),
            ('{"type":"x"}', "has no text as timestamp"),
            (notice_with("null"), "has no object as data"),
            (notice_with("[]"), "has no object as data"),
        ):
            with self.subTest(body), self.assertRaises(WebhookVerificationError) as raised:
                verified(delivery(body=body), body)
            self.assertEqual(str(raised.exception), f"It is signed, and yet not a notice: it {reason}.")

    def test_refuses_a_secret_that_is_none(self):
        for secret in ("", "whsec_", [], [SECRET, ""], None, secret_of(bytes(23)), "whsec_not base64, but long enough"):
            with self.subTest(secret), self.assertRaises(ValueError) as raised:
                verified(delivery(), secret=secret)
            self.assertNotIn("long enough", repr(raised.exception))
        secret = secret_of(bytes(24))
        self.assertEqual(verified(delivery(secret=secret), secret=secret), json.loads(BODY))
