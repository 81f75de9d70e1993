"""The seating orders of a table if each bot plays for itself (ratings.md, Line-ups)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations, permutations

LARGEST_COMPLETE = 6
"""All orders of a table are used up to this many seats. A table of 8 has 5,040 orders, one of 10 has 362,880."""


@cache
def seat_orders(seats: int) -> tuple[tuple[int, ...], ...]:
    """Return the orders of a table, one deal set after another, that balance the distances between all pairs of bots.

    If the number of seats is prime, multiplying the places by 1, 2, ... balances them exactly after `seats` - 1 sets.
    Otherwise small tables use all orders and larger ones a sample, each time choosing the order that leaves the
    distances most even.
    """
    if all(seats % divisor for divisor in range(2, seats)):
        return tuple(tuple(place * factor % seats for place in range(seats)) for factor in range(1, seats))
    return _every_order(seats) if seats <= LARGEST_COMPLETE else _sampled_orders(seats)


def _every_order(seats: int) -> tuple[tuple[int, ...], ...]:
    """Return all orders. Each next order is the one that leaves the distances most even."""
    left = [(0, *others) for others in permutations(range(1, seats))]
    met: Counter[tuple[int, int, int]] = Counter()
    chosen: list[tuple[int, ...]] = []
    while left:
        order = min(left, key=lambda order: sum(met[distance] for distance in _distances(order)))
        left.remove(order)
        chosen.append(order)
        met.update(_distances(order))
    return tuple(chosen)


def _sampled_orders(seats: int) -> tuple[tuple[int, ...], ...]:
    """Return `seats` * (`seats` - 1) orders in which each pair has each distance about `seats` times."""
    met: Counter[tuple[int, int, int]] = Counter()
    chosen: list[tuple[int, ...]] = []
    for _ in range(seats * (seats - 1)):
        order = _most_even_order(met, seats)
        chosen.append(order)
        met.update(_distances(order))
    return tuple(chosen)


def _most_even_order(met: Mapping[tuple[int, int, int], int], seats: int) -> tuple[int, ...]:
    """Place each bot where the distances stay most even, then swap pairs of bots while that helps."""

    def cost(order: Sequence[int]) -> int:
        return sum(met[distance] for distance in _distances(order, seats))

    order = [0]
    while len(order) < seats:
        order = min(([*order, place] for place in range(seats) if place not in order), key=cost)
    improved = True
    while improved:
        improved = False
        for one, other in combinations(range(1, seats), 2):
            exchanged = list(order)
            exchanged[one], exchanged[other] = order[other], order[one]
            if cost(exchanged) < cost(order):
                order, improved = exchanged, True
    return tuple(order)


def _distances(order: Sequence[int], seats: int | None = None) -> list[tuple[int, int, int]]:
    """Return (one, other, the number of seats from one to the other) for each pair of bots at the table.

    `seats` is the size of the table if `order` covers only its first places.
    """
    size = seats or len(order)
    return [(one, other, (order[other] - order[one]) % size) for one, other in permutations(range(len(order)), 2)]
