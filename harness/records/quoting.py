"""Escapes untrusted text: as a TOML string, or as one harmless line for a terminal.

Details of faults hold text that a bot sent or printed: quotes, newlines, escape sequences, marks that turn the writing
direction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")
"""Characters that are invisible or move the cursor. Listed by number, since Unicode categories change with the version
of Python and records must not."""

_IN_STRING = re.compile(_HIDDEN.pattern[:-1] + '"\\\\]')

_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"  # UTF-8 cannot hold half a surrogate pair
    return _SHORT.get(character) or f"\\u{ord(character):04x}"


def quote(text: str) -> str:
    r"""Return a TOML basic string on one line. `quote('say "x"')` is `"say \"x\""`.

    Invisible characters are escaped. Half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD.
    """
    return f'"{_IN_STRING.sub(_escape, text)}"'


def quote_all(texts: Sequence[str]) -> str:
    """Return a TOML array of basic strings. `quote_all(["0 As", "1 Td"])` is `["0 As", "1 Td"]`."""
    if _IN_STRING.search("".join(texts)) or not texts:
        return f"[{', '.join(map(quote, texts))}]"
    inside = '", "'.join(texts)  # nothing to escape: the usual case
    return f'["{inside}"]'


def shown(text: str, limit: int | None = None) -> str:
    """Return foreign text as one harmless line for a terminal, of at most `limit` characters; None for all of it.

    A text that is cut ends with "…".
    """
    if limit is None:
        return _HIDDEN.sub(_escape, text)
    line = _HIDDEN.sub(_escape, text[: limit + 1])
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
