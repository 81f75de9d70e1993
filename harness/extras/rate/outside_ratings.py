"""Rates games of other programs: ratings with errors, ranks, likelihoods of superiority, and a test of two players.

Input: games in order. Output: `OutsideRatings`. Each game is one observation, or each two consecutive games of the same
players with colours swapped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from bowerbird.engine import unknown
from bowerbird.harness.extras.rate.outside_games import OutsideGame
from bowerbird.harness.ratings.bradley_terry.fit import fit
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.sequential.set_values import SetValue
from bowerbird.harness.ratings.standings.rating_list import RatingList, rating_list
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RUN, ENTRY, VARIANT = "outside", "game-0", "game"


@dataclass(frozen=True, slots=True)
class OutsideRatings:
    """The ratings of outside games.

    listed: the rating list, with ranks and likelihoods.
    errors: the standard errors of the differences of all players in Elo, by their places in `players`. An error is
        infinite if all results point the same way.
    played, score: each player's number of games and share of the points.
    first: the advantage of a game's first player, in Elo.
    """

    listed: RatingList
    players: tuple[str, ...]
    errors: NDArray[np.float64]
    played: dict[str, int]
    score: dict[str, float]
    first: float


def results_of(games: Sequence[OutsideGame], *, in_pairs: bool = False) -> list[GameResult]:
    """Return games as results. With `in_pairs`, a game and the next one form a deal set if they mirror each other."""
    results: list[GameResult] = []
    number = -1
    for games_of_set in _sets(games) if in_pairs else ((game,) for game in games):
        number += 1
        results += [_result(game, number, turn) for turn, game in enumerate(games_of_set)]
    return results


def _sets(games: Sequence[OutsideGame]) -> Iterator[tuple[OutsideGame, ...]]:
    place = 0
    mirrored = {at for at, (one, two) in enumerate(pairwise(games)) if (one.white, one.black) == (two.black, two.white)}
    while place < len(games):
        size = 2 if place in mirrored else 1
        yield tuple(games[place : place + size])
        place += size


def _result(game: OutsideGame, number: int, turn: int) -> GameResult:
    lineup = "+".join(sorted((game.white, game.black)))
    ranks = (1, 1) if game.score == 0.5 else (1, 2) if game.score == 1 else (2, 1)
    return GameResult(
        id=GameId(RUN, ENTRY, lineup, number, turn),
        variant=VARIANT,
        bots=(game.white, game.black),
        sides=(0, 1),
        ranks=ranks,
        scores=(),
        offenders=(),
        rated=True,
    )


def rate_games(
    games: Sequence[OutsideGame], *, anchor: str = "", in_pairs: bool = False, reduce_bias: bool = True
) -> OutsideRatings:
    """Return the ratings of games.

    anchor: the player whose rating is 0; "" for a mean of 0.
    in_pairs, reduce_bias: as for `results_of` and `fit`.

    Raises RatingError for an anchor that did not play, or if no ratings can be computed.
    """
    results = results_of(games, in_pairs=in_pairs)
    played: dict[str, int] = {}
    won: dict[str, float] = {}
    for game in games:
        for player, score in ((game.white, game.score), (game.black, 1 - game.score)):
            played[player] = played.get(player, 0) + 1
            won[player] = won.get(player, 0.0) + score
    if anchor and anchor not in played:
        raise RatingError(unknown("player", anchor, sorted(played)))
    found = fit(results, anchor=anchor, complete_only=False, reduce_bias=reduce_bias)
    listed = rating_list(results, anchor, complete_only=False, reduce_bias=reduce_bias)
    if not listed.lines:
        raise RatingError(listed.sentence)
    seats = {seat: value for (_, _, seat), value in found.seats.items()}
    return OutsideRatings(
        listed=listed,
        players=found.bots,
        errors=found.errors().se,
        played=played,
        score={player: won[player] / played[player] for player in played},
        first=seats.get(0, 0.0) - seats.get(1, 0.0),
    )


def values_between(games: Sequence[OutsideGame], one: str, other: str, *, in_pairs: bool = False) -> list[SetValue]:
    """Return the games of two players in order as values for a sequential test: the score of `one` minus 1/2.

    Raises RatingError if they never met.
    """
    met = [game for game in games if {game.white, game.black} == {one, other}]
    if not met:
        raise RatingError(f"{one!r} and {other!r} have no finished game against each other")
    values = []
    for games_of_set in _sets(met) if in_pairs else ((game,) for game in met):
        scores = [Fraction(game.score if game.white == one else 1 - game.score) for game in games_of_set]
        values.append(SetValue(sum(scores, Fraction()) / len(scores) - Fraction(1, 2), len(scores)))
    return values
