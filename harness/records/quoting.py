"""How text of other people is written so that it can do no harm: as a TOML string, or as a line on a terminal.

Details of faults hold what a bot sent or printed: quotes, newlines, escape sequences, marks that turn the direction
of writing. All of these are written as escapes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")
"""Characters that do not show or that move the cursor, by number and not by Unicode category: a category may change
with the version of Python, and a record must not."""

_IN_STRING = re.compile(_HIDDEN.pattern[:-1] + '"\\\\]')

_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"  # half a surrogate pair is no text and has no place in UTF-8: the replacement character
    return _SHORT.get(character) or f"\\u{ord(character):04x}"


def quote(text: str) -> str:
    r"""A TOML basic string on one line. `quote('say "x"')` is `"say \"x\""`.

    Every character that does not show is escaped, so the same text gives the same bytes everywhere. Half a surrogate
    pair, which UTF-8 cannot hold, becomes U+FFFD.
    """
    return f'"{_IN_STRING.sub(_escape, text)}"'


def quote_all(texts: Sequence[str]) -> str:
    """A TOML array of such strings. `quote_all(["0 As", "1 Td"])` is `["0 As", "1 Td"]`."""
    if _IN_STRING.search("".join(texts)) or not texts:
        return f"[{', '.join(map(quote, texts))}]"
    inside = '", "'.join(texts)  # nothing is to be escaped, as in all that we write ourselves
    return f'["{inside}"]'


def shown(text: str) -> str:
    """Text of other people as one harmless line for a terminal."""
    return _HIDDEN.sub(_escape, text)
