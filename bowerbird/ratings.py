"""Ratings from game results: a fit with standard errors, points per deal, and a sequential test.

Take results from `bowerbird.records` (`Database.results`, `game_result_of`), or make your own with `game_result`:

>>> results = []
>>> for deal in range(100):
...     ann, bob = (2, 1) if deal % 4 == 0 else (1, 2)  # ann wins three deals in four, from both sides of the table
...     results.append(game_result(["ann", "bob", "ann", "bob"], [ann, bob, ann, bob], deal_set=deal, rotation=0))
...     results.append(game_result(["bob", "ann", "bob", "ann"], [bob, ann, bob, ann], deal_set=deal, rotation=1))
>>> difference = fit(results, anchor="bob").difference("ann", "bob")
>>> round(difference.value), [round(end) for end in difference.interval()]
(189, [110, 267])

Ratings are in Elo: 400 points are odds of ten to one. Errors are standard errors, clustered by deal set: the games of a
deal set share their cards and are not independent observations (ratings.md). Importing this module does not import
numpy or scipy; the first computation does.
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
    """Return the result of a game that is not in a database.

    All sequences except `offenders` have one item per seat.

    bots: the name of the bot at each seat.
    ranks: 1 for the winners; ties share the better rank.
    deal_set: number of the deal set, from 0. Games with the same cards belong to the same set, even if other bots
        played them.
    rotation: number of the game among the games of these bots in its deal set, from 0.
    variant: the variant played. Any name will do if you give `sides` and compute no points; otherwise a name from
        rules.md.
    sides: the number of each seat's side; None for the sides of the variant with its default options.
    scores: the final scores, for `points`; () if unknown.
    hands: number of finished hands, for `points`.
    offenders: the seats at fault, whose sides lose to every other side.
    run: the experiment that the game belongs to.

    Raises ValueError if the sequences differ in length, EngineError for an unknown variant without `sides`, and
    RatingError for a number that is not whole, is too small, or exceeds 1e9.

    >>> game_result(["ann", "bob", "ann", "bob"], [1, 2, 1, 2], deal_set=7).sides
    (0, 1, 0, 1)
    """
    of_seats = tuple(sides) if sides is not None else sides_of(variant, {})
    for what, values in (("ranks", ranks), ("sides", of_seats), ("scores", scores or ranks)):
        if len(values) != len(bots):
            raise ValueError(f"got {len(bots)} bots and {len(values)} {what}; must be one of each for every seat")
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
    """Raise RatingError unless `value` is a whole number from `least` to _LARGEST; numpy numbers are allowed."""
    number = cast(float, value)
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not least <= number <= _LARGEST or number % 1 != 0:  # NaN fails this comparison
        raise RatingError(f"a {what} must be a whole number from {least:g} to {_LARGEST:g}")


def _lineup(bots: Sequence[str], sides: Sequence[int]) -> str:
    """Return the name of a line-up: who plays with whom, in the same order for every rotation."""
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

    Deal sets count in order of their numbers, up to the first incomplete one. The first set that reaches a bound
    decides the test; later sets change nothing.

    hypotheses: both hypotheses in Elo, with their error probabilities; None for 0 against 10 Elo at 5%. `Hypotheses`
        raises RatingError for unusable numbers, such as NaN or 1e6 Elo.
    measure: "score", the share of games won, or "points", the points per deal, which needs normalised Elo.

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
    """Return how much stronger `bot` is than `opponent`, from their deal sets (ratings.md, Sequential test).

    hypotheses: the hypotheses of the `sequential_test` that these sets ended. A test stops when its results are
        extreme, so plain estimates are too large. With hypotheses, only sets up to the stop count, and
        `Strength.corrected` has estimates that allow for the stop: a value that is too high in half of all tests, with
        a 95% interval. Without hypotheses, all sets count, and `corrected` is None.
    measure: as in `sequential_test`.

    Return None for fewer than two sets, or if all sets have the same value. A perfect score has a value with only one
    bound and no correction. Raises RatingError in the same cases as `sequential_test`.

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
