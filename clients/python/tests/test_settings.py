import os
import pickle
import re
import unittest
from unittest import mock

import httpx

import sandbox_gateway
from sandbox_gateway import AsyncSandboxGateway, SandboxGateway

from .support import API_KEY, BOTH, PACKAGE, Network, of, ping, ready


class Settings(unittest.TestCase):
    def test_a_transport_of_the_wrong_kind_is_refused(self):
        for kind, transport in (
            (SandboxGateway, httpx.AsyncBaseTransport()),
            (AsyncSandboxGateway, httpx.BaseTransport()),
            (SandboxGateway, lambda request: ready(request)),
        ):
            with self.subTest(kind), self.assertRaisesRegex(ValueError, "transport must be an httpx"):
                of(kind, transport=transport)

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
            {"on_retry": Network.handle_async_request},
            {"max_connections": 0},
            {"headers": {"Authorization": "Bearer x"}},
            {"headers": {"X-Key": API_KEY}},
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

    def test_headers_of_a_client_are_sent_with_each_call_which_may_replace_them(self):
        for kind in BOTH:
            network = Network()
            client = of(kind, transport=network, headers={"X-Team": "blue", "X-Stage": "test"})
            ping(client)
            ping(client, headers={"x-team": "green"})
            sent = [(each.headers["X-Team"], each.headers["X-Stage"]) for each in network.requests]
            self.assertEqual(sent, [("blue", "test"), ("green", "test")])
