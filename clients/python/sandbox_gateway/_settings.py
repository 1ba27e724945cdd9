"""Checks of what the caller gives. No message repeats a value: it may be a secret."""

from __future__ import annotations

import inspect
import logging
import os
import re
from dataclasses import dataclass, replace
from typing import Any, Mapping, NamedTuple, cast
from urllib.parse import urlsplit

from ._cleaning import Secret
from ._options import OnRetry

_LOOPBACK = re.compile(r"localhost|127(\.[0-9]+){3}|::1")
"""Where a secret in clear text stays on this machine."""
_LAST = 2**31 - 1

log = logging.getLogger("sandbox_gateway")


class Api(NamedTuple):
    """What differs between the two APIs."""

    secret: str
    """The option that has the secret."""
    called: str
    variable: str
    """Of the environment, whose names begin so."""
    path: str
    """Of the base URL, as a pattern."""
    path_rule: str
    has_each_path: bool
    """A NOT_FOUND is of another server, such as the portal."""
    hint: str
    is_cleaned: bool
    """Not where a name is data, which may have any characters, and a new key is in an answer."""


GATEWAY = Api(
    secret="api_key",
    called="API key",
    variable="SANDBOX_GATEWAY_",
    path="(?!.*/api/v1(/|$)).*",
    path_rule="base_url must end before /api/v1: the library adds the path itself.",
    has_each_path=True,
    hint="the gateway’s address, and not the portal’s",
    is_cleaned=True,
)
MANAGEMENT = Api(
    secret="token",
    called="management token",
    variable="SANDBOX_MANAGEMENT_",
    path=".*/manage/v1",
    path_rule="base_url must end with /manage/v1, as https://portal.example/manage/v1.",
    has_each_path=False,
    hint="the portal’s, with /manage/v1",
    is_cleaned=False,
)


@dataclass(frozen=True)
class Settings:
    """Options that were checked, and what the environment told when the client was made."""

    api: Api
    secret: Secret
    base_url: str
    timeout_seconds: float
    max_retries: int
    headers: Mapping[str, str]
    max_connections: int
    on_retry: OnRetry | None


def settings_of(
    api: Api,
    secret: Secret,
    base_url: str | None = None,
    timeout: float | None = None,
    max_retries: int | None = None,
    headers: Mapping[str, str] | None = None,
    max_connections: int | None = None,
    on_retry: OnRetry | None = None,
) -> Settings:
    if on_retry is not None and (not callable(on_retry) or inspect.iscoroutinefunction(on_retry)):
        raise ValueError("on_retry must be a function, and no asynchronous one.")
    if os.environ.get("SANDBOX_GATEWAY_LOG") == "debug":
        logging.basicConfig()
        log.setLevel(logging.DEBUG)
    return Settings(
        api=api,
        secret=secret,
        base_url=_checked_base_url(api, os.environ.get(f"{api.variable}BASE_URL") if base_url is None else base_url),
        timeout_seconds=_checked_timeout(10.0 if timeout is None else timeout),
        max_retries=_checked_count(2 if max_retries is None else max_retries, "max_retries", 0),
        headers=_checked_headers({} if headers is None else headers, secret),
        max_connections=_checked_count(50 if max_connections is None else max_connections, "max_connections", 1),
        on_retry=on_retry,
    )


def for_one_call(
    settings: Settings,
    timeout: float | None = None,
    max_retries: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> Settings:
    """With the options of a call, whose headers replace those of the client."""
    own = _checked_headers({} if headers is None else headers, settings.secret)
    replaced = {name.lower() for name in own}
    return replace(
        settings,
        timeout_seconds=settings.timeout_seconds if timeout is None else _checked_timeout(timeout),
        max_retries=settings.max_retries if max_retries is None else _checked_count(max_retries, "max_retries", 0),
        headers={**{name: value for name, value in settings.headers.items() if name.lower() not in replaced}, **own},
    )


def checked_secret(api: Api, given: object) -> Secret:
    """White space around it is taken away: files of secrets end with a new line."""
    variable = f"{api.variable}{api.secret.upper()}"
    given = os.environ.get(variable) if given is None else given
    secret = given.strip() if isinstance(given, str) else ""
    if not secret:
        raise ValueError(f"The {api.called} is missing: set {variable} in the environment, or give {api.secret}.")
    if not re.fullmatch("[!-~]+", secret):
        raise ValueError(f"{api.secret} has a character that no {api.called} has.")
    return Secret(secret, f"[{api.called}]")


def _checked_base_url(api: Api, base_url: str | None) -> str:
    """The address without a slash at its end."""
    if not base_url:
        raise ValueError(f"The address is missing: set {api.variable}BASE_URL in the environment, or give base_url.")
    try:
        url = urlsplit(base_url)
        is_address = bool(url.hostname and url.port != 0 and re.fullmatch("[!-~]+", base_url))
    except ValueError:
        url, is_address = urlsplit(""), False
    if not is_address:
        raise ValueError("base_url is not an address: it begins with https://")
    is_private = url.scheme == "https" or (url.scheme == "http" and _LOOPBACK.fullmatch(url.hostname or ""))
    if not is_private or "@" in url.netloc:
        raise ValueError(f"base_url must begin with https://, so that nobody on the way reads the {api.called}.")
    path = url.path.rstrip("/")
    if url.query or url.fragment or not re.fullmatch(api.path, path):
        raise ValueError(api.path_rule)
    return f"{url.scheme}://{url.netloc}{path}"


def _checked_timeout(timeout: object) -> float:
    if isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and 0 < timeout <= _LAST / 1_000:
        return timeout
    raise ValueError(f"timeout must be a number of seconds, more than 0 and at most {_LAST // 1_000}.")


def _checked_count(value: object, name: str, least: int) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= _LAST:
        return value
    raise ValueError(f"{name} must be a whole number from {least} to {_LAST}.")


def checked_transport(transport: object, method: str, kind: str) -> None:
    if transport is not None and not callable(getattr(transport, method, None)):
        raise ValueError(f"transport must be an {kind}.")


_OURS = re.compile(
    "authorization|content-.*|idempotency-key|user-agent|accept-encoding|host|connection|keep-alive|te|trailer"
    "|transfer-encoding|upgrade|expect|proxy-.*",
    re.IGNORECASE,
)
"""Headers that this library sets, and those of the connection."""
_FIELD_VALUE = re.compile("(?! )[ -~]*(?<! )")
"""As a header has it (RFC 9110, section 5.5): spaces within, none around."""


def _checked_headers(headers: object, secret: Secret) -> Mapping[str, str]:
    """Of a caller: none of ours, and nothing that a connection would read as another one."""
    if not isinstance(headers, Mapping):
        raise ValueError("headers must be a dict.")
    checked: dict[str, str] = {}
    for name, value in cast("Mapping[Any, Any]", headers).items():
        if isinstance(name, str) and _OURS.fullmatch(name):
            raise ValueError(f"headers has no {name}: the library sets it.")
        is_text = isinstance(name, str) and isinstance(value, str)
        is_sent = is_text and re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) and _FIELD_VALUE.fullmatch(value)
        if not is_sent or secret.clean(name + value) != name + value:
            raise ValueError(
                "headers must be names and values in printable ASCII characters, without a secret, or a space at an end."
            )
        checked[name] = value
    return checked


def checked_idempotency_key(key: object, secret: Secret) -> str:
    """It is on results and errors."""
    if isinstance(key, str) and re.fullmatch("[!-~]{1,255}", key) and secret.clean(key) == key:
        return key
    raise ValueError("idempotency_key must be 1 to 255 visible ASCII characters, and no secret.")


def checked_id(value: object, name: str) -> str:
    """It becomes a part of a path, and nothing more."""
    if isinstance(value, str) and re.fullmatch(r"[\w-]{1,64}", value, re.ASCII):
        return value
    raise ValueError(f"{name} must be an id, as an answer or the portal has it.")
