"""Whist movements: tables of two against two in which all pairs partner equally often and oppose equally often.

With 4k or 4k + 1 bots each pair partners once and opposes twice, the balance of a whist tournament. With other numbers
of bots the number of pairs is odd and cannot be divided among tables of two partnerships, so each pair partners twice
and opposes four times.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

Partners = tuple[int, int]
WhistTable = tuple[Partners, Partners]
"""The two partnerships of a table, as indices of bots."""

FEWEST = 4
MOST = 32

_NINE = "0,1,3,7 0,3,2,4"
_BASES = {
    4: "3,0,1,2",
    5: "0,2,3,4",
    6: "5,0,2,3 5,0,3,4 0,2,1,3",
    7: "0,3,5,6 0,3,6,1 0,2,3,4",
    8: "7,0,1,5 0,2,3,4",
    10: "9,0,5,7 9,0,4,5 0,4,3,7 0,3,1,2 0,3,6,8",
    11: "0,5,7,10 0,5,8,9 0,4,5,6 0,4,1,3 0,3,7,9",
    12: "11,0,2,5 0,5,3,4 0,4,5,7",
    13: "0,6,1,2 0,5,3,6 0,4,8,10",
    14: "13,0,2,3 13,0,1,10 0,6,5,9 0,6,7,9 0,5,6,7 0,5,9,11 0,3,5,8",
    15: "0,7,8,12 0,7,13,4 0,6,11,14 0,5,7,11 0,5,6,9 0,2,10,12 0,1,13,14",
    16: "15,0,4,7 0,7,8,13 0,6,12,1 0,2,4,5",
    17: "0,8,6,10 0,7,8,13 0,6,3,5 0,3,12,13",
    18: "17,0,3,15 17,0,14,15 0,8,5,10 0,8,5,7 0,7,6,9 0,7,11,13 0,6,16,5 0,4,8,9 0,4,8,11",
    19: "0,9,16,4 0,9,14,15 0,8,10,12 0,8,16,2 0,7,8,14 0,6,12,16 0,5,2,6 0,3,1,4 0,2,10,11",
    20: "19,0,4,11 0,9,10,15 0,8,3,6 0,6,7,8 0,4,14,16",
    21: "0,10,12,19 0,9,1,3 0,8,11,15 0,6,5,10 0,3,16,17",
    22: ("21,0,12,20 21,0,8,12 0,10,11,16 0,10,14,17 0,9,15,17 0,9,6,7 0,8,3,7 0,7,5,8 0,7,5,11 0,6,3,8 0,2,11,12"),
    23: ("0,11,3,4 0,11,6,15 0,10,12,13 0,10,2,4 0,9,2,5 0,8,20,2 0,8,9,13 0,7,10,14 0,7,8,13 0,6,22,5 0,3,12,14"),
    24: "23,0,2,14 0,10,11,17 0,9,14,19 0,8,2,3 0,7,20,22 0,4,8,11",
    25: "0,12,11,19 0,11,21,2 0,10,20,21 0,9,6,8 0,7,20,23 0,5,18,22",
    26: (
        "25,0,10,18 25,0,18,23 0,12,5,15 0,12,3,7 0,11,19,3 0,11,13,20 0,10,1,6 0,9,8,12 0,8,16,19 0,7,21,2 "
        "0,6,19,21 0,3,2,4 0,1,11,12"
    ),
    27: (
        "0,13,20,26 0,13,7,9 0,12,25,1 0,12,24,4 0,11,4,14 0,11,8,17 0,10,5,11 0,9,21,26 0,8,13,18 0,8,5,12 "
        "0,4,25,2 0,3,18,19 0,2,18,19"
    ),
    28: "27,0,1,5 0,13,8,20 0,11,13,15 0,10,13,16 0,9,21,26 0,8,16,17 0,7,3,9",
    29: "0,14,10,13 0,13,3,11 0,12,7,9 0,11,6,13 0,10,25,1 0,9,15,21 0,4,21,22",
    30: (
        "29,0,10,26 29,0,20,26 0,14,8,20 0,14,26,4 0,13,16,20 0,12,20,24 0,11,10,12 0,11,13,16 0,10,24,25 "
        "0,10,14,22 0,9,2,10 0,9,5,11 0,7,15,18 0,5,11,13 0,5,6,7"
    ),
    31: (
        "0,15,2,9 0,15,5,7 0,14,1,4 0,14,18,23 0,13,21,1 0,13,17,21 0,12,18,29 0,12,16,19 0,10,30,5 0,10,3,9 "
        "0,9,6,11 0,9,6,7 0,8,11,19 0,7,22,26 0,2,16,17"
    ),
    32: "31,0,15,25 0,15,24,6 0,14,11,12 0,12,11,17 0,11,15,18 0,9,27,1 0,8,29,5 0,4,12,14",
}
"""Base tables "partner,partner,opponent,opponent" by number of bots.

They are shifted around a circle of all bots; if the number is even, the last bot stays outside the circle. They were
found by a search for difference sets: each distance on the circle occurs equally often between partners, and twice as
often between opponents. Nine bots have no such base table; theirs is shifted in both directions of a three-by-three
square.
"""


@cache
def whist_tables(bots: int) -> tuple[WhistTable, ...]:
    """Return all distinct tables for this number of bots, sorted. Raises ValueError outside FEWEST to MOST."""
    if not FEWEST <= bots <= MOST:
        raise ValueError(f"there are movements for {FEWEST} to {MOST} bots, not {bots}")
    return tuple(sorted(_nine() if bots == 9 else _circle(bots)))


def _circle(bots: int) -> Iterator[WhistTable]:
    circle = bots if bots % 2 else bots - 1
    for base in _tables(_BASES[bots]):
        for shift in range(circle):
            yield _table(*(bot if bot == circle else (bot + shift) % circle for bot in base))


def _nine() -> Iterator[WhistTable]:
    for base in _tables(_NINE):
        for down, right in product(range(3), repeat=2):
            yield _table(*((bot // 3 + down) % 3 * 3 + (bot % 3 + right) % 3 for bot in base))


def _tables(text: str) -> Iterator[tuple[int, ...]]:
    for table in text.split():
        yield tuple(int(bot) for bot in table.split(","))


def _table(one: int, other: int, left: int, right: int) -> WhistTable:
    """Return a table in normal form: the smaller index first, within partnerships and between them."""
    first, second = sorted(((min(one, other), max(one, other)), (min(left, right), max(left, right))))
    return first, second
