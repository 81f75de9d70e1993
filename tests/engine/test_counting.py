"""Laying unseen cards on places, exactly uniformly."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from bowerbird.engine.sampling.counting import Filling, Group

GROUPS = st.lists(st.tuples(st.integers(1, 3), st.integers(1, 63)), min_size=1, max_size=4).filter(
    lambda groups: sum(size for size, _ in groups) <= 6
)


def ways(groups: list[Group], cards: list[int]) -> set[tuple[int, ...]]:
    """Return every way to lay the cards on the places of the groups in order, by trying all."""
    places = [group.allowed for group in groups for _ in range(group.size)]
    return {order for order in permutations(cards) if all(card & may for card, may in zip(order, places, strict=True))}


def drawn(filling: Filling, groups: list[Group], rng: Random) -> tuple[int, ...]:
    free, tight = filling.draw(rng)
    laid: list[int] = []
    for number, group in enumerate(groups):
        if number in tight:
            laid.extend(tight[number])
        else:
            laid.extend(free[: group.size])
            free = free[group.size :]
    return tuple(laid)


@settings(max_examples=60)
@given(GROUPS)
def test_ways_are_counted_exactly(demands: list[tuple[int, int]]) -> None:
    groups = [Group(size, allowed) for size, allowed in demands]
    cards = [1 << k for k in range(sum(size for size, _ in demands))]
    assert Filling(groups, cards).ways == len(ways(groups, cards))


@settings(max_examples=30)
@given(GROUPS, st.integers(0, 10**6))
def test_only_possible_ways_are_drawn(demands: list[tuple[int, int]], seed: int) -> None:
    groups = [Group(size, allowed) for size, allowed in demands]
    cards = [1 << k for k in range(sum(size for size, _ in demands))]
    possible = ways(groups, cards)
    filling = Filling(groups, cards)
    if possible:
        assert {drawn(filling, groups, Random(seed + k)) for k in range(20)} <= possible


def test_every_way_is_equally_likely() -> None:
    """A greedy filling with retries is far off here: the second place admits one class, the first nearly all."""
    groups = [Group(2, 0b011111), Group(1, 0b000011), Group(2, 0b111100), Group(1, 0b111111)]
    cards = [1 << k for k in range(6)]
    possible = ways(groups, cards)
    filling, rng = Filling(groups, cards), Random(5)
    seen = Counter(drawn(filling, groups, rng) for _ in range(60 * len(possible)))
    assert set(seen) == possible
    chi_square = sum((seen[way] - 60) ** 2 / 60 for way in possible)
    freedom = len(possible) - 1
    assert abs(chi_square - freedom) < 5 * (2 * freedom) ** 0.5, f"{chi_square:.0f} with {freedom} degrees of freedom"


def test_contradicting_demands_have_no_way() -> None:
    assert Filling([Group(2, 0b001), Group(1, 0b111)], [1, 2, 4]).ways == 0
