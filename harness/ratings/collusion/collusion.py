"""Collusion flags: results between two bots that their other results don't explain (ratings.md, Collusion).

A bot that loses to a friend on purpose does worse against it than against all others. A flag points to games worth
looking at. It accuses nobody and changes no rating, because a style that fares badly against another looks the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.estimate import LEVEL, quantile
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.game_result import GameResult

if TYPE_CHECKING:
    from bowerbird.harness.ratings.collusion.expectation import Excess
    from bowerbird.harness.ratings.collusion.meetings import Meetings

MOST_BOTS = 30
"""With more bots than this, no flags are sought, because there are over 435 pairs, each with its own fit."""

FEWEST_BOTS = 4
"""With three bots nobody can tell which two are suspicious, because the results look like a circle."""


@dataclass(frozen=True, slots=True)
class Surprise:
    """A bot's result against another, and the result that all other games predict, in shares of pairs or points.

    error: the standard error of the difference if nothing is wrong, from the ratings, these deal sets, and styles.
    dof: the degrees of freedom of `error` (Student's t).
    """

    observed: float
    expected: float
    error: float
    dof: float

    @property
    def excess(self) -> float:
        """The excess of the result over the prediction."""
        return self.observed - self.expected

    @property
    def margin(self) -> float:
        """Half the width of the interval that contains 95% of such results if nothing is wrong."""
        return quantile(LEVEL, self.dof) * self.error


@dataclass(frozen=True, slots=True)
class CollusionFlag:
    """A flag on two bots: one did better against the other than both bots' other results predict.

    gained, lost: the bots.
    share: the share of pairs that `gained` won against `lost`, a draw counting half.
    points: points per deal above those of `lost`, in the better direction; None if they have no unit.
    by_points: True if the points stand out, not the share.
    p_value: the probability that any two bots in the table have a result this far from the prediction, if nothing is
        wrong (Holm).
    sets: the deal sets in which the two met.
    """

    gained: str
    lost: str
    share: Surprise
    points: Surprise | None
    by_points: bool
    p_value: float
    sets: int

    @property
    def sentence(self) -> str:
        """The flag as a sentence for users."""
        result, expected = self._figures()
        return f"{result}, where their other results predict {expected}: look at their games"

    @property
    def brief(self) -> str:
        """The flag in a few words."""
        result, expected = self._figures()
        return f"{result}, not {expected}"

    def _figures(self) -> tuple[str, str]:
        """Return the observed and the expected result, in the unit that stands out."""
        gained, lost = shown(self.gained), shown(self.lost)
        if self.by_points and self.points is not None:
            points = self.points
            return (
                f"{gained} makes {points.observed:+.2f} points a deal against {lost}",
                f"{points.expected:+.2f} ± {points.margin:.2f}",
            )
        share = self.share
        return (
            f"{gained} scores {_percent(share.observed)} against {lost}",
            f"{_percent(share.expected)} ± {_percent(share.margin)}",
        )


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def collusion_flags(
    games: Iterable[GameResult], *, points: bool = False, level: float = LEVEL
) -> tuple[CollusionFlag, ...]:
    """Return the flags of one scope, the most certain first.

    games: complete deal sets, each game once.
    points: True if points per deal have a unit, so that they are compared, too.
    level: 1 minus the probability of any flag in a table of honest bots.

    The most certain pair is flagged first. Its games are then ignored for all other pairs, because games lost on
    purpose lower a rating and distort the predictions for others. Games with a seat at fault are ignored. Return () for
    fewer than `FEWEST_BOTS` or more than `MOST_BOTS` bots.
    """
    played = list(games)
    bots = len({bot for game in played for bot in game.bots})
    if not FEWEST_BOTS <= bots <= MOST_BOTS:
        return ()
    played.sort(key=lambda game: (game.id.run, game.id.set_key, game.id.rotation))
    from bowerbird.harness.ratings.collusion.meetings import meetings_of

    meetings = meetings_of(played, points=points)
    return _flags(meetings, level) if meetings.pairs else ()


def _flags(meetings: Meetings, level: float) -> tuple[CollusionFlag, ...]:
    import numpy as np

    from bowerbird.harness.ratings.collusion.expectation import (
        excess_of_points,
        excess_of_shares,
        judged_pairs,
        sets_of,
    )

    left_out = np.zeros(len(meetings.design), dtype=np.bool_)
    judged = judged_pairs(meetings, left_out)
    sets = sets_of(meetings, left_out)
    tested, worst = int(judged.sum()), 0.0
    flags: list[CollusionFlag] = []
    while judged.any():
        shares = excess_of_shares(meetings, left_out, judged)
        points = None if meetings.points is None else excess_of_points(meetings, left_out, judged)
        by_share = 2 * np.minimum(shares.above, shares.below)
        p_values = by_share if points is None else 2 * np.minimum(by_share, 2 * np.minimum(points.above, points.below))
        surest = int(np.argmin(p_values))
        worst = max(worst, float(p_values[surest]) * max(int(judged.sum()), tested - len(flags)))
        if worst > 1 - level:
            break
        flags.append(_flag(meetings, (shares, points), surest, worst, int(sets[surest])))
        left_out |= meetings.opposed[surest] != 0
        judged = judged & judged_pairs(meetings, left_out)
    return tuple(flags)


def _flag(
    meetings: Meetings, found: tuple[Excess, Excess | None], row: int, p_value: float, sets: int
) -> CollusionFlag:
    """Return the flag of a pair, from the side of the bot that gained. `found` contains shares and points."""
    shares, points = found
    one, other = (meetings.bots[place] for place in meetings.pairs[row])
    by_share = min(shares.above[row], shares.below[row])
    by_points = points is not None and bool(min(points.above[row], points.below[row]) < by_share)
    source = points if points is not None and by_points else shares
    first = bool(source.above[row] < source.below[row])
    return CollusionFlag(
        gained=one if first else other,
        lost=other if first else one,
        share=_surprise(shares, row, 1.0, first=first),
        points=None if points is None else _surprise(points, row, 0.0, first=first),
        by_points=by_points,
        p_value=min(1.0, p_value),
        sets=sets,
    )


def _surprise(excess: Excess, row: int, whole: float, *, first: bool) -> Surprise:
    """Return the result of the first bot of a pair, or of the second. The two values add up to `whole`."""
    observed, expected = float(excess.observed[row]), float(excess.expected[row])
    if not first:
        observed, expected = whole - observed, whole - expected
    return Surprise(observed, expected, float(excess.error[row]), float(excess.dof[row]))
