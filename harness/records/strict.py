"""Strict reading of canonical TOML, line by line: one form only, and for each refusal which line and why.

What may stand there is told as `Fields`; who reads a kind of text makes a `StrictReader` of it.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NoReturn

from engine import RecordError
from engine.wording import did_you_mean
from harness.records.canonical import INTEGRITY, differing_line, digest
from harness.records.quoting import shown

WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_WHOLES = re.compile(rf"\[({WHOLE.pattern}(, {WHOLE.pattern})*)?\]")
STRING = re.compile(r'''"(?:[^"\\\x00-\x1f]|\\["\\bfnrt]|\\u[0-9a-f]{4})*"''')
_STRINGS = re.compile(rf"\[({STRING.pattern}(, {STRING.pattern})*)?\]")


def string(text: str) -> str:
    """A TOML basic string on one line."""
    if not STRING.fullmatch(text):
        raise ValueError("a string in double quotes")
    value: str = json.loads(text)  # what the pattern lets through is a JSON string, too
    return value


def one_of(*allowed: str) -> Callable[[str], str]:
    """What reads a string that is one of these."""

    def parse(text: str) -> str:
        value = string(text)
        if value not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return value

    return parse


def strings(text: str) -> tuple[str, ...]:
    """A list of strings."""
    if not _STRINGS.fullmatch(text):
        raise ValueError("a list of strings")
    return tuple(json.loads(text))


def whole(text: str) -> int:
    """A whole number."""
    if not WHOLE.fullmatch(text):
        raise ValueError("a whole number")
    return int(text)


def count(text: str) -> int:
    """A whole number that is not negative."""
    value = whole(text)
    if value < 0:
        raise ValueError("a whole number, 0 or more")
    return value


def wholes(text: str) -> tuple[int, ...]:
    """A list of whole numbers."""
    if not _WHOLES.fullmatch(text):
        raise ValueError("a list of whole numbers")
    return tuple(json.loads(text))


def counts(text: str) -> tuple[int, ...]:
    """A list of whole numbers that are not negative."""
    values = wholes(text)
    if any(value < 0 for value in values):
        raise ValueError("a list of whole numbers, 0 or more")
    return values


def indices(text: str) -> tuple[int, ...]:
    """A list of indices, each once, ascending."""
    values = counts(text)
    if any(one >= other for one, other in pairwise(values)):
        raise ValueError("a list of indices, each once, ascending")
    return values


Fields = Mapping[str, Callable[[str], Any]]
"""The keys of a table in their order, each with what reads its value (ValueError says what would be right)."""

_INTEGRITY: Fields = {"sha256": string}


class StrictReader(ABC):
    """Reads the lines of one text from the first to the last, each table as its `Fields` say.

    `what` names the text for people: "record". Whatever is not as it must be raises what `refusal` makes of it.
    """

    def __init__(self, text: str, what: str) -> None:
        """Begin at the first line."""
        self.text = text
        self.what = what
        self.lines = text.split("\n")
        self.at = 0

    @abstractmethod
    def refusal(self, line: int, reason: str) -> RecordError:
        """The error that says why the text is refused; `line` counts from 1."""

    def fields(self, fields: Fields, last_optional: bool = False) -> dict[str, Any]:
        """The values of these keys, one line each; the last one may be wanting if it is `last_optional`."""
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
        """A table: an empty line, its `header`, its values."""
        if self._line():
            self.fail(self._unexpected(self._line(), "an empty line", fields))
        self.at += 1
        if self._line() != header:
            self.fail(f"{shown(self._line())!r} stands where the table {header} must be")
        self.at += 1
        return self.fields(fields, last_optional)

    def blocks(self, header: str, fields: Fields) -> list[dict[str, Any]]:
        """All tables of this header that follow."""
        blocks = []
        while self.next_is(header):
            blocks.append(self.block(header, fields))
        return blocks

    def next_is(self, header: str) -> bool:
        """Whether a table of this header follows."""
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
            return f"{shown(line)!r} stands where {wanted!r} must be"
        if key in fields:
            return f"key {key!r} stands where {wanted!r} must be"
        meant = did_you_mean(key, fields) or f"; {wanted!r} must be here"
        return f"unknown key {shown(key)!r}{meant}"

    def end(self) -> str:
        """The last table, after which nothing may follow: the digest that the text says it has."""
        stated = self.block(INTEGRITY.strip(), _INTEGRITY)["sha256"]
        if self.lines[self.at :] != [""]:
            self.fail(f"a {self.what} ends with the line of its digest and one line feed")
        return str(stated)

    def check_whole(self, wanted: str, stated: str) -> None:
        """Compare the text with its canonical form and with the digest that it states."""
        body = self.text[: self.text.rindex(INTEGRITY)]
        if digest(body) != stated:
            reason = f"the digest does not match: the {self.what} was changed after it was written"
            raise self.refusal(len(self.lines) - 1, reason)
        if wanted != self.text:
            number = differing_line(self.text, wanted)
            right = "".join(wanted.split("\n")[number - 1 : number])
            self.fail(f"not the canonical form, which is {shown(right)}", number)

    def fail(self, reason: str, line: int | None = None) -> NoReturn:
        """Refuse the text at this line, by default the one that is being read."""
        body, found, stated = self.text.rpartition(INTEGRITY)
        damaged = found and stated.split("\n")[0] != f'sha256 = "{digest(body)}"'
        note = "; its digest does not match either: it was changed after it was written" if damaged else ""
        raise self.refusal(self.at + 1 if line is None else line, reason + note)
