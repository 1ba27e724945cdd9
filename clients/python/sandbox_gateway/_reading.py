"""Makes dataclasses of the members of an answer."""

from __future__ import annotations

import dataclasses
import re
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, Mapping, cast, get_args, get_origin, get_type_hints


def camel_case(name: str) -> str:
    return re.sub("_([a-z0-9])", lambda match: match[1].upper(), name)


class Answer:
    """Of an API whose older versions may lack members: it is known by its first two."""


@lru_cache(maxsize=None)
def _members(kind: type) -> Mapping[str, tuple[str, Any, bool]]:
    """Of a dataclass: how each is called in JSON, its type, and whether it may be absent."""
    may_lack = issubclass(kind, Answer)
    return {
        name: (camel_case(name), hint, type(None) in get_args(hint) or (may_lack and number >= 2))
        for number, (name, hint) in enumerate(get_type_hints(kind).items())
    }


def read(kind: Any, value: Any) -> Any:
    """
    A value of this type, of one of JSON. Raises a ValueError or a TypeError where that cannot be. What a later version
    adds breaks nothing, nor what an earlier one lacks: members that are not known are left out, words that are not
    known stay, and a member that may be absent is None where it is absent or cannot be read.
    """
    if dataclasses.is_dataclass(kind):
        return _dataclass(cast(type, kind), value)
    origin, options = get_origin(kind), get_args(kind)
    if origin is list and isinstance(value, list):
        return [read(options[0], each) for each in cast("list[Any]", value)]
    if origin is dict and isinstance(value, dict):
        return {name: read(options[1], each) for name, each in cast("dict[str, Any]", value).items()}
    if origin is Literal and type(value) is type(options[0]) and (type(value) is str or value in options):
        return value
    for each in options if origin not in (list, dict, Literal) else ():
        with suppress(TypeError, ValueError):
            return read(each, value)
    if kind is datetime and isinstance(value, str):
        # Python 3.10 does not read a Z.
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise ValueError


def _dataclass(kind: type, value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError
    given: dict[str, Any] = {}
    for name, (told_as, hint, may_be_absent) in _members(kind).items():
        try:
            given[name] = read(hint, value[told_as])
        except (LookupError, TypeError, ValueError):
            if not may_be_absent:
                raise ValueError from None
            given[name] = None
    return kind(**given)
