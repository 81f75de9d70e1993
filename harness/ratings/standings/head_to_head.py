"""Compares two bots, scope by scope: against each other, and against the opponents that both met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bowerbird.harness.ratings.bradley_terry.fit import Fit, fit
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.points import PointsFit, points_fit
from bowerbird.harness.ratings.standings.overview import Leaderboard, Overview
from bowerbird.harness.ratings.standings.pool import weighted_mean, weights_in
from bowerbird.harness.ratings.standings.rating_list import computed
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.query_results import Pairing
from bowerbird.harness.records.values.run import SetKey


@dataclass(frozen=True, slots=True)
class CommonOpponent:
    """How two bots did against a third bot, in one scope."""

    of_bot: Pairing
    of_other: Pairing

    @property
    def opponent(self) -> str:
        """The third bot."""
        return self.of_bot.opponent


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two bots in one scope.

    title: the scope.
    games, sets: the games and deal sets in which they met on different sides.
    pairing: the results of `bot` against `other`; None if they never met.
    difference: how much the rating of `bot` is above that of `other`, from all games of the scope; None if one of
        them has no rating, or if results chose the pairs (`RatingList.no_ranks`).
    points: the same for points per deal; also None if they have no unit.
    common: the opponents that both met, by name.
    """

    bot: str
    other: str
    title: str
    variant: str
    games: int
    sets: int
    pairing: Pairing | None
    difference: Estimate | None
    points: Estimate | None
    common: tuple[CommonOpponent, ...]


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Two bots in all scopes in which both played; scopes rated apart come last.

    mean: the mean of the differences over the variants, each with its weight; None with fewer than two.
    weights: the weights of variants in the mean, if not 1.
    """

    bot: str
    other: str
    comparisons: tuple[Comparison, ...]
    mean: Estimate | None
    weights: Mapping[str, float]


class HeadToHeads:
    """Compares pairs of bots of one overview. Everything that pairs share is computed once."""

    def __init__(self, overview: Overview) -> None:
        """Fit the ratings of each scope."""
        self._overview = overview
        self._boards = [_Board(overview, board) for board in overview.every]

    def between(self, bot: str, other: str) -> HeadToHead:
        """Return how two bots compare, in all scopes in which both played."""
        shared = [one for one in self._boards if bot in one.bots and other in one.bots]
        found = [(one, one.compare(bot, other)) for one in shared]
        differences = {
            one.board.variant: compared.difference
            for one, compared in found
            if compared.difference is not None and one.board in self._overview.variants
        }
        weights = self._overview.weights

        def mean_of_all() -> Estimate | None:
            values = [*differences.values()]
            return weighted_mean(values, weights_in(differences, weights)) if len(values) > 1 else None

        mean, _ = computed("the mean", mean_of_all, None)
        return HeadToHead(bot, other, tuple(compared for _, compared in found), mean, weights)


class _Board:
    """A scope with its fits, and its games by pair of bots."""

    def __init__(self, overview: Overview, board: Leaderboard) -> None:
        assert board.scope is not None, "every leaderboard of an overview but the mean has a scope"
        from bowerbird.harness.ratings.games import complete_sets

        games = complete_sets(board.results)
        self.board = board
        self.bots = frozenset(board.bots)
        self._title = overview.description(board.scope)
        has_ranks = not board.rating_list.no_ranks
        self._fit = _fit(games) if has_ranks else None
        has_points = has_ranks and board.has_points
        self._points, _ = computed("points", lambda: points_fit(games) if has_points else None, None)
        self._cells = {(one.bot, one.opponent): one for one in board.pairings}
        self._opponents: dict[str, list[str]] = {}
        for one in board.pairings:
            self._opponents.setdefault(one.bot, []).append(one.opponent)
        self._sets = _sets_of_pairs(board.results)

    def compare(self, bot: str, other: str) -> Comparison:
        pairing = self._cells.get((bot, other))
        both = sorted({*self._opponents.get(bot, ())} & {*self._opponents.get(other, ())})
        return Comparison(
            bot=bot,
            other=other,
            title=self._title,
            variant=self.board.variant,
            games=0 if pairing is None else pairing.games,
            sets=len(self._sets.get((bot, other), ())),
            pairing=pairing,
            difference=_difference(self._fit, bot, other),
            points=_difference(self._points, bot, other),
            common=tuple(CommonOpponent(self._cells[bot, third], self._cells[other, third]) for third in both),
        )


def _fit(games: list[GameResult]) -> Fit | None:
    try:
        return fit(games)
    except RatingError:
        return None


def _difference(found: Fit | PointsFit | None, bot: str, other: str) -> Estimate | None:
    if found is None or bot not in found.bots or other not in found.bots:
        return None
    return computed("the difference", lambda: found.difference(bot, other), None)[0]


def _sets_of_pairs(games: tuple[GameResult, ...]) -> Mapping[tuple[str, str], set[tuple[str, SetKey]]]:
    """Return for each pair of bots the deal sets, by run and key, in which they met on different sides."""
    sets: dict[tuple[str, str], set[tuple[str, SetKey]]] = {}
    for game in games:
        which = game.id.run, game.id.set_key
        members = {(side, bot) for side, bot in zip(game.sides, game.bots, strict=True)}
        for side, bot in members:
            for other_side, other in members:
                if side != other_side and bot != other:
                    sets.setdefault((bot, other), set()).add(which)
    return sets
