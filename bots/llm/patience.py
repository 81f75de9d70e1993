"""How long to wait before a question is repeated: as the endpoint asks, or a little longer each time."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_WAIT_S = 0.25
LONGEST_WAIT_S = 4.0
"""The waits before a repetition: the first one, doubled each time, up to the longest."""

_SECONDS = re.compile(r"[0-9]{1,12}(?:\.[0-9]{0,9})?")


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds that the header Retry-After asks to wait, None without one that can be read.

    It holds seconds or a date. A date is compared with the endpoint's own clock, if it sends its time, else with `now`.
    """
    asked = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(asked):
        return float(asked)
    until = _date(asked)
    if until is None:
        return None
    since = _date(headers.get("date", "")) or now or datetime.now(UTC)
    return max(math.ceil((until - since).total_seconds()), 0)


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
