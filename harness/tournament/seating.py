"""Line-ups: which bots sit at a table together, and where each of them sits in every rotation (RATINGS.md, Line-ups).

A line-up has one bot for each position of the table. Cards, dealer and randomness stay with the seat; from rotation
to rotation the positions move, so that every bot plays what every other one was dealt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

TEAMS = "teams"
FREE_FOR_ALL = "free-for-all"
KINDS = (TEAMS, FREE_FOR_ALL)
LATER = dict.fromkeys(("mixed", "one-vs-rest"), "a line-up that this version does not play yet")

ALL_TABLES = 35
"""Up to so many tables of distinct bots all combinations are played; beyond it a balanced sample is."""

Sides = tuple[tuple[int, ...], ...]
"""The seats of each fixed side: ((0, 2), (1, 3))."""


class SeatingError(ValueError):
    """A line-up that cannot be seated at this table; `args[0]` says why and what can."""


@dataclass(frozen=True, slots=True)
class Lineup:
    """Who plays whom.

    `text` is its name in ids: entrants joined by "+", one for each side in `teams`, one for each position otherwise.
    `positions` is the bot at each position. `rotations[r][p]` is the seat of position p in rotation r.
    """

    kind: str
    text: str
    positions: tuple[str, ...]
    rotations: tuple[tuple[int, ...], ...]


def default_kind(sides: Sides | None) -> str:
    """Teams where the rules have fixed sides, else each for himself."""
    return FREE_FOR_ALL if sides is None else TEAMS


def lineups(kind: str, bots: Sequence[str], seats: int, sides: Sides | None) -> tuple[Lineup, ...]:
    """Every line-up of a round-robin, in the order of the bots.

    `seats` and `sides` are those of the variant with its options; `sides` is None where each plays for himself.
    Raises SeatingError where the bots cannot be seated so.
    """
    if len(bots) < 2:
        raise SeatingError(f"{seats} seats cannot be filled by {len(bots)} bot, at least 2 bots are needed")
    return _KINDS[kind](bots, seats, sides)


def _teams(bots: Sequence[str], seats: int, sides: Sides | None) -> tuple[Lineup, ...]:
    if sides is None:
        raise SeatingError("a variant without fixed sides cannot be played by teams, 'free-for-all' is allowed")
    if len(bots) < len(sides):
        raise SeatingError(f"{len(sides)} sides cannot be filled by {len(bots)} bots, leave none of them empty")
    return tuple(_team_lineup(entrants, seats, sides) for entrants in combinations(bots, len(sides)))


def _team_lineup(entrants: Sequence[str], seats: int, sides: Sides) -> Lineup:
    """One bot a side; the sides change places. A position is a seat of rotation 0."""
    member_of = {seat: (side, member) for side, members in enumerate(sides) for member, seat in enumerate(members)}
    places = [member_of[position] for position in range(seats)]
    positions = tuple(entrants[side] for side, _ in places)
    rotations = tuple(
        tuple(sides[(side + turn) % len(sides)][member] for side, member in places) for turn in range(len(sides))
    )
    return Lineup(TEAMS, "+".join(entrants), positions, rotations)


def _free_for_all(bots: Sequence[str], seats: int, sides: Sides | None) -> tuple[Lineup, ...]:
    if sides is not None:
        raise SeatingError("a variant with fixed sides cannot be played free for all, 'teams' is allowed")
    tables = _copies(bots, seats) if len(bots) < seats else _distinct(bots, seats)
    return tuple(_single_lineup(table, seats) for table in tables)


def _single_lineup(table: Sequence[str], seats: int) -> Lineup:
    """Each for himself: position p sits at seat p + r in rotation r."""
    rotations = tuple(tuple((position + turn) % seats for position in range(seats)) for turn in range(seats))
    return Lineup(FREE_FOR_ALL, "+".join(table), tuple(table), rotations)


def _copies(bots: Sequence[str], seats: int) -> list[tuple[str, ...]]:
    """Fewer bots than seats: as many copies of each as fit, and the seats left over to each in turn."""
    each, over = divmod(seats, len(bots))
    return [
        tuple(bot for bot in bots for _ in range(each + (bot in favoured))) for favoured in combinations(bots, over)
    ]


def _distinct(bots: Sequence[str], seats: int) -> list[tuple[str, ...]]:
    """Tables of distinct bots: all of them, or for many bots a sample in which all play equally often."""
    if seats == 2 or comb(len(bots), seats) <= ALL_TABLES:
        return list(combinations(bots, seats))
    return [tuple(bots[index] for index in table) for table in balanced_sample(len(bots), seats)]


def balanced_sample(bots: int, seats: int) -> list[tuple[int, ...]]:
    """Tables of `seats` out of `bots` where every bot plays equally often and every pair meets.

    A base table is shifted round the circle of bots, which seats everybody alike. Bases are added until no pair is
    left that never met; each closes at least one gap, so no table comes twice.
    """
    met = [0] * (bots // 2 + 1)  # by distance on the circle, the same for every pair so far apart
    tables: list[tuple[int, ...]] = []
    while not all(met[1:]):
        base = _base(met, bots, seats)
        met = _meetings(met, base, bots)
        shifted = {tuple(sorted((index + shift) % bots for index in base)): None for shift in range(bots)}
        tables += shifted
    return tables


def _base(met: Sequence[int], bots: int, seats: int) -> tuple[int, ...]:
    """A base table, seat by seat the bot that leaves the fewest pairs unmet and the others most even."""
    base: tuple[int, ...] = (0,)
    while len(base) < seats:
        choices = [(*base, bot) for bot in range(bots) if bot not in base]
        base = min(choices, key=lambda choice: _unevenness(_meetings(met, choice, bots)))
    return base


def _unevenness(met: Sequence[int]) -> tuple[int, int]:
    return met[1:].count(0), sum(times * times for times in met)


def _meetings(met: Sequence[int], base: Sequence[int], bots: int) -> list[int]:
    """How often pairs have met, by distance, when the base's tables are added."""
    after = list(met)
    for one, other in combinations(base, 2):
        distance = min((one - other) % bots, (other - one) % bots)
        # The pairs half a circle apart are half as many, so each of them meets twice as often.
        after[distance] += 2 if 2 * distance == bots else 1
    return after


_KINDS: Mapping[str, Callable[[Sequence[str], int, Sides | None], tuple[Lineup, ...]]] = {
    TEAMS: _teams,
    FREE_FOR_ALL: _free_for_all,
}
