"""Damage of one byte anywhere in the record of any game is found (notation.md, Record of a game)."""

from __future__ import annotations

import random

import pytest

from bowerbird.engine import variant_names
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.text.reader import ReadError, read
from bowerbird.harness.records.values.faults import FAULT_KINDS, POLICIES
from bowerbird.harness.records.values.game_record import GameRecord
from tests.support.records.played_games import after, game, withdrawn


def damaged(record: bytes, chance: random.Random) -> bytes:
    """Return the record with one byte changed anywhere, by a flipped bit or to any byte."""
    at = chance.randrange(len(record))
    byte = chance.choice((record[at] ^ (1 << chance.randrange(8)), chance.randrange(256), *b'0129,"\n# '))
    return record if byte == record[at] else record[:at] + bytes([byte]) + record[at + 1 :]


def record_of(number: int) -> GameRecord:
    """Return the game with this number, every variant in turn.

    In every other round each game has a fault. Games of every eighth round were not played.
    """
    variants = variant_names()
    variant, turn = variants[number % len(variants)], number // len(variants)
    if turn % 8 == 7:
        return withdrawn(variant, 1, number)
    fault = after(number % 7, None, FAULT_KINDS[turn % len(FAULT_KINDS)]) if turn % 2 else None
    return game(variant, number, on_fault=POLICIES[number % 2], misbehave=fault, options={"max_hands": 2})


def refuses_damage(record: GameRecord, places: int) -> int:
    """Damage a record in `places` places, one at a time; each must be refused. Return how many changed the text."""
    text, chance, tried = canonical(record).encode(), random.Random(record.id), 0
    for _ in range(places):
        other = damaged(text, chance)
        if other != text:
            tried += 1
            with pytest.raises(ReadError):
                read(other)
    return tried


def test_one_damaged_byte_in_the_record_of_any_variant_is_refused() -> None:
    assert sum(refuses_damage(record_of(number), 10) for number in range(42)) > 300


@pytest.mark.usefixtures("simulations")
def test_one_damaged_byte_in_a_thousand_records_is_refused() -> None:
    """The records include all variants, and each kind of fault under both policies."""
    records = [record_of(number) for number in range(1000)]
    seen = {(fault.kind, record.conditions.on_fault) for record in records for fault in record.faults}
    assert {record.variant for record in records} == set(variant_names())
    assert seen >= {(kind, policy) for kind in FAULT_KINDS for policy in POLICIES}
    assert {record.result.ended for record in records} > {"forfeit", "withdrawn"}
    assert len({canonical(record) for record in records}) == 1000
    assert sum(refuses_damage(record, 25) for record in records) > 20_000
