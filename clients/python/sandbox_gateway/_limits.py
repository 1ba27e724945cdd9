from __future__ import annotations

import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

import httpx

from ._types import Limit

_LAST_EPOCH_SECOND = 253_402_300_799
"""The last second of the year 9999."""
_HTTP_DATE = re.compile(r"[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT", re.ASCII)


def limit_of(headers: httpx.Headers, prefix: str) -> Limit | None:
    """The limit of the three headers that begin so; None where they are absent or cannot be read."""
    values = [headers.get(f"{prefix}-{part}", "") for part in ("Limit", "Remaining", "Reset")]
    if not all(re.fullmatch("[0-9]{1,15}", value) for value in values):
        return None
    limit, remaining, reset = map(int, values)
    if reset > _LAST_EPOCH_SECOND:
        return None
    return Limit(limit, remaining, datetime.fromtimestamp(reset, timezone.utc))


def retry_after_seconds_of(headers: httpx.Headers) -> float:
    """What `Retry-After` asks to wait, in seconds or until a date; 0 where it is absent or cannot be read."""
    value = headers.get("Retry-After", "")
    if re.fullmatch("[0-9]+", value):
        return float(value)
    if not _HTTP_DATE.fullmatch(value):
        return 0
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(timezone.utc)).total_seconds())
    except ValueError:
        return 0
