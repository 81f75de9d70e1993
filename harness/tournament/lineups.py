"""Line-ups: which bots sit at a table together, and where each sits in every rotation (ratings.md, Line-ups).

A line-up has one bot for each position of the table. Cards, dealer and randomness belong to the seat. The positions
move from rotation to rotation, so that every bot plays every other bot's cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import comb

from bowerbird.harness.records.values.seat_orders import seat_orders
from bowerbird.harness.tournament.whist_movements import FEWEST, MOST, whist_tables

TEAMS = "teams"
MIXED = "mixed"
FREE_FOR_ALL = "free-for-all"
ONE_VS_REST = "one-vs-rest"
FIXED = "fixed"
KINDS = (TEAMS, MIXED, FREE_FOR_ALL, ONE_VS_REST, FIXED)

ALL_TABLES = 35
"""The most tables of distinct bots that are all played. If there are more, a balanced sample is played."""

Sides = tuple[tuple[int, ...], ...]
"""The seats of each fixed side: ((0, 2), (1, 3))."""

PARTNERS = ((0, 2), (1, 3))
"""The sides with which partners can be mixed: two against two."""


class SeatingError(ValueError):
    """A line-up cannot be seated at this table; `args[0]` is the reason and what is possible instead.

    `key` is the key of `[tournament]` that forbids it; "" if the line-up itself is impossible.
    """

    def __init__(self, sentence: str, key: str = "") -> None:
        """Store the sentence and the key."""
        super().__init__(sentence)
        self.key = key


@dataclass(frozen=True, slots=True)
class Lineup:
    """The bots of a table and their seats in every game of a deal set.

    kind: one of `KINDS`.
    text: its name in ids, with bots joined by "+": one bot for each side in `teams`, otherwise one for each position.
    positions: the bot at each position.
    rotations: `[r][p]`, the seat of place p in rotation r.
    orders: `[k][p]`, the place of position p in deal set k and in every len(orders)-th set after it.
    """

    kind: str
    text: str
    positions: tuple[str, ...]
    rotations: tuple[tuple[int, ...], ...]
    orders: tuple[tuple[int, ...], ...]

    def seats(self, number: int, rotation: int) -> tuple[int, ...]:
        """Return the seat of each position in a rotation of deal set `number`."""
        turn = self.rotations[rotation]
        return tuple(turn[place] for place in self.orders[number % len(self.orders)])


@dataclass(frozen=True, slots=True)
class MeetingRules:
    """The rules for which bots may meet at a table.

    bots: all of them, in the order of the file.
    challengers: in a gauntlet, the bots that meet the others: each table has exactly one challenger.
    copies: whether a bot may sit more than once at a table, beyond its own side.
    """

    bots: tuple[str, ...]
    challengers: tuple[str, ...] = ()
    copies: bool = True

    @property
    def others(self) -> tuple[str, ...]:
        """The bots that are not challengers."""
        return tuple(bot for bot in self.bots if bot not in self.challengers)

    def in_order(self, table: Sequence[str]) -> tuple[str, ...]:
        """Return the bots of a table in the order of the file."""
        return tuple(sorted(table, key=self.bots.index))

    def admits(self, table: Sequence[str]) -> bool:
        """Return whether these bots may meet. In a gauntlet a table has exactly one challenger; else all may meet."""
        return not self.challengers or sum(bot in self.challengers for bot in table) == 1


def default_kind(sides: Sides | None) -> str:
    """Return teams if the rules have fixed sides, else free-for-all."""
    return FREE_FOR_ALL if sides is None else TEAMS


def entrants(kind: str, seats: int, sides: Sides | None) -> int:
    """Return the number of bots at a table: one for each side in `teams`, otherwise one for each seat."""
    return len(sides) if kind == TEAMS and sides is not None else seats


def lineups(kind: str, meetings: MeetingRules, seats: int, sides: Sides | None) -> tuple[Lineup, ...]:
    """Return every line-up of a kind, in the order of the bots. Raises SeatingError if they cannot be seated.

    seats, sides: of the variant with its options; `sides` is None if each bot plays for itself.
    """
    if len(meetings.bots) < 2:
        raise SeatingError(f"{seats} seats need more than {len(meetings.bots)} bot; add at least one more")
    return _KINDS[kind](meetings, seats, sides)


def _teams(meetings: MeetingRules, seats: int, sides: Sides | None) -> tuple[Lineup, ...]:
    if sides is None:
        raise SeatingError("a variant without fixed sides cannot be played by teams; use 'free-for-all'")
    if len(meetings.bots) < len(sides):
        raise SeatingError(f"{len(sides)} sides need more than {len(meetings.bots)} bots; each side needs at least one")
    return tuple(
        _team_lineup(table, seats, sides) for table in combinations(meetings.bots, len(sides)) if meetings.admits(table)
    )


def _team_lineup(table: Sequence[str], seats: int, sides: Sides) -> Lineup:
    """Return the line-up of one bot for each side; the sides change places. Positions are the seats of rotation 0."""
    member_of = {seat: (side, member) for side, members in enumerate(sides) for member, seat in enumerate(members)}
    places = [member_of[position] for position in range(seats)]
    positions = tuple(table[side] for side, _ in places)
    rotations = tuple(
        tuple(sides[(side + turn) % len(sides)][member] for side, member in places) for turn in range(len(sides))
    )
    return Lineup(TEAMS, "+".join(table), positions, rotations, (tuple(range(seats)),))


def _mixed(meetings: MeetingRules, seats: int, sides: Sides | None) -> tuple[Lineup, ...]:
    if sides != PARTNERS:
        instead = default_kind(sides)
        raise SeatingError(f"partners can be mixed only in a variant of two against two; use {instead!r}")
    if meetings.challengers:
        raise SeatingError("a gauntlet cannot mix partners; use 'teams'", key="format")
    bots = meetings.bots
    if not FEWEST <= len(bots) <= MOST:
        raise SeatingError(f"partners can be mixed among {FEWEST} to {MOST} bots, not {len(bots)}; use 'teams'")
    return tuple(
        _single_lineup(MIXED, [bots[one], bots[left], bots[other], bots[right]], (tuple(range(seats)),))
        for (one, other), (left, right) in whist_tables(len(bots))
    )


def _free_for_all(meetings: MeetingRules, seats: int, sides: Sides | None) -> tuple[Lineup, ...]:
    _refuse_sides(sides, "played free for all")
    if meetings.challengers:
        tables = [
            meetings.in_order((challenger, *rest))
            for challenger in meetings.challengers
            for rest in _fillings(meetings.others, seats - 1)
        ]
    else:
        tables = _fillings(meetings.bots, seats)
    if not meetings.copies and any(len(set(table)) < seats for table in tables):
        raise SeatingError(
            f"{seats} seats without copies need more than {len(meetings.bots)} bots; enter at least {seats}",
            key="copies",
        )
    return tuple(_single_lineup(FREE_FOR_ALL, table, seat_orders(seats)) for table in tables)


def _one_vs_rest(meetings: MeetingRules, seats: int, sides: Sides | None) -> tuple[Lineup, ...]:
    """Seat each bot alone against copies of each other bot; in a gauntlet, only challengers meet the others."""
    _refuse_sides(sides, "played one against the rest")
    if seats == 2:
        raise SeatingError("two seats leave nobody over; use 'free-for-all'")
    if not meetings.copies:
        raise SeatingError("one against the rest needs copies of bots; leave out copies = false", key="copies")
    return tuple(
        _single_lineup(ONE_VS_REST, (one, *[rest] * (seats - 1)), (tuple(range(seats)),))
        for one, rest in permutations(meetings.bots, 2)
        if meetings.admits((one, rest))
    )


def _fixed(meetings: MeetingRules, seats: int, sides: Sides | None) -> tuple[Lineup, ...]:
    """Seat the bots in the order of the file, in one rotation: a single game, for a person or an experiment."""
    if meetings.challengers:
        raise SeatingError("a gauntlet has no fixed seats", key="format")
    if len(meetings.bots) != seats:
        raise SeatingError(f"fixed seats need one bot each: {seats} seats, {len(meetings.bots)} bots")
    own = tuple(range(seats))
    return (Lineup(FIXED, "+".join(meetings.bots), meetings.bots, (own,), (own,)),)


def _refuse_sides(sides: Sides | None, played: str) -> None:
    if sides is not None:
        raise SeatingError(f"a variant with fixed sides cannot be {played}; use 'teams'")


def _single_lineup(kind: str, table: Sequence[str], orders: tuple[tuple[int, ...], ...]) -> Lineup:
    """Return the line-up in which place p has seat p + r in rotation r."""
    seats = len(table)
    rotations = tuple(tuple((position + turn) % seats for position in range(seats)) for turn in range(seats))
    return Lineup(kind, "+".join(table), tuple(table), rotations, orders)


def _fillings(bots: Sequence[str], seats: int) -> list[tuple[str, ...]]:
    """Return tables of distinct bots, or with copies if there are fewer bots than seats."""
    return _copies(bots, seats) if len(bots) < seats else _distinct(bots, seats)


def _copies(bots: Sequence[str], seats: int) -> list[tuple[str, ...]]:
    """Return tables with as many copies of each bot as fit; the remaining seats go to each subset of bots in turn."""
    each, over = divmod(seats, len(bots))
    return [
        tuple(bot for bot in bots for _ in range(each + (bot in favoured))) for favoured in combinations(bots, over)
    ]


def _distinct(bots: Sequence[str], seats: int) -> list[tuple[str, ...]]:
    """Return tables of distinct bots: all of them or, for many bots, a sample in which all play equally often."""
    if seats <= 2 or comb(len(bots), seats) <= ALL_TABLES:
        return list(combinations(bots, seats))
    return [tuple(bots[index] for index in table) for table in balanced_sample(len(bots), seats)]


def balanced_sample(bots: int, seats: int) -> list[tuple[int, ...]]:
    """Return tables of `seats` out of `bots`, as indices, in which every bot plays equally often and every pair meets.

    A base table is shifted around the circle of bots, so that all play equally often. Base tables are added until every
    pair has met. Each adds a new distance, so no table repeats.
    """
    met = [0] * (bots // 2 + 1)  # by distance on the circle; all pairs at a distance meet equally often
    tables: list[tuple[int, ...]] = []
    while not all(met[1:]):
        base = _base(met, bots, seats)
        met = _meetings(met, base, bots)
        shifted = {tuple(sorted((index + shift) % bots for index in base)): None for shift in range(bots)}
        tables += shifted
    return tables


def _base(met: Sequence[int], bots: int, seats: int) -> tuple[int, ...]:
    """Return a base table. Each seat gets the bot that leaves the fewest pairs unmet and the meetings most even."""
    base: tuple[int, ...] = (0,)
    while len(base) < seats:
        choices = [(*base, bot) for bot in range(bots) if bot not in base]
        base = min(choices, key=lambda choice: _unevenness(_meetings(met, choice, bots)))
    return base


def _unevenness(met: Sequence[int]) -> tuple[int, int]:
    return met[1:].count(0), sum(times * times for times in met)


def _meetings(met: Sequence[int], base: Sequence[int], bots: int) -> list[int]:
    """Return how often pairs have met, by distance, after the tables of `base`."""
    after = list(met)
    for one, other in combinations(base, 2):
        distance = min((one - other) % bots, (other - one) % bots)
        # Only half as many pairs are half a circle apart as at other distances, so each of these pairs meets twice as
        # often.
        after[distance] += 2 if 2 * distance == bots else 1
    return after


_KINDS: Mapping[str, Callable[[MeetingRules, int, Sides | None], tuple[Lineup, ...]]] = {
    TEAMS: _teams,
    MIXED: _mixed,
    FREE_FOR_ALL: _free_for_all,
    ONE_VS_REST: _one_vs_rest,
    FIXED: _fixed,
}
