"""Games as ratings read them, 100,000 at once: deal sets, clusters, bots and rated pairs as arrays.

Enter: games. Leave: `Games`, a list that computes each array once, however many ratings ask for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from bowerbird.harness.ratings.pairs import PairForm, RatingError, cluster_of, forms_of
from bowerbird.harness.records.values.game_result import GameResult

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


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


class Games(list[GameResult]):
    """Games, which nobody changes any more."""

    @cached_property
    def ids(self) -> Ints:
        """The parts of the games' ids as numbers in their order, by part and game (5 x games)."""
        ids = [game.id for game in self]
        texts = [alphabetical(list(map(attrgetter(part), ids)))[1] for part in ("run", "entry", "lineup")]
        numbers = [np.fromiter(map(attrgetter(part), ids), np.int64, len(ids)) for part in ("set_number", "rotation")]
        return np.stack([*texts, *numbers])

    @cached_property
    def deal_sets(self) -> Ints:
        """The number of each game's deal set, from 0, over all runs and line-ups."""
        return numbered(self.ids[:4])

    @cached_property
    def clusters(self) -> Ints:
        """The number of each game's cluster, from 0 in the order of the clusters."""
        run, entry, _, number, _ = self.ids
        if any(map(attrgetter("own_packs"), self)):
            _, entry = alphabetical([cluster_of(game)[1] for game in self])
        return numbered(np.stack([run, entry, number]))

    @cached_property
    def sizes(self) -> Ints:
        """The number of seats of each game."""
        return np.fromiter((len(game.bots) for game in self), np.int64, len(self))

    @cached_property
    def _bots(self) -> tuple[list[str], Ints]:
        return alphabetical(list(chain.from_iterable(map(attrgetter("bots"), self))))

    @property
    def bots(self) -> list[str]:
        """All bots, sorted."""
        return self._bots[0]

    @property
    def seated(self) -> Ints:
        """The numbers of the bots (their places in `bots`) at all seats of the first game, then of the next."""
        return self._bots[1]

    @cached_property
    def blocks(self) -> list[PairBlock]:
        """The rated pairs, as `pairs_of` finds them game by game: a block for each form."""
        tables: dict[tuple[str, tuple[int, ...]], list[int]] = {}
        for place, game in enumerate(self):
            if game.rated:
                tables.setdefault((game.variant, game.sides), []).append(place)
        starts = np.cumsum(self.sizes) - self.sizes
        found = []
        for (variant, sides), places in tables.items():
            seated = self.seated[starts[places][:, None] + np.arange(len(sides))]
            ends = [(self[place].ranks, self[place].offenders) for place in places]
            games_of = dict(zip(ends, places, strict=True))
            number = {end: number for number, end in enumerate(games_of)}
            end = np.fromiter(map(number.__getitem__, ends), np.int64, len(ends))
            for form in forms_of(variant, sides):
                outcomes = [self[place].pair_outcome(form.seats[0], form.others[0]) for place in games_of.values()]
                doubled = (2 * np.array(outcomes)).astype(np.int64)[end]
                kept = ~_same_bots(seated[:, form.seats], seated[:, form.others])
                found.append(PairBlock(form, np.array(places)[kept], seated[kept][:, form.all_seats], doubled[kept]))
        return found

    def at(self, places: Ints) -> Games:
        """Return the games at these places."""
        found = Games(map(self.__getitem__, places.tolist()))
        found.ids = self.ids[:, places]
        return found

    def kept(self, is_kept: Bools) -> Games:
        """Return the games that are kept; these same games if all are."""
        return self if is_kept.all() else self.at(np.flatnonzero(is_kept))


def as_games(games: Iterable[GameResult]) -> Games:
    """Return the games with their arrays; the same object if they are `Games`."""
    return games if isinstance(games, Games) else Games(games)


def distinct_games(results: Iterable[GameResult]) -> Games:
    """Return each game once, in the order of their ids.

    A game may be given twice, by overlapping databases. Raises RatingError if its two results differ.
    """
    return _in_order(results)[0]


def complete_sets(results: Iterable[GameResult]) -> Games:
    """Return the games of complete deal sets, each game once, in the order of their ids.

    A set is complete if it has every rotation that the fullest set of its line-up has, and each side plays each place
    equally often. Raises RatingError as `distinct_games`.
    """
    games, is_complete = _in_order(results)
    return games.kept(is_complete)


def rotated_games(results: Iterable[GameResult]) -> tuple[Games, bool]:
    """Return the games of complete deal sets, and True; if no set is complete, every game once, and False.

    Raises RatingError as `distinct_games`.
    """
    games, is_complete = _in_order(results)
    if is_complete.any():
        return games.kept(is_complete), True
    return games, not games


def _in_order(results: Iterable[GameResult]) -> tuple[Games, Bools]:
    """Return each game once, in the order of their ids, and for each whether its deal set is complete.

    Raises RatingError as `distinct_games`.
    """
    games = as_games(results)
    if not games:
        return games, np.zeros(0, dtype=bool)
    games = games.at(np.lexsort(games.ids[::-1]))
    changes = np.diff(games.ids, prepend=-1) != 0
    is_new = changes.any(axis=0)
    for place in np.flatnonzero(~is_new).tolist():
        if games[place] is not games[place - 1] and games[place] != games[place - 1]:
            raise RatingError(
                f"game {games[place].id} is given twice with different results; one of them is not from its record"
            )
    games, changes = games.kept(is_new), changes[:, is_new]
    is_line, is_set = changes[:3].any(axis=0), changes[:4].any(axis=0)
    starts = np.flatnonzero(is_set)
    due = 1 + np.maximum.reduceat(games.ids[4], np.flatnonzero(is_line))[np.cumsum(is_line) - 1][starts]
    sizes = np.diff(starts, append=len(games))
    sides = np.array([len(set(games[start].sides)) for start in starts.tolist()])
    return games, np.repeat((sizes == due) & (due % sides == 0), sizes)


def alphabetical(texts: Sequence[str]) -> tuple[list[str], Ints]:
    """Return the distinct texts, sorted, and the place of each text among them."""
    distinct = sorted(set(texts))
    places = {text: place for place, text in enumerate(distinct)}
    return distinct, np.fromiter(map(places.__getitem__, texts), np.int64, len(texts))


def numbered(columns: Ints) -> Ints:
    """Return a number for each column, from 0 without gaps in their order; equal columns get equal numbers.

    All values are at least 0.
    """
    found, many = np.zeros(columns.shape[1], dtype=np.int64), 1
    for row in columns:
        below = 1 + int(row.max(initial=0))
        if many > (1 << 62) // below:
            distinct, found = np.unique(found, return_inverse=True)
            many = len(distinct)
        found = found * below + row
        many *= below
    return np.unique(found, return_inverse=True)[1]


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
