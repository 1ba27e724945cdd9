"""What a delivery is signed with, by Standard Webhooks 1.0.0."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

_MIN_SECRET_BYTES = 24
"""Secrets of Standard Webhooks have 24 bytes at least; those of the portal have 32."""


def decoded(text: str) -> bytes:
    """Empty where it is no Base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def secret_bytes(secret: object) -> bytes:
    found = decoded(secret.strip().removeprefix("whsec_")) if isinstance(secret, str) else b""
    if len(found) < _MIN_SECRET_BYTES:
        raise ValueError("The secret of the webhook is missing or is none: the portal shows it once, as whsec_…")
    return found


def signature_of(key: bytes, notice_id: str, timestamp: str, body: bytes) -> bytes:
    signed = f"{notice_id}.{timestamp}.".encode("utf-8", "surrogateescape") + body
    return hmac.new(key, signed, hashlib.sha256).digest()
