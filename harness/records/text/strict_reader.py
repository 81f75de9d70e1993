"""Strict reading of canonical TOML, line by line. Only one form is accepted; a refusal states the line and the reason.

`Fields` declare the keys of a table. Each kind of text has a subclass of `StrictReader`.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NoReturn

from bowerbird.engine import RecordError, did_you_mean
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.text.canonical import INTEGRITY, differing_line, digest

WHOLE = re.compile(r"-?(?:0|[1-9][0-9]{0,17}+)")
STRING = re.compile(r'''"(?:[^"\\\x00-\x1f]++|\\["\\bfnrt]|\\u[0-9a-f]{4})*+"''')
# Possessive quantifiers (*+): other quantifiers remember every repetition, about 200 bytes for each list element.
_WHOLES = re.compile(rf"\[(?:{WHOLE.pattern}(?:, {WHOLE.pattern})*+)?+\]")
_STRINGS = re.compile(rf"\[(?:{STRING.pattern}(?:, {STRING.pattern})*+)?+\]")

LONGEST_QUOTE = 120
"""The most characters of a wrong line that a message shows."""


def string(text: str) -> str:
    """Parse a TOML basic string on one line."""
    if not STRING.fullmatch(text):
        raise ValueError("a string in double quotes")
    if "\\" not in text:
        return text[1:-1]
    value: str = json.loads(text)  # every match of the pattern is a JSON string, too
    return value


def one_of(*allowed: str) -> Callable[[str], str]:
    """Return a string parser that accepts only the `allowed` values."""

    def parse(text: str) -> str:
        value = string(text)
        if value not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return value

    return parse


def strings(text: str) -> tuple[str, ...]:
    """Parse a list of strings."""
    if not _STRINGS.fullmatch(text):
        raise ValueError("a list of strings")
    if "\\" not in text:  # without escapes, each quote ends a string
        return tuple(text[2:-2].split('", "')) if len(text) > 2 else ()
    return tuple(json.loads(text))


def whole(text: str) -> int:
    """Parse a whole number."""
    if not WHOLE.fullmatch(text):
        raise ValueError("a whole number")
    return int(text)


def count(text: str) -> int:
    """Parse a whole number that is not negative."""
    value = whole(text)
    if value < 0:
        raise ValueError("a whole number, 0 or more")
    return value


def wholes(text: str) -> tuple[int, ...]:
    """Parse a list of whole numbers."""
    if not _WHOLES.fullmatch(text):
        raise ValueError("a list of whole numbers")
    return tuple(map(int, text[1:-1].split(", "))) if len(text) > 2 else ()


def counts(text: str) -> tuple[int, ...]:
    """Parse a list of whole numbers that are not negative."""
    values = wholes(text)
    if "-" in text and min(values) < 0:  # -0 is a way to write 0
        raise ValueError("a list of whole numbers, 0 or more")
    return values


def indices(text: str) -> tuple[int, ...]:
    """Parse a list of ascending indices without repetition."""
    values = counts(text)
    if any(one >= other for one, other in pairwise(values)):
        raise ValueError("a list of indices, each once, ascending")
    return values


def _quoted(line: str) -> str:
    """Return the beginning of a wrong line in quotes, for a sentence."""
    return repr(shown(line, LONGEST_QUOTE))


Fields = Mapping[str, Callable[[str], Any]]
"""The keys of a table in order, each with the parser of its value.

A parser raises ValueError with the expected form.
"""

_INTEGRITY: Fields = {"sha256": string}


class StrictReader(ABC):
    """A reader of one text that goes through its lines once. Each table must match its `Fields`.

    `what` names the text for users: "record". Every mismatch raises the error that `refusal` returns.
    """

    def __init__(self, text: str, what: str) -> None:
        """Start at the first line."""
        self.text = text
        self.what = what
        self.lines = text.split("\n")
        self.at = 0

    @abstractmethod
    def refusal(self, line: int, reason: str) -> RecordError:
        """Return the error that refuses the text. `line` counts from 1."""

    def fields(self, fields: Fields, last_optional: bool = False) -> dict[str, Any]:
        """Read the values of these keys, one line each. With `last_optional` the last key may be missing."""
        values: dict[str, Any] = {}
        for index, (key, parse) in enumerate(fields.items()):
            line = self._line()
            if not line.startswith(f"{key} = "):
                if last_optional and index == len(fields) - 1 and not line:
                    break
                self.fail(self._unexpected(line, key, fields))
            try:
                values[key] = parse(line[len(key) + 3 :])
            except ValueError as error:
                self.fail(f"'{key}' must be {error}")
            self.at += 1
        return values

    def block(self, header: str, fields: Fields, last_optional: bool = False) -> dict[str, Any]:
        """Read a table: an empty line, its `header`, its values."""
        if self._line():
            self.fail(self._unexpected(self._line(), "an empty line", fields))
        self.at += 1
        if self._line() != header:
            self.fail(f"{_quoted(self._line())} is where the table {header} must be")
        self.at += 1
        return self.fields(fields, last_optional)

    def blocks(self, header: str, fields: Fields, last_optional: bool = False) -> list[dict[str, Any]]:
        """Read all tables with this header that follow."""
        blocks = []
        while self.next_is(header):
            blocks.append(self.block(header, fields, last_optional))
        return blocks

    def next_is(self, header: str) -> bool:
        """Return True if a table with this header follows."""
        return self.lines[self.at : self.at + 2] == ["", header]

    def _line(self) -> str:
        if self.at >= len(self.lines):
            self.fail("the text ends too early", len(self.lines))
        return self.lines[self.at]

    def _unexpected(self, line: str, wanted: str, fields: Fields) -> str:
        key = line.partition("=")[0].strip()
        if not line:
            return f"the table ends without {wanted!r}"
        if "=" not in line:
            return f"{_quoted(line)} is where {wanted!r} must be"
        if key in fields:
            return f"key {key!r} is where {wanted!r} must be"
        meant = did_you_mean(key[:LONGEST_QUOTE], fields) or f"; {wanted!r} must be here"
        return f"unknown key {_quoted(key)}{meant}"

    def end(self) -> str:
        """Read the last table, which must end the text. Return its digest."""
        stated = self.block(INTEGRITY.strip(), _INTEGRITY)["sha256"]
        if self.lines[self.at :] != [""]:
            self.fail(f"a {self.what} ends with the line of its digest and one line feed")
        return str(stated)

    def check_whole(self, wanted: str, stated: str) -> None:
        """Refuse the text unless it equals `wanted`, its canonical form, and has the `stated` digest."""
        body = self.text[: self.text.rindex(INTEGRITY)]
        if digest(body) != stated:
            reason = f"the digest does not match: the {self.what} was changed after it was written"
            raise self.refusal(len(self.lines) - 1, reason)
        if wanted != self.text:
            number = differing_line(self.text, wanted)
            right = "".join(wanted.split("\n")[number - 1 : number])
            self.fail(f"not the canonical form, which is {shown(right, LONGEST_QUOTE)}", number)

    def fail(self, reason: str, line: int | None = None) -> NoReturn:
        """Refuse the text at `line`, by default the current one."""
        body, found, stated = self.text.rpartition(INTEGRITY)
        damaged = found and stated.split("\n")[0] != f'sha256 = "{digest(body)}"'
        note = "; its digest does not match either: it was changed after it was written" if damaged else ""
        raise self.refusal(self.at + 1 if line is None else line, reason + note)
