"""The rated pairs of many games as arrays: what `pairs_of` finds game by game, for 100,000 games at once.

Enter: games. Leave: a block for each two sides of each form of table, with the bots of their seats as numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from bowerbird.harness.records.values.game_result import GameResult

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PairForm:
    """Two sides of a table: the variant, the sides' seats, the number of seats, a pair's weight (as in `Pair`)."""

    variant: str
    seats: tuple[int, ...]
    others: tuple[int, ...]
    weight: float
    players: int

    @property
    def all_seats(self) -> tuple[int, ...]:
        """The seats of the first side, then the seats of the other side."""
        return (*self.seats, *self.others)


@dataclass(frozen=True, slots=True, eq=False)
class PairBlock:
    """The rated pairs of one form.

    game: the places of their games.
    seated: the numbers of their bots, a column for each of the form's `all_seats`.
    doubled: twice the outcome of the first side: 0, 1 or 2.
    """

    form: PairForm
    game: Ints
    seated: Ints
    doubled: Ints

    def shares(self) -> Iterator[tuple[Ints, Ints, Floats]]:
        """Yield (game, bot, outcome of its side), parallel arrays, with each bot of each side of each pair once."""
        size = len(self.form.seats)
        for side, doubled in ((self.seated[:, :size], self.doubled), (self.seated[:, size:], 2 - self.doubled)):
            for seat, bot in enumerate(side.T):
                is_first = (side[:, :seat] != bot[:, None]).all(axis=1)
                yield self.game[is_first], bot[is_first], doubled[is_first] / 2


def pair_blocks(games: Sequence[GameResult], numbers: dict[str, int]) -> Iterator[PairBlock]:
    """Yield the rated pairs of games, as `pairs_of` finds them.

    numbers: the number of each bot, from 0 without gaps; new bots get the next numbers.
    """
    tables: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for place, game in enumerate(games):
        if game.rated:
            tables.setdefault((game.variant, game.sides), []).append(place)
    for (variant, sides), places in tables.items():
        here = [games[place] for place in places]
        bots = list(chain.from_iterable(map(attrgetter("bots"), here)))
        for bot in dict.fromkeys(bots):
            numbers.setdefault(bot, len(numbers))
        seated = np.fromiter(map(numbers.__getitem__, bots), np.int64).reshape(len(here), -1)
        ranks = np.fromiter(chain.from_iterable(map(attrgetter("ranks"), here)), np.int64).reshape(len(here), -1)
        at_fault = _at_fault(here, sides)
        seats_of: dict[int, list[int]] = {}
        for seat, side in enumerate(sides):
            seats_of.setdefault(side, []).append(seat)
        for seats, others in combinations(map(tuple, seats_of.values()), 2):
            one, other = seats[0], others[0]
            doubled = 1 + np.sign(ranks[:, other] - ranks[:, one])
            unequal = at_fault[:, one] != at_fault[:, other]
            doubled[unequal] = 2 * at_fault[unequal, other]
            form = PairForm(variant, seats, others, 1.0 / (len(seats_of) - 1), len(sides))
            kept = ~_same_bots(seated[:, seats], seated[:, others])
            yield PairBlock(form, np.array(places)[kept], seated[kept][:, form.all_seats], doubled[kept])


def _at_fault(games: Sequence[GameResult], sides: Sequence[int]) -> Bools:
    """Return for each game and seat whether its side has a seat at fault."""
    found = np.zeros((len(games), len(sides)), dtype=bool)
    for row, offenders in enumerate(map(attrgetter("offenders"), games)):
        for offender in offenders:
            found[row, np.array(sides) == sides[offender]] = True
    return found


def _same_bots(ones: Ints, others: Ints) -> Bools:
    """Return for each row whether the same bots are on both sides."""
    equal = ones[:, :, None] == others[:, None, :]
    found: Bools = equal.any(axis=2).all(axis=1) & equal.any(axis=1).all(axis=1)
    return found


def apart(ones: Ints, others: Ints) -> tuple[Bools, Bools]:
    """Return for each bot of each row whether it has more seats on its own side than on the other; the rest cancel."""

    def more(own: Ints, rivals: Ints) -> Bools:
        here, there = (own[:, :, None] == bots[:, None, :] for bots in (own, rivals))
        found: Bools = here.sum(axis=2) > there.sum(axis=2)
        return found

    return more(ones, others), more(others, ones)
