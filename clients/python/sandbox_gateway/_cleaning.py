"""Makes what a server sent fit to be shown."""

from __future__ import annotations

import re
import unicodedata
from typing import NoReturn

import httpx

_OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Control and format characters, halves of characters, and separators of lines."""
_LIKE_A_KEY = re.compile(
    r"(?:svc_(?:test|live|mgmt)_|[a-z]{2,12}_(?:test|live)_(?=[0-9a-z]{20}))[0-9a-z]+", re.IGNORECASE | re.ASCII
)
"""What looks like a credential of a gateway: its team chooses how keys begin. A short text may be a name."""


class Secret:
    """An API key or a management token, which neither prints nor is pickled."""

    __slots__ = ("_secret", "_shown")

    def __init__(self, secret: str, shown: str) -> None:
        self._secret, self._shown = secret, shown

    def __repr__(self) -> str:
        return self._shown

    def __reduce__(self) -> NoReturn:
        raise TypeError("A client with its secret is not pickled.")

    def authorization(self) -> str:
        return f"Bearer {self._secret}"

    def clean(self, text: str) -> str:
        """Takes out this secret, and all that looks like one; what a terminal or a log would obey becomes an escape."""
        text = _LIKE_A_KEY.sub(self._shown, text.replace(self._secret, self._shown))
        return text if text.isprintable() else "".join(map(_visible, text))

    def clean_headers(self, headers: httpx.Headers) -> httpx.Headers:
        """Those whose names may be shown."""
        shown = [(name, self.clean(value)) for name, value in headers.multi_items() if self.clean(name) == name]
        return httpx.Headers(shown, encoding="utf-8")


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _OBEYED:
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"
