"""A record as plain dictionaries and lists, for JSON: the same names and order as its canonical text."""

from __future__ import annotations

from dataclasses import asdict

from harness.records.canonical import INTEGRITY, canonical
from harness.records.record import FORMAT, GameRecord


def as_json(record: GameRecord) -> dict[str, object]:
    """The record as values that `json.dumps` takes. `sha256` is the digest of the canonical text, not of the JSON."""
    digest = canonical(record).rpartition(f"{INTEGRITY}sha256 = ")[2].strip().strip('"')
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
        "conditions": {
            "on_fault": conditions.on_fault,
            "isolation": conditions.isolation,
            "instances": conditions.instances,
            "time": {
                "per_decision_ms": conditions.time.per_decision_ms,
                "bank_ms": conditions.time.bank_ms,
                "increment_ms": conditions.time.increment_ms,
            },
        },
        "seat": [asdict(seat) for seat in record.seats],
        "hand": [_hand(asdict(hand)) for hand in record.hands],
        "fault": [asdict(fault) for fault in record.faults],
        "result": _lists(asdict(record.result)),
        "integrity": {"sha256": digest},
    }


def _hand(hand: dict[str, object]) -> dict[str, object]:
    if not hand["scores"]:
        del hand["scores"]
    return _lists(hand)


def _lists(table: dict[str, object]) -> dict[str, object]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in table.items()}
