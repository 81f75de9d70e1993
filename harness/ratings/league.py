"""The standings of record: who stands where, by interval and not by number (RATINGS.md, Ratings kept)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.ratings.errors import UnconnectedError
from harness.ratings.estimate import Estimate
from harness.ratings.fit import ANCHOR, Fit, fit
from harness.ratings.pairs import cluster_of, complete_sets, pairs_of
from harness.ratings.points import Points, points
from harness.ratings.pool import Pooled, pool
from harness.ratings.sequential import NORMALISED
from harness.records.rows import GameResult

Cluster = tuple[str, str, int]
"""What shares its packs: run, entry, number of the deal set (`cluster_of`)."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A bot's line. `ahead` is the likelihood of superiority over the bot of the next line, None for the last.

    `rank` is 1 and one more for each bot that is above: the 95% interval of the difference excludes 0. `normalised` is
    its normalised Elo against the field, None where it has no spread. `points` are those of single hands.
    """

    bot: str
    rank: int
    rating: Estimate
    ahead: float | None
    normalised: Estimate | None
    points: Points | None


@dataclass(frozen=True, slots=True)
class League:
    """The rated bots, the best first, and a sentence that says what 0 is, or why nobody is rated."""

    lines: tuple[Rated, ...]
    sentence: str

    def line(self, bot: str) -> Rated | None:
        """The line of a bot; None if it is not rated."""
        return next((line for line in self.lines if line.bot == bot), None)


def league(results: Iterable[GameResult], anchor: str = ANCHOR) -> League:
    """The league of these results; empty, with the reason, where bots never met."""
    games = complete_sets(results)
    try:
        found = fit(games, anchor=anchor)
    except UnconnectedError as error:
        return League((), f"no ratings: {error}")
    order = sorted(found.bots, key=lambda bot: (*_place(found.rating(bot)), bot))
    scores = _points_of(games)
    against_field = normalised(games)
    lines = [
        Rated(
            bot=bot,
            rank=rank_of(found, bot),
            rating=found.rating(bot),
            ahead=found.difference(bot, order[place + 1]).superiority if place + 1 < len(order) else None,
            normalised=against_field.get(bot),
            points=scores.get(bot),
        )
        for place, bot in enumerate(order)
    ]
    return League(
        tuple(lines), basis_of(found, anchor) if lines else "no ratings: no game of two different bots is rated"
    )


def basis_of(found: Fit, anchor: str = ANCHOR) -> str:
    """What stands at 0, in a sentence."""
    if found.anchor:
        return f"Elo: the anchor {found.anchor} stands at {found.anchor_rating:g}"
    everybody = len(found.basis) == len(found.bots)
    who = "all" if everybody else ", ".join(found.basis)
    if anchor not in found.bots:
        return f"Elo: the mean of {who} is 0 (the anchor {anchor} did not play)"
    return f"Elo: the mean of {who} is 0 (every result between them and the anchor {anchor} points the same way)"


def pooled(results: Iterable[GameResult], anchor: str = ANCHOR) -> dict[str, Pooled]:
    """By bot, its rating over the variants that it played, the best first.

    0 is the anchor where it has a finite rating in every variant, else the mean of all bots that have one there; `{}`
    where there are none, or where bots of a variant never met.
    """
    fits = _fits(results, anchor)
    if not fits:
        return {}
    common = sorted(set.intersection(*(set(one.basis) for one in fits)))
    if not common:
        return {}
    zero = {anchor: 1.0} if anchor in common else dict.fromkeys(common, 1 / len(common))
    bots = sorted({bot for one in fits for bot in one.bots})
    found = {bot: pool([one.against(bot, zero) for one in fits if bot in one.bots]) for bot in bots}
    return dict(sorted(found.items(), key=lambda item: (*_place(item[1].equal), item[0])))


def _fits(results: Iterable[GameResult], anchor: str) -> list[Fit]:
    variants: dict[str, list[GameResult]] = {}
    for game in results:
        variants.setdefault(game.variant, []).append(game)
    try:
        fits = [fit(games, anchor=anchor) for _, games in sorted(variants.items())]
    except UnconnectedError:
        return []
    return [one for one in fits if one.bots]


def normalised(games: Iterable[GameResult]) -> dict[str, Estimate]:
    """By bot, its normalised Elo against the field: its mean above one half in standard deviations of a game.

    The deal set is the unit. Bots with fewer than two sets, or with sets that are all alike, are left out.
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
    return Estimate(mean / unit * NORMALISED, spread / math.sqrt(number) / unit * NORMALISED, number - 1)


def _shares(game: GameResult) -> dict[str, list[float]]:
    """By bot, the outcomes of its pairs in a game."""
    shares: dict[str, list[float]] = {}
    for pair in pairs_of(game):
        for bot in set(pair.bots):
            shares.setdefault(bot, []).append(pair.outcome)
        for bot in set(pair.other_bots):
            shares.setdefault(bot, []).append(1 - pair.outcome)
    return shares


def _points_of(games: Sequence[GameResult]) -> Mapping[str, Points]:
    """The points by bot, where all games are of one variant; of several together they have no unit."""
    if len({game.variant for game in games}) != 1:
        return {}
    return {row.bot: row for row in points(games)}


def _place(rating: Estimate) -> tuple[float, float]:
    """What ratings are sorted by: infinite ones by their bounds."""
    return -rating.value, -(rating.bound if rating.bound is not None else 0.0)


def rank_of(found: Fit, bot: str) -> int:
    """The rank of a bot by interval: 1, and one more for each bot whose difference to it is settled (`Rated`)."""
    differences = (found.difference(other, bot) for other in found.bots if other != bot)
    return 1 + sum(one.value > 0 and one.settled() for one in differences)
