"""Makes what a server sent fit to be shown."""

from __future__ import annotations

import re
import unicodedata
from typing import NoReturn

import httpx

_OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Control and format characters, halves of characters, and separators of lines."""
_LIKE_A_KEY = re.compile(r"svc_(test|live)_[0-9a-z]+", re.IGNORECASE | re.ASCII)


class ApiKey:
    """A key that neither prints nor is pickled."""

    __slots__ = ("_key",)

    def __init__(self, key: str) -> None:
        self._key = key

    def __repr__(self) -> str:
        return "[API key]"

    def __reduce__(self) -> NoReturn:
        raise TypeError("An API key is not pickled.")

    def authorization(self) -> str:
        return f"Bearer {self._key}"

    def clean(self, text: str) -> str:
        """Takes out this key, and all that looks like one; what a terminal or a log would obey becomes an escape."""
        text = _LIKE_A_KEY.sub("[API key]", text.replace(self._key, "[API key]"))
        return text if text.isprintable() else "".join(map(_visible, text))

    def clean_headers(self, headers: httpx.Headers) -> httpx.Headers:
        cleaned = [
            (name if self.clean(name) == name else "x-removed", self.clean(value))
            for name, value in headers.multi_items()
        ]
        return httpx.Headers(cleaned, encoding="utf-8")


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _OBEYED:
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\u{{{code:x}}}"
