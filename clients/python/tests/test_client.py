import re
import unittest
from pathlib import Path

import sandbox_gateway
from sandbox_gateway import SandboxGateway

from .server import API_KEY, Server

PACKAGE = Path(__file__).parents[1]


def of(**options):
    return SandboxGateway(**{"api_key": API_KEY, "base_url": "http://127.0.0.1:3000", **options})


class Client(unittest.TestCase):
    def test_a_key_of_ones_own_repeats_a_call_in_another_client(self):
        with Server() as server:
            for client in (of(base_url=server.url), of(base_url=server.url)):
                client.ping(idempotency_key="order-7")
        self.assertEqual([request["headers"]["Idempotency-Key"] for request in server.requests], ["order-7"] * 2)

    def test_the_key_is_trimmed_and_an_address_may_have_a_path_and_a_slash_at_its_end(self):
        with Server() as server:
            of(api_key=f" {API_KEY}\n", base_url=f"{server.url}/v/").ping()
        (request,) = server.requests
        self.assertEqual(request["url"], "/v/api/v1/sandbox/ping")
        self.assertEqual(request["headers"]["Authorization"], f"Bearer {API_KEY}")

    def test_refuses_what_cannot_work_without_the_value(self):
        for options in (
            {"api_key": None},
            {"api_key": " \n"},
            {"api_key": f"{API_KEY}\nx"},
            {"api_key": f"“{API_KEY}”"},
            {"base_url": None},
            {"base_url": "127.0.0.1:3000"},
            {"base_url": "http://gateway.example"},
            {"base_url": "http://127.0.0.1.example"},
            {"base_url": f"https://{API_KEY}@gateway.example"},
            {"base_url": "https://gateway.example\r\nX: y"},
            {"base_url": "https://[::1"},
            {"base_url": "https://gateway.example:port"},
            {"base_url": "file:///etc"},
            {"timeout_seconds": 0},
            {"max_retries": -1},
            {"max_wait_seconds": float("nan")},
        ):
            with self.subTest(options), self.assertRaises(ValueError) as raised:
                of(**options)
            self.assertNotIn(API_KEY[9:], repr(raised.exception))

    def test_does_not_send_what_cannot_be_sent(self):
        with Server() as server:
            for arguments in (
                {"idempotency_key": ""},
                {"idempotency_key": "two words"},
                {"idempotency_key": "é"},
                {"idempotency_key": "k" * 256},
                {"simulate": "INTERNAL_ERROR", "rehearse": {"INTERNAL_ERROR": 1}},
            ):
                with self.subTest(arguments), self.assertRaises(ValueError):
                    of(base_url=server.url).ping(**arguments)
        self.assertEqual(server.requests, [])

    def test_shows_nothing_of_its_key(self):
        client = of()
        self.assertNotIn(API_KEY[9:], repr(client) + str(vars(client)))

    def test_the_version_is_that_of_the_package_and_the_changelog_says_what_is_new_in_it(self):
        newest = re.search(r"^## (\S+)", (PACKAGE / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
        self.assertEqual(newest and newest[1], sandbox_gateway.__version__)
