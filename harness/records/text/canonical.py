"""Writes a `GameRecord`: as its canonical text (notation.md, Record of a game), or as values for JSON."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from bowerbird.harness.records.quoting import quote, quote_all, utf8
from bowerbird.harness.records.values.game_record import (
    FORMAT,
    Conditions,
    FaultRecord,
    GameRecord,
    HandRecord,
    OptionValue,
    SeatRecord,
    TimeControl,
)

INTEGRITY = "[integrity]\n"


def canonical(record: GameRecord) -> str:
    """Return the record as TOML, closed by the digest of all bytes before it. Equal records give equal text.

    Options are sorted by name. The unfinished hand of a forfeited game has no `scores`.
    """
    body = _body(record)
    return f'{body}{INTEGRITY}sha256 = "{digest(body)}"\n'


def _body(record: GameRecord) -> str:
    return "\n".join(_lines(record)) + "\n\n"


def digest(body: str) -> str:
    """Return the SHA-256, in hex, of the canonical text before its table `[integrity]`."""
    return hashlib.sha256(utf8(body)).hexdigest()


def differing_line(text: str, other: str) -> int:
    """Return the number, from 1, of the first line in which two texts differ.

    If one text is the beginning of the other, it is the line after the shorter one.
    """
    lines, others = text.split("\n"), other.split("\n")
    pairs = enumerate(zip(lines, others, strict=False), 1)
    return next((number for number, (one, two) in pairs if one != two), min(len(lines), len(others)) + 1)


def _lines(record: GameRecord) -> Iterator[str]:
    yield f"format = {quote(FORMAT)}"
    yield f"id = {quote(record.id)}"
    yield f"engine = {quote(record.engine)}"
    yield f"rules = {quote(record.rules)}"
    yield f"variant = {quote(record.variant)}"
    yield f"options = {_inline(dict(sorted(record.options.items())))}"
    yield f"first_dealer = {record.first_dealer}"
    yield f"commitment = {quote(record.commitment)}"
    conditions = record.conditions
    yield from ("", "[conditions]")
    yield f"on_fault = {quote(conditions.on_fault)}"
    yield f"isolation = {quote(conditions.isolation)}"
    yield f"instances = {quote(conditions.instances)}"
    yield f"time = {_inline(_clock(conditions.time))}"
    if conditions.measures:
        yield f"measures = {quote_all(conditions.measures)}"
    for seat in record.seats:
        yield from _seat(seat)
    for hand in record.hands:
        yield from _hand(hand)
    for fault in record.faults:
        yield from _fault(fault)
    yield from ("", "[result]")
    yield f"ended = {quote(record.result.ended)}"
    yield f"winners = {_numbers(record.result.winners)}"
    yield f"ranks = {_numbers(record.result.ranks)}"
    yield f"games = {_numbers(record.result.games)}"


def _clock(time: TimeControl) -> dict[str, int]:
    clock = {
        "per_decision_ms": time.per_decision_ms,
        "bank_ms": time.bank_ms,
        "increment_ms": time.increment_ms,
    }
    if time.game_ms:
        clock["game_ms"] = time.game_ms
    return clock


def _seat(seat: SeatRecord) -> Iterator[str]:
    yield from ("", "[[seat]]")
    yield f"bot = {quote(seat.bot)}"
    yield f"version = {quote(seat.version)}"
    yield f"fingerprint = {quote(seat.fingerprint)}"
    if seat.time is not None:
        yield f"time = {_inline(_clock(seat.time))}"


def _hand(hand: HandRecord) -> Iterator[str]:
    yield from ("", "[[hand]]")
    yield f"dealer = {hand.dealer}"
    yield f"packs = {quote_all(hand.packs)}"
    yield f"actions = {quote_all(hand.actions)}"
    yield f"ms = {_numbers(hand.ms)}"
    yield f"forced = {_numbers(hand.forced)}"
    yield f"substituted = {_numbers(hand.substituted)}"
    if hand.scores:
        yield f"scores = {_numbers(hand.scores)}"


def _fault(fault: FaultRecord) -> Iterator[str]:
    yield from ("", "[[fault]]")
    yield f"hand = {fault.hand}"
    yield f"action = {fault.action}"
    yield f"seat = {fault.seat}"
    yield f"kind = {quote(fault.kind)}"
    yield f"limit_ms = {fault.limit_ms}"
    yield f"elapsed_ms = {fault.elapsed_ms}"
    yield f"detail = {quote(fault.detail)}"


def _scalar(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else quote(value)


def _inline(table: Mapping[str, OptionValue]) -> str:
    inside = ", ".join(f"{key} = {_scalar(value)}" for key, value in table.items())
    return f"{{ {inside} }}" if inside else "{}"


def _numbers(values: Sequence[int]) -> str:
    return f"[{', '.join(map(str, values))}]"


def as_json(record: GameRecord) -> dict[str, object]:
    """Return the record as values for `json.dumps`, with the names and order of its canonical text.

    `sha256` is the digest of the canonical text, not of the JSON.
    """
    conditions = record.conditions
    return {
        "format": FORMAT,
        "id": record.id,
        "engine": record.engine,
        "rules": record.rules,
        "variant": record.variant,
        "options": dict(sorted(record.options.items())),
        "first_dealer": record.first_dealer,
        "commitment": record.commitment,
        "conditions": _conditions_table(conditions),
        "seat": [_seat_table(seat) for seat in record.seats],
        "hand": [_hand_table(hand) for hand in record.hands],
        "fault": [asdict(fault) for fault in record.faults],
        "result": _with_lists(asdict(record.result)),
        "integrity": {"sha256": digest(_body(record))},
    }


def _conditions_table(conditions: Conditions) -> dict[str, object]:
    table: dict[str, object] = {
        "on_fault": conditions.on_fault,
        "isolation": conditions.isolation,
        "instances": conditions.instances,
        "time": _clock(conditions.time),
    }
    if conditions.measures:
        table["measures"] = list(conditions.measures)
    return table


def _seat_table(seat: SeatRecord) -> dict[str, object]:
    table: dict[str, object] = {"bot": seat.bot, "version": seat.version, "fingerprint": seat.fingerprint}
    return table if seat.time is None else {**table, "time": _clock(seat.time)}


def _hand_table(hand: HandRecord) -> dict[str, object]:
    table = asdict(hand)
    if not hand.scores:
        del table["scores"]
    return _with_lists(table)


def _with_lists(table: dict[str, object]) -> dict[str, object]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in table.items()}
