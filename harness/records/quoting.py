"""The only place that makes untrusted text harmless, as a TOML string, a line for a terminal, a stored value, or bytes.

Details of faults contain text that a bot sent or printed: quotes, newlines, escape sequences, marks that change the
writing direction. File names, arguments and environment variables need not be UTF-8. Python represents such a byte as
half a surrogate pair, which files, databases and terminals do not accept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")
"""Characters that are invisible or move the cursor, by number: Unicode categories vary with Python; records must not.
"""

_IN_STRING = re.compile(_HIDDEN.pattern[:-1] + '"\\\\]')

_HALF_PAIRS = re.compile("[\ud800-\udfff]")

LONGEST_WORD = 200
"""The longest word in a message, in characters: longer than any path."""

LONGEST_SENTENCE = 1000
MOST_LINES = 50

_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")

_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if "\ud800" <= character <= "\udfff":
        return "\ufffd"  # UTF-8 cannot encode half a surrogate pair
    return _SHORT.get(character) or f"\\u{ord(character):04x}"


def quote(text: str) -> str:
    r"""Return a TOML basic string on one line. `quote('say "x"')` is `"say \"x\""`.

    Invisible characters are escaped. Half a surrogate pair, which UTF-8 cannot encode, becomes U+FFFD.
    """
    return f'"{_IN_STRING.sub(_escape, text)}"'


def bounded_sentence(text: str) -> str:
    """Return a message with words and lines short enough to read, whatever it quotes.

    A hostile file can contain a key of a million characters, which every message about it would repeat. Long words and
    long lines are cut in the middle, because both ends of a sentence matter. Indented lines stay whole, so that they
    can be copied.
    """
    if len(text) <= LONGEST_WORD:
        return text
    lines = text.split("\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        lines[-1] = "…"
    return "\n".join(line if line.startswith(" ") else _bounded_line(line) for line in lines)


def _bounded_line(line: str) -> str:
    line = _LONG_WORD.sub(lambda word: _cut(word[0], LONGEST_WORD), line)
    return _cut(line, LONGEST_SENTENCE)


def _cut(text: str, limit: int) -> str:
    half = limit // 2
    return text if len(text) <= limit else f"{text[:half]}…{text[len(text) - half + 1 :]}"


def storable(text: str) -> str:
    """Return untrusted text in a form that UTF-8 can encode: half a surrogate pair becomes U+FFFD.

    Use it for a database or a file. Apply it to a string both before storing it and before comparing it later.
    """
    return text if text.isascii() else _HALF_PAIRS.sub("\ufffd", text)


def utf8(text: str) -> bytes:
    """Return the bytes of untrusted text, to hash or compare. Different strings have different bytes.

    Half a surrogate pair, which stands for a byte that is not UTF-8, becomes three bytes that no UTF-8 text contains.
    """
    return text.encode("utf-8", "surrogatepass")


def quote_all(texts: Sequence[str]) -> str:
    """Return a TOML array of basic strings. `quote_all(["0 As", "1 Td"])` is `["0 As", "1 Td"]`."""
    if _IN_STRING.search("".join(texts)) or not texts:
        return f"[{', '.join(map(quote, texts))}]"
    inside = '", "'.join(texts)  # nothing to escape: the usual case
    return f'["{inside}"]'


def toml_text(value: object) -> str:
    """Return a string, number, boolean, sequence or mapping as TOML, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, (tuple, list)):
        kinds = {*map(type, value)}
        if kinds == {str}:  # as in the long arrays of records
            return quote_all(value)
        return f"[{', '.join(map(str if kinds == {int} else toml_text, value))}]"
    if isinstance(value, Mapping):
        return "{}" if not value else f"{{ {', '.join(f'{key} = {toml_text(one)}' for key, one in value.items())} }}"
    return str(value)


def shown(text: str, limit: int | None = None) -> str:
    """Return untrusted text as one harmless line for a terminal, cut to `limit` characters (None for no limit).

    A cut string ends with "…".
    """
    if limit is None:
        return _HIDDEN.sub(_escape, text)
    line = _HIDDEN.sub(_escape, text[: limit + 1])
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
