"""Damage of one byte anywhere in the record of any game is found (NOTATION.md, Record of a game)."""

from __future__ import annotations

import random

import pytest
from played_games import game

from engine import variant_names
from harness.records.canonical import canonical
from harness.records.reader import ReadError, read


def damaged(record: bytes, chance: random.Random) -> bytes:
    """The record with one byte, anywhere, that is another one: a turned bit, or any byte."""
    at = chance.randrange(len(record))
    byte = chance.choice((record[at] ^ (1 << chance.randrange(8)), chance.randrange(256), *b'0129,"\n# '))
    return record if byte == record[at] else record[:at] + bytes([byte]) + record[at + 1 :]


def refuses_damage(number: int, places: int) -> int:
    """Damage one game's record in so many places; how many of them were damage, all of it refused."""
    variants = variant_names()
    record = canonical(game(variants[number % len(variants)], number, options={"max_hands": 2})).encode()
    chance, tried = random.Random(number), 0
    for _ in range(places):
        other = damaged(record, chance)
        if other != record:
            tried += 1
            with pytest.raises(ReadError):
                read(other)
    return tried


def test_one_damaged_byte_in_the_record_of_any_variant_is_refused() -> None:
    assert sum(refuses_damage(number, 10) for number in range(42)) > 300


@pytest.mark.slow
def test_one_damaged_byte_in_a_thousand_records_is_refused() -> None:
    assert sum(refuses_damage(number, 25) for number in range(1000)) > 20_000
