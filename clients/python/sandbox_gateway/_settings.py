"""Checks of what the caller gives. No message repeats a value: it may be a key."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import Any, Callable, Mapping, cast
from urllib.parse import urlsplit

from ._cleaning import ApiKey
from ._errors import SandboxGatewayError

_LOOPBACK = re.compile(r"localhost|127(\.[0-9]+){3}|::1")
"""Where a key in clear text stays on this machine."""
_LAST = 2**31 - 1

OnRetry = Callable[[SandboxGatewayError, float], object]


@dataclass(frozen=True)
class Settings:
    """Options that were checked, and what the environment told when the client was made."""

    api_key: ApiKey
    base_url: str
    timeout_seconds: float
    max_retries: int
    on_retry: OnRetry | None


def settings_of(
    api_key: ApiKey, base_url: str | None, timeout: float | None, max_retries: int | None, on_retry: OnRetry | None
) -> Settings:
    if on_retry is not None and not callable(on_retry):
        raise ValueError("on_retry must be a function.")
    return Settings(
        api_key=api_key,
        base_url=_checked_base_url(os.environ.get("SANDBOX_GATEWAY_BASE_URL") if base_url is None else base_url),
        timeout_seconds=_checked_timeout(10.0 if timeout is None else timeout),
        max_retries=_checked_retries(2 if max_retries is None else max_retries),
        on_retry=on_retry,
    )


def for_one_call(settings: Settings, timeout: float | None, max_retries: int | None) -> Settings:
    return replace(
        settings,
        timeout_seconds=settings.timeout_seconds if timeout is None else _checked_timeout(timeout),
        max_retries=settings.max_retries if max_retries is None else _checked_retries(max_retries),
    )


def checked_key(given: object) -> ApiKey:
    """White space around it is taken away: files of secrets end with a new line."""
    given = os.environ.get("SANDBOX_GATEWAY_API_KEY") if given is None else given
    key = given.strip() if isinstance(given, str) else ""
    if not key:
        raise ValueError("The API key is missing: set SANDBOX_GATEWAY_API_KEY in the environment, or give api_key.")
    if not re.fullmatch("[!-~]+", key):
        raise ValueError("api_key has a character that no API key has.")
    return ApiKey(key)


def _checked_base_url(base_url: str | None) -> str:
    """The address without a slash at its end."""
    if not base_url:
        raise ValueError("The address is missing: set SANDBOX_GATEWAY_BASE_URL in the environment, or give base_url.")
    try:
        url = urlsplit(base_url)
        is_address = bool(url.hostname and url.port != 0 and re.fullmatch("[!-~]+", base_url))
    except ValueError:
        url, is_address = urlsplit(""), False
    if not is_address:
        raise ValueError("base_url is not an address: it begins with https://")
    is_private = url.scheme == "https" or (url.scheme == "http" and _LOOPBACK.fullmatch(url.hostname or ""))
    if not is_private or "@" in url.netloc:
        raise ValueError("base_url must begin with https://, so that nobody on the way reads the API key.")
    if url.query or url.fragment or re.search("/api/v1(/|$)", url.path):
        raise ValueError("base_url must end before /api/v1: the library adds the path itself.")
    return f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}"


def _checked_timeout(timeout: object) -> float:
    if isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and 0 < timeout <= _LAST / 1_000:
        return timeout
    raise ValueError(f"timeout must be a number of seconds, more than 0 and at most {_LAST // 1_000}.")


def _checked_retries(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LAST:
        return value
    raise ValueError(f"max_retries must be a whole number from 0 to {_LAST}.")


def checked_transport(transport: object, method: str, kind: str) -> None:
    if not callable(getattr(transport, method, None)):
        raise ValueError(f"transport must be an {kind}.")


_OURS = re.compile(
    "authorization|content-.*|idempotency-key|user-agent|accept-encoding|host|connection|keep-alive|te|trailer"
    "|transfer-encoding|upgrade|expect|proxy-.*",
    re.IGNORECASE,
)
"""Headers that this library sets, and those of the connection."""
_FIELD_VALUE = re.compile("(?! )[ -~]*(?<! )")
"""As a header has it (RFC 9110, section 5.5): spaces within, none around."""


def checked_headers(headers: object, api_key: ApiKey) -> Mapping[str, str]:
    """Headers of one call: none of ours, and nothing that a connection would read as another one."""
    if not isinstance(headers, Mapping):
        raise ValueError("headers must be a dict.")
    checked: dict[str, str] = {}
    for name, value in cast("Mapping[Any, Any]", headers).items():
        if isinstance(name, str) and _OURS.fullmatch(name):
            raise ValueError(f"headers has no {name}: the library sets it.")
        is_text = isinstance(name, str) and isinstance(value, str)
        is_sent = is_text and re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) and _FIELD_VALUE.fullmatch(value)
        if not is_sent or api_key.clean(name + value) != name + value:
            raise ValueError(
                "headers must be names and values in printable ASCII characters, without an API key, or a space at an end."
            )
        checked[name] = value
    return checked


def checked_idempotency_key(key: object, api_key: ApiKey) -> str:
    """It is on results and errors."""
    if isinstance(key, str) and re.fullmatch("[!-~]{1,255}", key) and api_key.clean(key) == key:
        return key
    raise ValueError("idempotency_key must be 1 to 255 visible ASCII characters, and no API key.")
