"""For tests of a program that uses this library: answers of the gateway, deliveries, and what was charged."""

from __future__ import annotations

import base64
import json
import secrets
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Mapping

import httpx

from ._problems import PROBLEMS, ErrorCode
from ._types import Limit
from .management import SandboxManagement
from .webhooks import secret_bytes, signature_of

__all__ = ["Charges", "SignedWebhook", "answer", "charges", "problem", "sign_webhook"]


_RATE = Limit(60, 59, datetime.max)
_QUOTA = Limit(10_000, 9_999, datetime.max)
"""Each begins again an hour from now."""


def answer(
    *,
    request_id: str | None = None,
    replayed: bool = False,
    rate_limit: Limit | None = _RATE,
    quota: Limit | None = _QUOTA,
    data: Mapping[str, object] | None = None,
) -> httpx.Response:
    """The gateway's answer to a ping; without limits where they are None. `data` has other members of the body."""
    request_id = str(uuid.uuid4()) if request_id is None else request_id
    body = {"ok": True, "mode": "sandbox", "message": "Sandbox gateway is ready.", **(data or {})}
    headers = {**_of_each(request_id), **_limit("X-RateLimit", rate_limit), **_limit("X-Service-Quota", quota)}
    if quota is not None:
        headers["X-Service-Quota-Metric"] = "request_units"
    if replayed:
        headers["X-Service-Idempotency-Replayed"] = "true"
    return httpx.Response(200, headers=headers, json={**body, "requestId": request_id})


def problem(code: ErrorCode, *, retry_after: int | None = None) -> httpx.Response:
    """The gateway's refusal with this code; `retry_after` in seconds."""
    if code not in PROBLEMS:
        raise ValueError(f"The gateway has no such code; it has {', '.join(PROBLEMS)}.")
    status, own_headers, body = PROBLEMS[code]
    request_id = str(uuid.uuid4())
    headers = {**_of_each(request_id), **own_headers}
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    return httpx.Response(status, headers=headers, text=_json({**json.loads(body), "requestId": request_id}))


def _of_each(request_id: str) -> dict[str, str]:
    return {"X-Service-Request-Id": request_id, "Cache-Control": "no-store"}


def _limit(prefix: str, limit: Limit | None) -> dict[str, str]:
    if limit is None:
        return {}
    resets_at = datetime.now() + timedelta(hours=1) if limit.resets_at is datetime.max else limit.resets_at
    values = {"Limit": limit.limit, "Remaining": limit.remaining, "Reset": int(resets_at.timestamp())}
    return {f"{prefix}-{part}": str(value) for part, value in values.items()}


def _json(value: Mapping[str, object]) -> str:
    """As the gateway and the portal write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class SignedWebhook:
    """A delivery as the portal sends it."""

    body: str
    """What is signed."""
    headers: dict[str, str]
    """Those of Standard Webhooks, and the content type."""


def sign_webhook(notice: Mapping[str, object], secret: str, *, now: datetime | None = None) -> SignedWebhook:
    """A delivery of this notice, whose `timestamp` may be left out. `now` is the time that it is signed with."""
    now = datetime.now(timezone.utc) if now is None else now
    at = now.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    body = _json({"type": None, "timestamp": at, **notice})
    notice_id, seconds = f"ntc_{secrets.token_hex(8)}", str(int(now.timestamp()))
    signature = signature_of(secret_bytes(secret), notice_id, seconds, body.encode())
    headers = {
        "content-type": "application/json",
        "webhook-id": notice_id,
        "webhook-timestamp": seconds,
        "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
    }
    return SignedWebhook(body, headers)


@dataclass(frozen=True)
class Charges:
    """Requests of one name."""

    charged: int
    """That were executed, and cost units."""
    replayed: int
    """That got the stored answer of another one, and cost nothing."""
    refused: int
    """That were refused, or failed, and cost nothing."""


def charges(management: SandboxManagement, project_id: str, client_request_id: str) -> Charges:
    """What the ledger has of the requests of this name, such as those of one test."""
    found = list(management.requests.list(project_id, client_request_id=client_request_id))
    charged = sum(each.units > 0 for each in found)
    replayed = sum(each.units == 0 and each.event == "idempotency_replay" for each in found)
    return Charges(charged, replayed, len(found) - charged - replayed)
