"""The strict reader of records: turns text into a `GameRecord`, and refuses text that `canonical` would not write."""

from __future__ import annotations

import json
import re

from bowerbird.engine import RecordError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.text.strict_reader import (
    STRING,
    WHOLE,
    Fields,
    StrictReader,
    count,
    counts,
    indices,
    one_of,
    string,
    strings,
    wholes,
)
from bowerbird.harness.records.values.faults import FAULT_KINDS, POLICIES
from bowerbird.harness.records.values.game_record import (
    FORMAT,
    INSTANCES,
    ISOLATION_TIERS,
    MEASURES,
    MOST_CHARGED_MS,
    MOST_CLOCK_MS,
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
    """The error for text that is not a record. `line` counts from 1; `game` is the id of the game, "" if unknown."""

    def __init__(self, line: int, reason: str, game: str = "") -> None:
        """Build the message from its parts."""
        self.line = line
        self.reason = reason
        self.game = game
        named = f"record of game {shown(game)}" if game else "record"
        super().__init__(f"{named}, line {line}: {reason}")


def read(text: str | bytes) -> GameRecord:
    """Read one record. `read(canonical(record)) == record`.

    Raises ReadError for anything but the canonical text of a record: bytes that are not UTF-8, an unknown format, table
    or key, a value of the wrong type, another order or spacing, a wrong digest.
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


_PAIR = re.compile(rf"([a-z0-9_-]+) = (true|false|{WHOLE.pattern}|{STRING.pattern})(?:, (?=[a-z0-9_-])|$)")


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
    keys = ("per_decision_ms", "bank_ms", "increment_ms", "game_ms")
    times = {key: value for key, value in table.items() if type(value) is int and value >= 0}
    if tuple(times) not in (keys, keys[:-1]) or times != table or times.get("game_ms") == 0:
        raise ValueError(
            f"an inline table of {', '.join(keys[:-1])} and, if it is not 0, game_ms in whole milliseconds"
        )
    if max(times.values()) > MOST_CLOCK_MS:
        raise ValueError(f"an inline table of times of at most a day each, {MOST_CLOCK_MS} ms")
    return TimeControl(**times)


def _elapsed(text: str) -> int:
    value = count(text)
    if value > MOST_CHARGED_MS:
        raise ValueError(f"a whole number of milliseconds, 0 to {MOST_CHARGED_MS}")
    return value


def _measures(text: str) -> tuple[str, ...]:
    found = strings(text)
    if not found or found != tuple(measure for measure in MEASURES if measure in found):
        raise ValueError(f"some of {', '.join(MEASURES)}, each once and in this order")
    return found


_HEAD: Fields = {
    "format": one_of(FORMAT),
    "id": string,
    "engine": string,
    "rules": string,
    "variant": string,
    "options": _table,
    "first_dealer": count,
    "commitment": string,
}
_CONDITIONS: Fields = {
    "on_fault": one_of(*POLICIES),
    "isolation": one_of(*ISOLATION_TIERS),
    "instances": one_of(*INSTANCES),
    "time": _clock,
    "measures": _measures,
}
_SEAT: Fields = {"bot": string, "version": string, "fingerprint": string, "time": _clock}
_HAND: Fields = {
    "dealer": count,
    "packs": strings,
    "actions": strings,
    "ms": counts,
    "forced": indices,
    "substituted": indices,
    "scores": wholes,
}
_FAULT: Fields = {
    "hand": count,
    "action": count,
    "seat": count,
    "kind": one_of(*FAULT_KINDS),
    "limit_ms": _elapsed,
    "elapsed_ms": _elapsed,
    "detail": string,
}
_RESULT: Fields = {"ended": string, "winners": counts, "ranks": counts, "games": counts}


class _Reader(StrictReader):
    """The reader of one record."""

    def __init__(self, text: str) -> None:
        super().__init__(text, "record")
        self.game = _game(text)
        self.charged_ms = 0

    def refusal(self, line: int, reason: str) -> ReadError:
        return ReadError(line, reason, self.game)

    def record(self) -> GameRecord:
        """Read the whole text."""
        head = self.fields(_HEAD)
        conditions = self.block("[conditions]", _CONDITIONS, last_optional=True)
        seats = self.blocks("[[seat]]", _SEAT, last_optional=True)
        hands = []
        while self.next_is("[[hand]]"):
            hands.append(self._hand())
        faults = self.blocks("[[fault]]", _FAULT)
        result = self.block("[result]", _RESULT)
        stated = self.end()
        del head["format"]
        record = GameRecord(
            **head,
            conditions=Conditions(**conditions),
            seats=tuple(SeatRecord(**seat) for seat in seats),
            hands=tuple(hands),
            faults=tuple(FaultRecord(**fault) for fault in faults),
            result=ResultRecord(**result),
        )
        self.check_whole(canonical(record), stated)
        return record

    def _hand(self) -> HandRecord:
        first = self.at + 3
        hand = self.block("[[hand]]", _HAND, last_optional=True)
        actions = len(hand["actions"])
        if len(hand["ms"]) != actions:
            self.fail(f"{len(hand['ms'])} times in 'ms' for {actions} actions; must be one for each action", first + 3)
        self.charged_ms += sum(hand["ms"])
        if self.charged_ms > MOST_CHARGED_MS:
            self.fail(f"the times in 'ms' add up to more than a year, {MOST_CHARGED_MS} ms", first + 3)
        for offset, key in ((4, "forced"), (5, "substituted")):
            if hand[key] and hand[key][-1] >= actions:
                self.fail(f"'{key}' names action {hand[key][-1]} of {actions}, counted from 0", first + offset)
        return HandRecord(**{"scores": (), **hand})
