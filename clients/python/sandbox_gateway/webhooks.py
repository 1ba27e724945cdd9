"""Checks that a delivery is the portal's, by Standard Webhooks 1.0.0."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from datetime import datetime
from typing import Any, Iterable, Protocol, Sequence, cast

from ._notices import Notice

__all__ = ["Notice", "WebhookVerificationError", "verify_webhook"]

_MIN_SECRET_BYTES = 24
"""Secrets of Standard Webhooks have 24 bytes at least; those of the portal have 32."""


class WebhookVerificationError(Exception):
    """A delivery that is not the portal's, or is too old. Nothing of what came is in it."""


class Headers(Protocol):
    """Of any framework, and a dict."""

    def items(self) -> Iterable[tuple[str, str]]: ...


def verify_webhook(
    body: str | bytes | bytearray | memoryview,
    headers: Headers,
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: datetime | None = None,
) -> Notice:
    """
    Gives the body of a delivery of the portal. Raises a WebhookVerificationError for a delivery that is not to be
    believed: answer 401; a ValueError for a secret that is none, and for a body or headers that are not as they came.

    body: as it came: parsed and written again it would be another.
    secret: the secret that the portal showed once, `whsec_…`; or several, of which one must be right.
    tolerance_seconds: how far the time of a delivery may be from now. Who overheard one cannot send it again later.
    now: with a time zone. Default: the present time.
    """
    secrets = [secret_bytes(each) for each in ([secret] if isinstance(secret, str) else secret or ())]
    if not secrets:
        raise ValueError("There is no secret.")
    payload = _bytes_of(body)
    notice_id, timestamp, signature = (_header_of(headers, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not notice_id or not timestamp or not signature:
        raise WebhookVerificationError("It has not the headers of a webhook.")
    now_seconds = time.time() if now is None else now.timestamp()
    age_seconds = now_seconds - int(timestamp) if re.fullmatch("[0-9]{1,12}", timestamp) else float("inf")
    # In this order, so that what is not a number is refused too.
    if not abs(age_seconds) <= tolerance_seconds:
        raise WebhookVerificationError("Its time is too far from now.")
    given = [_decoded(each[3:]) for each in signature.split(" ") if each.startswith("v1,")]
    right = [signature_of(each, notice_id, timestamp, payload) for each in secrets]
    if not any(hmac.compare_digest(one, other) for one in right for other in given):
        raise WebhookVerificationError("It is not signed with this secret.")
    return _notice_of(payload)


def _bytes_of(body: Any) -> bytes:
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(cast(bytes, body))
    raise ValueError("body is parsed, or missing: hand in the raw one, as text or as bytes (FastAPI: request.body()).")


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def secret_bytes(secret: object) -> bytes:
    found = _decoded(secret.strip().removeprefix("whsec_")) if isinstance(secret, str) else b""
    if len(found) < _MIN_SECRET_BYTES:
        raise ValueError("The secret of the webhook is missing or is none: the portal shows it once, as whsec_…")
    return found


def signature_of(key: bytes, notice_id: str, timestamp: str, body: bytes) -> bytes:
    signed = f"{notice_id}.{timestamp}.".encode("utf-8", "surrogateescape") + body
    return hmac.new(key, signed, hashlib.sha256).digest()


def _header_of(headers: Headers, name: str) -> str | None:
    """The one value of a header; None: there is none, or more than one."""
    untyped: Any = headers
    pairs: Any = list(untyped.items()) if hasattr(headers, "items") else [(None, None)]
    if not all(isinstance(each, str) and (each.lower() != name or isinstance(value, str)) for each, value in pairs):
        raise ValueError("headers must be names and values as text, such as request.headers; ASGI’s scope has bytes.")
    values = [value for each, value in pairs if each.lower() == name]
    return values[0] if len(values) == 1 else None


def _notice_of(body: bytes) -> Notice:
    try:
        notice: Any = json.loads(body.decode())
    except (ValueError, RecursionError):
        notice = None
    reason = None if isinstance(notice, dict) else "is no JSON object"
    members = cast("dict[str, Any]", notice) if reason is None else {}
    for name, kind, told in (("type", str, "text"), ("timestamp", str, "text"), ("data", dict, "object")):
        if reason is None and not isinstance(members.get(name), kind):
            reason = f"has no {told} as {name}"
    if reason is not None:
        raise WebhookVerificationError(f"It is signed, and yet not a notice: it {reason}.")
    return cast(Notice, members)
