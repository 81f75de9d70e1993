"""Parses JSON that a stranger may have written. Every error raises ValueError, which callers expect."""

from __future__ import annotations

import json
from typing import Any


def load_json(data: bytes | str) -> Any:
    """Return the value of a JSON text.

    Raises ValueError for anything that is not JSON, not UTF-8 or too deeply nested, and for a number with too many
    digits.
    """
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("lists or objects are nested too deeply") from None
