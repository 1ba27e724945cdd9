"""Checks of what the caller gives. No message repeats a value: it may be a key."""

from __future__ import annotations

import re
from typing import Optional
from urllib.parse import urlsplit

_LOOPBACK = re.compile(r"localhost|127(\.[0-9]+){3}|::1")
"""Where a key in clear text stays on this machine."""


class ApiKey:
    """A key that prints as nothing of it. White space around it is taken away: files of secrets end with a new line."""

    __slots__ = ("_key",)

    def __init__(self, key: Optional[str]) -> None:
        self._key = (key or "").strip()
        if not self._key:
            raise ValueError("api_key is missing: is the variable set in the environment?")
        if not re.fullmatch("[!-~]+", self._key):
            raise ValueError("api_key has a character that no API key has.")

    def __repr__(self) -> str:
        return "[API key]"

    def authorization(self) -> str:
        return f"Bearer {self._key}"

    def taken_out_of(self, text: str) -> str:
        return text.replace(self._key, "[API key]")


def checked_base_url(base_url: Optional[str]) -> str:
    """The address without a slash at its end."""
    try:
        url = urlsplit(base_url or "")
        is_address = bool(url.hostname and url.port != 0 and re.fullmatch("[!-~]+", base_url or ""))
    except ValueError:
        url, is_address = urlsplit(""), False
    if not is_address:
        raise ValueError("base_url is not an address: it begins with https://")
    is_private = url.scheme == "https" or (url.scheme == "http" and _LOOPBACK.fullmatch(url.hostname or ""))
    if not is_private or url.username is not None:
        raise ValueError("base_url must begin with https://, so that nobody on the way reads the API key.")
    return f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}"


def checked_idempotency_key(key: str) -> str:
    if not re.fullmatch("[!-~]{1,255}", key):
        raise ValueError("idempotency_key must be 1 to 255 visible ASCII characters.")
    return key
