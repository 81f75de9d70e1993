"""Parses TOML that a stranger may have written, using limited time and memory."""

from __future__ import annotations

import re
import tomllib
from itertools import islice
from typing import Any

from bowerbird.harness.records.quoting import shown

MAX_CHARACTERS = 1 << 20
"""The most characters: far more than a tournament of a thousand bots needs."""

MAX_DOTS = 100
"""The most dots in one line. The parser's time for a dotted key grows with the square of its parts."""

MAX_ALL_DOTS = MAX_TABLES = 20_000
"""The most dots in the whole text, and lines that may be the header of a table.

The parser keeps about 1 KiB for each part of a dotted key and for each header.
"""

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_LONG_NUMBER = re.compile(r"0[xob][0-9a-fA-F_]{300}")
"""The longest number. Python could not print a much longer one in decimal, although it could read it."""


def load_toml(text: str, longest: int = MAX_CHARACTERS) -> dict[str, Any]:
    """Return the table of a TOML text. Raises ValueError, with the reason, for an invalid or extravagant text.

    longest: the most characters to read. The reason is part of a sentence: "not valid TOML: Expected '=' after a key
        (at line 1, column 5)".
    """
    if len(text) > longest:
        raise ValueError(f"longer than {longest:,} characters")
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MAX_DOTS:
            raise ValueError(f"line {number} has more than {MAX_DOTS} dots")
    if text.count(".") > MAX_ALL_DOTS:
        raise ValueError(f"more than {MAX_ALL_DOTS:,} dots")
    if sum(1 for _ in islice(_HEADER.finditer(text), MAX_TABLES + 1)) > MAX_TABLES:
        raise ValueError(f"more than {MAX_TABLES:,} tables")
    if _LONG_NUMBER.search(text):
        raise ValueError("a number has too many digits")
    text = text.removeprefix("\ufeff")  # the byte order mark that some editors put at the beginning
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {_again(text, str(error)) or error}") from None
    except ValueError:  # Python's own limit for the conversion of digits
        raise ValueError("a number has too many digits") from None
    except RecursionError:
        raise ValueError("lists or tables are nested too deeply") from None


def _again(text: str, error: str) -> str:
    """Return the message for a duplicate key, which the parser does not name; "" for any other error."""
    found = re.fullmatch(r"Cannot overwrite a value \(at line (\d+), column \d+\)", error)
    if found is None:
        return ""
    key = text.split("\n")[int(found[1]) - 1].partition("=")[0].strip()
    return f"line {found[1]} defines {shown(key, 60)!r} a second time"
