"""Writes a `GameRecord`: as its canonical text (notation.md, Record of a game), or as values for JSON.

`toml_lines` and `with_digest` write the other canonical texts, too: of a run, of stories and notes, of a tournament.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from bowerbird.harness.records.quoting import quote, toml_text, utf8
from bowerbird.harness.records.values.game_record import FORMAT, GameRecord, TimeControl

INTEGRITY = "[integrity]\n"

CLOCK = ("per_decision_ms", "bank_ms", "increment_ms")
"""The times of a clock that every record has."""


def canonical(record: GameRecord) -> str:
    """Return the record as TOML, closed by the digest of all bytes before it. Equal records have equal text.

    Options are sorted by name. The unfinished hand of a forfeited game has no `scores`.
    """
    return with_digest(_document(record))


class OnLines(tuple[str, ...]):
    """An array that is written with one string per line."""


class Table(dict[str, object]):
    """A mapping that is written as a table. Any other mapping is on one line."""


def with_digest(document: Mapping[str, object]) -> str:
    """Return values as canonical TOML, closed by the digest of all bytes before it.

    See `toml_lines` for the values.
    """
    body = _body(document)
    return f'{body}{INTEGRITY}sha256 = "{digest(body)}"\n'


def _body(document: Mapping[str, object]) -> str:
    return "\n".join(toml_lines(document)) + "\n\n"


def digest(body: str) -> str:
    """Return the SHA-256, in hex, of the canonical text before its table `[integrity]`."""
    return hashlib.sha256(utf8(body)).hexdigest()


def differing_line(text: str, other: str) -> int:
    """Return the number, from 1, of the first line in which two texts differ.

    If one text is the beginning of the other, return the line after the shorter one.
    """
    lines, others = text.split("\n"), other.split("\n")
    pairs = enumerate(zip(lines, others, strict=False), 1)
    return next((number for number, (one, two) in pairs if one != two), min(len(lines), len(others)) + 1)


def toml_lines(document: Mapping[str, object]) -> Iterator[str]:
    """Yield the lines of values in TOML. A list contains tables; any other sequence is an array. None is left out."""
    for key, value in document.items():
        if isinstance(value, list):
            for table in value:
                yield from ("", f"[[{key}]]", *toml_lines(table))
        elif isinstance(value, Table):
            yield from ("", f"[{key}]", *toml_lines(value))
        elif isinstance(value, OnLines):
            yield from (f"{key} = [", *(f"    {quote(one)}," for one in value), "]")
        elif value is not None:
            yield f"{key} = {toml_text(value)}"


def as_json(record: GameRecord) -> dict[str, object]:
    """Return the record as values for `json.dumps`, with the names and order of its canonical text.

    `sha256` is the digest of the canonical text, not of the JSON.
    """
    document = _document(record)
    return {**document, "integrity": {"sha256": digest(_body(document))}}


def _document(record: GameRecord) -> dict[str, object]:
    return {
        "format": FORMAT,
        "id": record.id,
        "engine": record.engine,
        "rules": record.rules,
        "variant": record.variant,
        "options": dict(sorted(record.options.items())),
        "first_dealer": record.first_dealer,
        "commitment": record.commitment,
        "conditions": _table(record.conditions, optional="measures"),
        "seat": [_table(seat, optional="time") for seat in record.seats],
        "hand": [_table(hand, optional="scores") for hand in record.hands],
        "fault": [_table(fault) for fault in record.faults],
        "result": _table(record.result),
    }


def _table(value: Any, optional: str = "") -> Table:
    """Return the fields of a dataclass instance. Leave out the `optional` one if it is empty."""
    table = Table((field.name, getattr(value, field.name)) for field in fields(value))
    if isinstance(time := table.get("time"), TimeControl):
        table["time"] = _clock(time)
    if optional and not table[optional]:
        del table[optional]
    return table


def _clock(time: TimeControl) -> dict[str, int]:
    return {name: getattr(time, name) for name in (*CLOCK, *(["game_ms"] if time.game_ms else []))}
