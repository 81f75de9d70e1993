"""The strict reader of records: text to `GameRecord`, and nothing that `canonical` would not have written.

It knows one form only, line by line, so that it can say for each refusal which line and why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NoReturn

from engine import RecordError
from engine.wording import did_you_mean
from harness.records.canonical import INTEGRITY, canonical, digest
from harness.records.quoting import shown
from harness.records.record import (
    FAULT_KINDS,
    FORMAT,
    Conditions,
    FaultRecord,
    GameRecord,
    HandRecord,
    OptionValue,
    ResultRecord,
    SeatRecord,
    TimeControl,
)


class ReadError(RecordError):
    """A text that is not the record of a game: `line` counts from 1, `reason` says why, `game` is its id if known."""

    def __init__(self, line: int, reason: str, game: str = "") -> None:
        """Build the one sentence for people from its parts."""
        self.line = line
        self.reason = reason
        self.game = game
        named = f"record of game {shown(game)}" if game else "record"
        super().__init__(f"{named}, line {line}: {reason}")


def read(text: str | bytes) -> GameRecord:
    """Read one record. `read(canonical(record)) == record`.

    Raises ReadError for anything else than the canonical text of a record: bytes that are no UTF-8, a format, table or
    key that is not known, a value of the wrong type, another order or spacing, a digest that does not hold.
    """
    return _Reader(_decoded(text)).record()


def _decoded(text: str | bytes) -> str:
    if isinstance(text, str):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            line = text.count("\n", 0, error.start) + 1
            raise ReadError(line, "a character that UTF-8 does not have", _game(text)) from None
        return text
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        reason = f"byte {error.start} (0x{text[error.start]:02x}) is not UTF-8: the text is damaged"
        raise ReadError(line, reason, _game(text.decode(errors="replace"))) from None


def _game(text: str) -> str:
    found = re.search(r'^id = "([^"\\\n]*)"$', text, re.MULTILINE)
    return found.group(1) if found else ""


_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_WHOLES = re.compile(rf"\[({_WHOLE.pattern}(, {_WHOLE.pattern})*)?\]")
_STRING = re.compile(r'''"(?:[^"\\\x00-\x1f]|\\["\\bfnrt]|\\u[0-9a-f]{4})*"''')
_STRINGS = re.compile(rf"\[({_STRING.pattern}(, {_STRING.pattern})*)?\]")
_PAIR = re.compile(rf"([a-z0-9_-]+) = (true|false|{_WHOLE.pattern}|{_STRING.pattern})(?:, (?=[a-z0-9_-])|$)")


def _string(text: str) -> str:
    if not _STRING.fullmatch(text):
        raise ValueError("a string in double quotes")
    value: str = json.loads(text)  # what the pattern lets through is a JSON string, too
    return value


def _one_of(*allowed: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        value = _string(text)
        if value not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return value

    return parse


def _strings(text: str) -> tuple[str, ...]:
    if not _STRINGS.fullmatch(text):
        raise ValueError("a list of strings")
    return tuple(json.loads(text))


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValueError("a whole number")
    return int(text)


def _count(text: str) -> int:
    value = _whole(text)
    if value < 0:
        raise ValueError("a whole number, 0 or more")
    return value


def _wholes(text: str) -> tuple[int, ...]:
    if not _WHOLES.fullmatch(text):
        raise ValueError("a list of whole numbers")
    return tuple(json.loads(text))


def _counts(text: str) -> tuple[int, ...]:
    values = _wholes(text)
    if any(value < 0 for value in values):
        raise ValueError("a list of whole numbers, 0 or more")
    return values


def _indices(text: str) -> tuple[int, ...]:
    values = _counts(text)
    if any(one >= other for one, other in pairwise(values)):
        raise ValueError("a list of indices, each once, ascending")
    return values


def _table(text: str) -> dict[str, OptionValue]:
    if text == "{}":
        return {}
    wanted = "an inline table { key = value, … } of whole numbers, true, false and strings"
    if not (text.startswith("{ ") and text.endswith(" }")):
        raise ValueError(wanted)
    inside = text[2:-2]
    table: dict[str, OptionValue] = {}
    at = 0
    while at < len(inside):
        pair = _PAIR.match(inside, at)
        if not pair:
            raise ValueError(wanted)
        key, value = pair.group(1), pair.group(2)
        if key in table:
            raise ValueError(f"{wanted}, each key once")
        table[key] = json.loads(value)
        at = pair.end()
    return table


def _clock(text: str) -> TimeControl:
    table = _table(text)
    keys = ("per_decision_ms", "bank_ms", "increment_ms")
    if tuple(table) != keys or any(type(value) is not int or value < 0 for value in table.values()):
        raise ValueError(f"an inline table of {', '.join(keys)} in whole milliseconds")
    return TimeControl(*(value for value in table.values() if isinstance(value, int)))


Fields = Mapping[str, Callable[[str], Any]]
"""The keys of a table in their order, each with what reads its value (ValueError says what would be right)."""

_HEAD: Fields = {
    "format": _one_of(FORMAT),
    "id": _string,
    "engine": _string,
    "rules": _string,
    "variant": _string,
    "options": _table,
    "first_dealer": _count,
    "commitment": _string,
}
_CONDITIONS: Fields = {
    "on_fault": _one_of("forfeit", "substitute"),
    "isolation": _one_of("sandbox", "limits", "none"),
    "instances": _one_of("seat", "shared", "remote"),
    "time": _clock,
}
_SEAT: Fields = {"bot": _string, "version": _string, "fingerprint": _string}
_HAND: Fields = {
    "dealer": _count,
    "packs": _strings,
    "actions": _strings,
    "ms": _counts,
    "forced": _indices,
    "substituted": _indices,
    "scores": _wholes,
}
_FAULT: Fields = {
    "hand": _count,
    "action": _count,
    "seat": _count,
    "kind": _one_of(*FAULT_KINDS),
    "limit_ms": _count,
    "elapsed_ms": _count,
    "detail": _string,
}
_RESULT: Fields = {"ended": _string, "winners": _counts, "ranks": _counts, "games": _counts}
_INTEGRITY: Fields = {"sha256": _string}


class _Reader:
    """Reads the lines of one record from the first to the last."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.game = _game(text)
        self.lines = text.split("\n")
        self.at = 0

    def record(self) -> GameRecord:
        """The whole text as a record, or a ReadError."""
        head = self._fields(_HEAD)
        conditions = self._block("[conditions]", _CONDITIONS)
        seats = self._blocks("[[seat]]", _SEAT)
        hands = []
        while self._next_is("[[hand]]"):
            hands.append(self._hand())
        faults = self._blocks("[[fault]]", _FAULT)
        result = self._block("[result]", _RESULT)
        integrity = self._block(INTEGRITY.strip(), _INTEGRITY)
        self._end()
        record = GameRecord(
            id=head["id"],
            engine=head["engine"],
            rules=head["rules"],
            variant=head["variant"],
            options=head["options"],
            first_dealer=head["first_dealer"],
            commitment=head["commitment"],
            conditions=Conditions(**conditions),
            seats=tuple(SeatRecord(**seat) for seat in seats),
            hands=tuple(hands),
            faults=tuple(FaultRecord(**fault) for fault in faults),
            result=ResultRecord(**result),
        )
        self._check_whole(record, integrity["sha256"])
        return record

    def _hand(self) -> HandRecord:
        first = self.at + 3
        hand = self._block("[[hand]]", _HAND, last_optional=True)
        actions = len(hand["actions"])
        if len(hand["ms"]) != actions:
            self._fail(f"{len(hand['ms'])} times in 'ms' for {actions} actions; each action has one", first + 3)
        for offset, key in ((4, "forced"), (5, "substituted")):
            if hand[key] and hand[key][-1] >= actions:
                self._fail(f"'{key}' names action {hand[key][-1]} of {actions}, counted from 0", first + offset)
        return HandRecord(**{"scores": (), **hand})

    def _fields(self, fields: Fields, last_optional: bool = False) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for index, (key, parse) in enumerate(fields.items()):
            line = self._line()
            if not line.startswith(f"{key} = "):
                if last_optional and index == len(fields) - 1 and not line:
                    break
                self._fail(self._unexpected(line, key, fields))
            try:
                values[key] = parse(line[len(key) + 3 :])
            except ValueError as error:
                self._fail(f"'{key}' must be {error}")
            self.at += 1
        return values

    def _block(self, header: str, fields: Fields, last_optional: bool = False) -> dict[str, Any]:
        if self._line():
            self._fail(self._unexpected(self._line(), "an empty line", fields))
        self.at += 1
        if self._line() != header:
            self._fail(f"{shown(self._line())!r} stands where the table {header} must be")
        self.at += 1
        return self._fields(fields, last_optional)

    def _blocks(self, header: str, fields: Fields) -> list[dict[str, Any]]:
        blocks = []
        while self._next_is(header):
            blocks.append(self._block(header, fields))
        return blocks

    def _next_is(self, header: str) -> bool:
        return self.lines[self.at : self.at + 2] == ["", header]

    def _line(self) -> str:
        if self.at >= len(self.lines):
            self._fail("the text ends too early", len(self.lines))
        return self.lines[self.at]

    def _end(self) -> None:
        if self.lines[self.at :] != [""]:
            self._fail("a record ends with the line of its digest and one line feed")

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

    def _check_whole(self, record: GameRecord, stated: str) -> None:
        body = self.text[: self.text.rindex(INTEGRITY)]
        if digest(body) != stated:
            reason = "the digest does not match: the record was changed after it was written"
            raise ReadError(len(self.lines) - 1, reason, self.game)
        wanted = canonical(record)
        if wanted != self.text:
            for number, (line, right) in enumerate(zip(self.lines, wanted.split("\n"), strict=False), 1):
                if line != right:
                    self._fail(f"not the canonical form, which is {shown(right)}", number)
            self._fail("not the canonical form", len(self.lines))

    def _fail(self, reason: str, line: int | None = None) -> NoReturn:
        body, found, stated = self.text.rpartition(INTEGRITY)
        damaged = found and stated.split("\n")[0] != f'sha256 = "{digest(body)}"'
        note = "; its digest does not match either: it was changed after it was written" if damaged else ""
        raise ReadError(self.at + 1 if line is None else line, reason + note, self.game)
