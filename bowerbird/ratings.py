"""Ratings from results of games: a fit with errors, points for each deal, a sequential test.

Results come from `bowerbird.records` (`Database.results`, `game_result_of`) or from anywhere else by `game_result`:

>>> results = []
>>> for deal in range(100):
...     ann, bob = (2, 1) if deal % 4 == 0 else (1, 2)  # ann wins three deals of four, from both sides of the table
...     results.append(game_result(["ann", "bob", "ann", "bob"], [ann, bob, ann, bob], deal_set=deal, rotation=0))
...     results.append(game_result(["bob", "ann", "bob", "ann"], [bob, ann, bob, ann], deal_set=deal, rotation=1))
>>> difference = fit(results, anchor="bob").difference("ann", "bob")
>>> round(difference.value), [round(end) for end in difference.interval()]
(189, [110, 267])

Ratings are in Elo: 400 points are odds of ten to one. Errors are standard errors, clustered by deal set: the games of a
deal set share their cards and are not independent observations (ratings.md). numpy and scipy are imported when
something is computed, not with this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import cast

from bowerbird.harness.ratings.bradley_terry.connectivity import UnconnectedError
from bowerbird.harness.ratings.bradley_terry.fit import ANCHOR, Fit, fit
from bowerbird.harness.ratings.estimate import Estimate, expected_score
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.points import Points, points
from bowerbird.harness.ratings.sequential.set_values import SCORE, set_values
from bowerbird.harness.ratings.sequential.sprt import (
    Hypotheses,
    SequentialDecision,
    StoppedStrength,
    Strength,
    decide,
    strength_of,
)
from bowerbird.harness.ratings.sequential.stopped import StoppedEstimate
from bowerbird.harness.ratings.standings.rating_list import RatedBot, RatingList, rating_list
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.outcome import sides_of
from bowerbird.harness.records.values.run import GameId

__all__ = [
    "ANCHOR",
    "Estimate",
    "Fit",
    "GameId",
    "GameResult",
    "Hypotheses",
    "Points",
    "RatedBot",
    "RatingError",
    "RatingList",
    "SequentialDecision",
    "StoppedEstimate",
    "StoppedStrength",
    "Strength",
    "UnconnectedError",
    "expected_score",
    "fit",
    "game_result",
    "points",
    "rating_list",
    "sequential_strength",
    "sequential_test",
]

_LARGEST = 10**9


def game_result(
    bots: Sequence[str],
    ranks: Sequence[int],
    *,
    deal_set: int,
    rotation: int = 0,
    variant: str = "euchre",
    sides: Sequence[int] | None = None,
    scores: Sequence[int] = (),
    hands: int = 0,
    offenders: Sequence[int] = (),
    run: str = "own",
) -> GameResult:
    """Return the result of a game that no database holds.

    All sequences but `offenders` are by seat.

    bots: the name of the bot at each seat.
    ranks: 1 for the winners; ties share the better rank.
    deal_set: number of the deal set, from 0. Games with the same cards belong to one set, also those of other bots.
    rotation: number of the game among those of the same bots in its deal set, from 0.
    variant: what was played. A name of rules.md, or any other if `sides` are given and no points are asked for.
    sides: the number of each seat's side. None for those of the variant with its default options.
    scores: the scores at the end, for `points`; () if they are not known.
    hands: number of finished hands, for `points`.
    offenders: the seats at fault, whose sides lose to every other side.
    run: which experiment it belongs to.

    Raises ValueError if the sequences differ in length, EngineError for an unknown variant without `sides`, RatingError
    for a number that is not finite or not between -1e9 and 1e9.

    >>> game_result(["ann", "bob", "ann", "bob"], [1, 2, 1, 2], deal_set=7).sides
    (0, 1, 0, 1)
    """
    of_seats = tuple(sides) if sides is not None else sides_of(variant, {})
    for what, values in (("ranks", ranks), ("sides", of_seats), ("scores", scores or ranks)):
        if len(values) != len(bots):
            raise ValueError(f"{len(bots)} bots and {len(values)} {what} are given, by seat there must be as many")
    for what, values, least in (
        ("rank", ranks, 1),
        ("score", scores, -_LARGEST),
        ("number of hands", (hands,), 0),
        ("deal set", (deal_set,), 0),
        ("rotation", (rotation,), 0),
    ):
        for value in values:
            _check_whole(what, value, least)
    return GameResult(
        id=GameId(run, f"{variant}-0", _lineup(bots, of_seats), deal_set, rotation),
        variant=variant,
        bots=tuple(bots),
        sides=of_seats,
        ranks=tuple(ranks),
        scores=tuple(scores),
        offenders=tuple(sorted(offenders)),
        rated=True,
        hands=hands,
    )


def _check_whole(what: str, value: object, least: int) -> None:
    """Raise RatingError unless a value is a whole number from `least` to _LARGEST; numbers of numpy are numbers."""
    number = cast(float, value)
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not least <= number <= _LARGEST or number % 1 != 0:  # NaN is between nothing
        raise RatingError(f"a {what} is not a whole number between {least:g} and {_LARGEST:g}")


def _lineup(bots: Sequence[str], sides: Sequence[int]) -> str:
    """Return the name of a line-up: who plays with whom, in an order that no rotation changes."""
    members: dict[int, list[str]] = {}
    for bot, side in zip(bots, sides, strict=True):
        members.setdefault(side, []).append(bot)
    return "+".join(sorted("&".join(sorted(set(side))) for side in members.values()))


def sequential_test(
    results: Iterable[GameResult],
    bot: str,
    opponent: str,
    hypotheses: Hypotheses | None = None,
    *,
    measure: str = SCORE,
) -> SequentialDecision:
    """Test whether `bot` is stronger than `opponent` by `elo1` rather than by `elo0` (ratings.md, Sequential test).

    Deal sets count in the order of their numbers, up to the first incomplete one. The first that reaches a bound
    decides, and later ones change nothing.

    hypotheses: both hypotheses in Elo with their error probabilities; None for 0 against 10 Elo at 5%. `Hypotheses`
        raises RatingError for numbers that make no test, such as NaN or 1e6 Elo.
    measure: "score", the share of games won, or "points" for single deals, which needs normalised Elo.

    Raises RatingError for points with logistic Elo, and for an unknown measure.

    >>> results = []
    >>> for deal in range(200):
    ...     ann, bob = (2, 1) if deal % 4 == 0 else (1, 2)
    ...     results.append(game_result(["ann", "bob"] * 2, [ann, bob] * 2, deal_set=deal, rotation=0))
    ...     results.append(game_result(["bob", "ann"] * 2, [bob, ann] * 2, deal_set=deal, rotation=1))
    >>> decision = sequential_test(results, "ann", "bob", Hypotheses(elo0=0, elo1=20))
    >>> decision.accepted, decision.sets
    ('H1', 111)
    """
    return decide(set_values(results, bot, opponent, measure), hypotheses or Hypotheses(), measure)


def sequential_strength(
    results: Iterable[GameResult],
    bot: str,
    opponent: str,
    hypotheses: Hypotheses | None = None,
    *,
    measure: str = SCORE,
) -> Strength | None:
    """Return by how much `bot` is stronger than `opponent`, from their deal sets (ratings.md, Sequential test).

    hypotheses: the hypotheses of the `sequential_test` that the sets ended. A test stops when its results are extreme,
        so the plain estimates of its sets are too large. With hypotheses the result counts the sets up to the stop, and
        `Strength.corrected` has estimates that allow for it: a value that is too high in half of all tests, with a 95%
        interval. Without hypotheses all sets count, and `corrected` is None.
    measure: as in `sequential_test`.

    None with fewer than two sets, or if all sets have the same value. A perfect score has a value with one bound, and
    no correction. Raises RatingError as `sequential_test`.

    >>> results = []
    >>> for deal in range(200):
    ...     ann, bob = (2, 1) if deal % 4 == 0 else (1, 2)
    ...     results.append(game_result(["ann", "bob"] * 2, [ann, bob] * 2, deal_set=deal, rotation=0))
    ...     results.append(game_result(["bob", "ann"] * 2, [bob, ann] * 2, deal_set=deal, rotation=1))
    >>> strength = sequential_strength(results, "ann", "bob", Hypotheses(elo0=0, elo1=20))
    >>> round(strength.elo.value), round(strength.corrected.elo.value)
    (189, 184)
    """
    return strength_of(set_values(results, bot, opponent, measure), measure, hypotheses)
