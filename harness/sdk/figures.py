"""Adds the figures of a decision to its note, as the first line (protocol.md, Figures)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

MOST_FIGURES = 12
LONGEST_NOTE = 1024

_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
_MOST = 10**15


def noted(figures: Mapping[str, float], note: str) -> str:
    """Return a note with these figures as its first line, cut to the allowed length.

    Raises ValueError if there are more than 12, or a name or number has a form that cannot be sent.
    """
    if not figures:
        return note
    if len(figures) > MOST_FIGURES:
        raise ValueError(f"decision.figures has {len(figures)} names; at most {MOST_FIGURES} are allowed")
    line = "figures: " + " ".join(f"{_name(name)}={_number(name, value)}" for name, value in figures.items())
    whole = f"{line}\n{note}" if note else line
    return whole.encode("utf-8", "replace")[:LONGEST_NOTE].decode("utf-8", "ignore")


def _name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"decision.figures: {name!r} must be lower-case letters, digits and '_', at most 32")
    return name


def _number(name: str, value: float) -> str:
    if not math.isfinite(value) or abs(value) >= _MOST:
        raise ValueError(f"decision.figures[{name!r}] must be a number below 10^15 (got {value!r})")
    text = f"{value:.9f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(int(value))
    return "0" if text == "-0" else text
