"""The rating list: every bot with its rating of record and its rank by interval (ratings.md, Ratings kept)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.ratings.bradley_terry.connectivity import UnconnectedError
from harness.ratings.bradley_terry.fit import ANCHOR, Fit, fit
from harness.ratings.estimate import Estimate, strength_order
from harness.ratings.pairs import Cluster, cluster_of, complete_sets, pairs_of
from harness.ratings.points import Points, points
from harness.ratings.sequential.sprt import ELO_PER_DEVIATION
from harness.records.values.game_result import GameResult


@dataclass(frozen=True, slots=True)
class RatedBot:
    """A line of the rating list.

    `rank` is 1 plus the number of bots above: those where the 95% interval of the difference excludes 0. `ahead` is the
    likelihood of superiority over the bot of the next line; None for the last line. `normalised` is the normalised Elo
    against the field; None without spread. `points` are the points for each deal.
    """

    bot: str
    rank: int
    rating: Estimate
    ahead: float | None
    normalised: Estimate | None
    points: Points | None


@dataclass(frozen=True, slots=True)
class RatingList:
    """The rated bots, the strongest first. `sentence` says which rating is 0, or why no bot is rated."""

    lines: tuple[RatedBot, ...]
    sentence: str

    def line(self, bot: str) -> RatedBot | None:
        """Return the line of a bot; None if it is not rated."""
        return next((line for line in self.lines if line.bot == bot), None)


def rating_list(results: Iterable[GameResult], anchor: str = ANCHOR) -> RatingList:
    """Return the rating list of these results; empty, with the reason, if groups of bots never met."""
    games = complete_sets(results)
    try:
        found = fit(games, anchor=anchor)
    except UnconnectedError as error:
        return RatingList((), f"no ratings: {error}")
    order = sorted(found.bots, key=lambda bot: (*strength_order(found.rating(bot)), bot))
    scores = _points_of(games)
    against_field = normalised(games)
    lines = [
        RatedBot(
            bot=bot,
            rank=rank_of(found, bot),
            rating=found.rating(bot),
            ahead=found.difference(bot, order[place + 1]).superiority if place + 1 < len(order) else None,
            normalised=against_field.get(bot),
            points=scores.get(bot),
        )
        for place, bot in enumerate(order)
    ]
    return RatingList(
        tuple(lines), basis_of(found, anchor) if lines else "no ratings: no game of two different bots is rated"
    )


def basis_of(found: Fit, anchor: str = ANCHOR) -> str:
    """Return a sentence that says which rating is 0."""
    if found.anchor:
        return f"Elo: the anchor {found.anchor} stands at {found.anchor_rating:g}"
    first, *others = found.basis
    if len(found.basis) == len(found.bots):
        zero = "the mean of all is 0"
    elif others:
        zero = f"the mean of {', '.join(found.basis[:-1])} and {others[-1]} is 0"
    else:
        zero = f"{first} stands at 0"
    if anchor not in found.bots:
        return f"Elo: {zero} (the anchor {anchor} did not play)"
    return f"Elo: {zero} (the anchor {anchor} won or lost everything, so it has no finite rating)"


def normalised(games: Iterable[GameResult]) -> dict[str, Estimate]:
    """Return by bot its normalised Elo against the field: its mean above 1/2 in standard deviations of a game.

    Deal sets are the clusters. Bots with fewer than two sets, or with equal results in all sets, are left out.
    """
    shares: dict[str, dict[Cluster, list[float]]] = {}
    played: dict[str, dict[Cluster, int]] = {}
    for game in games:
        cluster = cluster_of(game)
        for bot, outcomes in _shares(game).items():
            shares.setdefault(bot, {}).setdefault(cluster, []).extend(outcomes)
            sets = played.setdefault(bot, {})
            sets[cluster] = sets.get(cluster, 0) + 1
    found = {bot: _normalised(sets, played[bot]) for bot, sets in shares.items()}
    return {bot: estimate for bot, estimate in found.items() if estimate is not None}


def _normalised(sets: Mapping[Cluster, Sequence[float]], played: Mapping[Cluster, int]) -> Estimate | None:
    means = [math.fsum(shares) / len(shares) - 0.5 for shares in sets.values()]
    number = len(means)
    mean = math.fsum(means) / number
    spread = math.sqrt(math.fsum((one - mean) ** 2 for one in means) / number)
    if number < 2 or spread == 0:
        return None
    unit = spread * math.sqrt(math.fsum(played.values()) / number)
    return Estimate(mean / unit * ELO_PER_DEVIATION, spread / math.sqrt(number) / unit * ELO_PER_DEVIATION, number - 1)


def _shares(game: GameResult) -> dict[str, list[float]]:
    """Return by bot the outcomes of its pairs in a game."""
    shares: dict[str, list[float]] = {}
    for pair in pairs_of(game):
        for bot in set(pair.bots):
            shares.setdefault(bot, []).append(pair.outcome)
        for bot in set(pair.other_bots):
            shares.setdefault(bot, []).append(1 - pair.outcome)
    return shares


def _points_of(games: Sequence[GameResult]) -> Mapping[str, Points]:
    """Return the points by bot if all games are of one variant; over several variants points have no unit."""
    if len({game.variant for game in games}) != 1:
        return {}
    return {row.bot: row for row in points(games)}


def rank_of(found: Fit, bot: str) -> int:
    """Return the rank of a bot: 1 plus the number of bots whose difference to it is positive and settled."""
    differences = (found.difference(other, bot) for other in found.bots if other != bot)
    return 1 + sum(one.value > 0 and one.settled() for one in differences)
