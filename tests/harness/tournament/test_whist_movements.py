"""Whist movements (ratings.md, Line-ups: "each pair partners once, opposes twice")."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from bowerbird.harness.tournament.whist_movements import FEWEST, MOST, whist_tables


@pytest.mark.parametrize("bots", range(FEWEST, MOST + 1))
def test_each_pair_partners_and_opposes_equally_often(bots: int) -> None:
    """Once and twice where possible, with 4k and 4k + 1 bots; otherwise twice and four times."""
    tables = whist_tables(bots)
    times = 1 if bots % 4 in {0, 1} else 2
    pairs = bots * (bots - 1) // 2
    partners = Counter(frozenset(side) for table in tables for side in table)
    opponents = Counter(frozenset(pair) for one, other in tables for pair in product(one, other))
    assert (set(partners.values()), len(partners)) == ({times}, pairs)
    assert (set(opponents.values()), len(opponents)) == ({2 * times}, pairs)


@pytest.mark.parametrize("bots", range(FEWEST, MOST + 1))
def test_a_table_seats_four_and_comes_once(bots: int) -> None:
    tables = whist_tables(bots)
    assert all(len({*one, *other}) == 4 for one, other in tables)
    assert len(set(tables)) == len(tables)
    assert all(one[0] < one[1] and other[0] < other[1] and one < other for one, other in tables)


@pytest.mark.parametrize("bots", [0, 3, MOST + 1])
def test_other_numbers_have_no_movement(bots: int) -> None:
    with pytest.raises(ValueError, match=f"for {FEWEST} to {MOST} bots, not {bots}"):
        whist_tables(bots)
