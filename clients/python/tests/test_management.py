import json
import os
import unittest
from datetime import datetime, timedelta, timezone
from unittest import mock

import httpx

from sandbox_gateway import BadRequestError, ConflictError, SandboxGatewayError
from sandbox_gateway.management import FirstRequest, Key, KeyCreated, RefusedInMinute, SandboxManagement

from .support import Network, WithoutWaits, raises, refusal

TOKEN = f"svc_mgmt_{'t' * 42}"
PROJECT = "L3F3EM36hg2T"
KEY = {
    **{"keyId": "key_1", "name": "Zürich\u202e", "mode": "test", "scopes": ["sandbox:invoke"], "status": "active"},
    **{"paused": False, "rpm": 60, "unitsLimit": None, "lastFour": "D23V", "createdAt": "2026-11-03T08:00:00.000Z"},
    **{"expiresAt": None, "replacedBy": None, "lastUsed": None},
}
REQUEST = {
    **{"requestId": "r", "projectId": PROJECT, "keyId": "key_1", "event": "request_rejected", "operation": "sandbox.ping"},
    **{"status": 429, "code": "LATER_CODE", "units": 0, "period": "2026-11", "latencyMs": 3, "inputTokens": None},
    **{"outputTokens": None, "totalTokens": None, "clientRequestId": None, "occurredAt": "2026-11-03T08:00:00.000Z"},
    **{"originalRequestId": None, "detail": None, "userAgent": None, "sourceAddress": None},
}
CREATED = {"keyId": "key_1", "key": f"svc_test_{'k' * 42}"}


def told(body, status=200):
    return lambda request: httpx.Response(status, json=body)


def of(*answers, **options):
    network = Network(*answers)
    base_url = "https://portal.example/manage/v1/"
    return SandboxManagement(**{"token": TOKEN, "base_url": base_url, "transport": network, **options}), network.requests


def sent(request):
    given = dict(request.url.params) or json.loads(request.content or "{}")
    return request.method, request.url.path.removeprefix("/manage/v1"), given


class Management(WithoutWaits):
    def test_a_creation_has_one_idempotency_key_and_its_secret_is_not_shown(self):
        management, requests = of(raises(httpx.ReadError("lost")), refusal(503, "SERVICE_UNAVAILABLE"), told(CREATED, 201))
        made = management.keys.create(PROJECT, name="CI", expires_in_days=1, units_limit=None)
        self.assertEqual(made, KeyCreated("key_1", CREATED["key"]))
        self.assertNotIn("kkk", repr(made) + str(made))
        body = {"name": "CI", "expiresInDays": 1, "unitsLimit": None}
        self.assertEqual([sent(each) for each in requests], [("POST", f"/projects/{PROJECT}/keys", body)] * 3)
        self.assertEqual(len({each.headers["Idempotency-Key"] for each in requests}), 1)
        self.assertEqual({each.headers["Authorization"] for each in requests}, {f"Bearer {TOKEN}"})

    def test_lists_go_on_over_their_pages_as_they_are_read(self):
        pages = [{"keys": [KEY], "cursor": "c+1"}, {"keys": [], "cursor": "c2"}, {"keys": [KEY], "cursor": None}]
        management, requests = of(*map(told, pages))
        keys = management.keys.list(PROJECT, state="active", limit=1)
        self.assertEqual(len(requests), 0)
        self.assertEqual([each.name for each in keys], ["Zürich\u202e"] * 2)
        asked = {"state": "active", "limit": "1"}
        queries = [sent(each)[2] for each in requests]
        self.assertEqual(queries, [asked, {**asked, "cursor": "c+1"}, {**asked, "cursor": "c2"}])

    def test_each_method_asks_for_its_route(self):
        at = datetime(2026, 11, 3, tzinfo=timezone(timedelta(hours=1)))
        usage = {"since": "2026-11-01T00:00:00Z", "until": "2026-11-02T00:00:00Z", "by": "day", "complete": False, "remaining": 3}
        figures = {"requests": 1, "units": 1, "outcomes": {"later": 1}, "p50LatencyMs": 3, "p95LatencyMs": None}
        usage["total"] = {**figures, "chargedOnly": False}
        key, project = f"/projects/{PROJECT}/keys/key_1", f"/projects/{PROJECT}"
        told_at, since = "2026-11-03T00:00:00+01:00", {"by": "key", "since": "2026-11-03T00:00:00+01:00"}
        none = {"projects": [], "requests": [], "cursor": None}
        for call, body, expected in (
            (lambda m: list(m.projects.list()), none, ("GET", "/projects", {})),
            (lambda m: m.keys.get(PROJECT, "key_1"), KEY, ("GET", key, {})),
            (lambda m: m.keys.update(PROJECT, "key_1", expires_at=at), KEY, ("PATCH", key, {"expiresAt": told_at})),
            (lambda m: m.keys.rotate(PROJECT, "key_1", grace_hours=0), CREATED, ("POST", f"{key}/rotate", {"graceHours": 0})),
            (lambda m: m.keys.revoke(PROJECT, "key_1", timeout=5), KEY, ("POST", f"{key}/revoke", {})),
            (lambda m: m.usage.get(PROJECT, by="key", since=at), usage, ("GET", f"{project}/usage", since)),
            (lambda m: list(m.requests.list(PROJECT, code="A B")), none, ("GET", f"{project}/requests", {"code": "A B"})),
            (lambda m: m.requests.get("r"), REQUEST, ("GET", "/requests/r", {})),
        ):
            management, requests = of(told(body))
            call(management)
            self.assertEqual(sent(requests[0]), expected)

    def test_what_a_later_version_adds_breaks_nothing_nor_what_an_earlier_one_lacks(self):
        later = {**{name: KEY[name] for name in KEY if name != "replacedBy"}, "status": "dormant", "budget": {"of": 1}, "unitsUsed": "many"}
        management, _ = of(told(later))
        key = management.keys.get(PROJECT, "key_1")
        self.assertEqual((key.status, key.units_used, key.created_at), ("dormant", None, datetime(2026, 11, 3, 8, tzinfo=timezone.utc)))
        self.assertIsNone(key.replaced_by)
        management, requests = of(told({**KEY, "keyId": 7}), told({**KEY, "keyId": None}))
        for _ in range(2):
            with self.assertRaises(SandboxGatewayError):
                management.keys.get(PROJECT, "key_1", max_retries=0)
        for cause, expected in (
            ({"requestId": "r", "at": "2026-11-03T08:00:00.000Z"}, FirstRequest),
            ({"count": 1, "minute": "2026-11-03T08:00:00.000Z", "atLeast": True}, RefusedInMinute),
            ({"weather": "rain"}, type(None)),
        ):
            management, _ = of(told({**REQUEST, "cause": cause}))
            details = management.requests.get("r")
            self.assertIs(type(details.cause), expected)
            self.assertEqual((details.code, details.latency_ms, details.idempotency_tag), ("LATER_CODE", 3, None))

    def test_an_answer_of_another_server_is_told_as_such_and_a_refusal_has_status_and_code(self):
        page = lambda request: httpx.Response(200, text="<html>")
        management, requests = of(page, page, page, told({"ok": True, "cursor": None}), refusal(404, "NOT_FOUND"), refusal(409, "KEY_NOT_ACTIVE"))
        for path in ("the portal’s, with /manage/v1?", "?"):
            with self.assertRaises(SandboxGatewayError) as raised:
                management.keys.get(PROJECT, "key_1", max_retries=2 if path != "?" else 0)
            self.assertEqual((raised.exception.status, raised.exception.code), (200, "UNEXPECTED_ANSWER"))
            self.assertIn(path, raised.exception.detail)
        for kind, status, code in ((BadRequestError, 404, "NOT_FOUND"), (ConflictError, 409, "KEY_NOT_ACTIVE")):
            with self.assertRaises(kind) as raised:
                management.keys.rotate(PROJECT, "key_1")
            told_of = (raised.exception.status, raised.exception.code, raised.exception.detail)
            self.assertEqual(told_of, (status, code, "No."))
        self.assertEqual(len(requests), 6)

    def test_token_and_address_come_from_the_environment_and_what_cannot_work_is_refused(self):
        variables = {"SANDBOX_MANAGEMENT_TOKEN": f"{TOKEN}\n", "SANDBOX_MANAGEMENT_BASE_URL": "http://localhost:5173/manage/v1"}
        with mock.patch.dict(os.environ, variables, clear=True):
            self.assertEqual(SandboxManagement(transport=Network()).base_url, "http://localhost:5173/manage/v1")
        with mock.patch.dict(os.environ, clear=True):
            self.assertRaisesRegex(ValueError, "SANDBOX_MANAGEMENT_TOKEN", SandboxManagement)
            self.assertRaisesRegex(ValueError, "SANDBOX_MANAGEMENT_BASE_URL", SandboxManagement, token=TOKEN)
        for base_url in ("https://portal.example", "http://portal.example/manage/v1"):
            with self.assertRaises(ValueError) as raised:
                of(base_url=base_url)
            self.assertNotIn("ttt", str(raised.exception))
        management, requests = of()
        for call in (
            lambda: management.keys.get("../../token", "key_1"),
            lambda: management.keys.revoke(PROJECT, "key_1/rotate"),
            lambda: management.requests.get(""),
            lambda: management.requests.list("a?b"),
            lambda: management.keys.create(PROJECT, headers={"X-Token": TOKEN}),
        ):
            self.assertRaises(ValueError, call)
        self.assertEqual(requests, [])
