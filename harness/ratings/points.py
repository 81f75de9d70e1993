"""Points for each deal with a clustered error (ratings.md, Ratings kept, 3): exact differences, set by set.

In a run of single deals (`unit = "deals"`) a bot's points above its table's mean hold more information than wins.
The games of one deal set share their cards, so a set is one observation, over all line-ups that play its packs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from engine import rules_of
from harness.ratings.pairs import Cluster
from harness.records.values.game_result import GameResult, by_set
from harness.records.values.run import SetKey


@dataclass(frozen=True, slots=True)
class Points:
    """A bot's mean of points above its table's mean, in points for each deal, in the variant's better direction.

    `error` is the standard error, clustered by deal set; None with fewer than two sets.
    """

    variant: str
    bot: str
    mean: float
    error: float | None
    sets: int


def set_differences(results: Iterable[GameResult]) -> dict[SetKey, dict[str, Fraction]]:
    """Return by deal set and bot the mean of its points above the table's mean, exactly; positive is better.

    Two copies of one deterministic bot have 0 in every set.
    """
    return {
        key: {bot: sum(values, Fraction()) / len(values) for bot, values in bots.items()}
        for key, bots in _values(results).items()
    }


def points(results: Iterable[GameResult]) -> tuple[Points, ...]:
    """Return the points of every bot in every variant, sorted by variant and bot."""
    sums: dict[tuple[str, str], dict[Cluster, tuple[Fraction, int]]] = {}
    for run, games in _by_run(results).items():
        deals = _deals(games)
        for key, bots in _values(games).items():
            variant = key.entry.rpartition("-")[0]
            for bot, values in bots.items():
                clusters = sums.setdefault((variant, bot), {})
                total, number = clusters.get((run, key.entry, key.number), (Fraction(), 0))
                played = deals[key, bot]
                clusters[run, key.entry, key.number] = (total + sum(values, Fraction()), number + played)
    return tuple(_row(variant, bot, list(sets.values())) for (variant, bot), sets in sorted(sums.items()))


def _by_run(results: Iterable[GameResult]) -> dict[str, list[GameResult]]:
    runs: dict[str, list[GameResult]] = {}
    for result in results:
        if result.rated:
            runs.setdefault(result.id.run, []).append(result)
    return runs


def _deals(games: Sequence[GameResult]) -> dict[tuple[SetKey, str], int]:
    """Return by set and bot the number of deals over all its seats; a game without a finished hand counts one."""
    deals: dict[tuple[SetKey, str], int] = {}
    for game in games:
        for bot in game.bots:
            deals[game.id.set_key, bot] = deals.get((game.id.set_key, bot), 0) + max(1, game.hands)
    return deals


def _row(variant: str, bot: str, clusters: Sequence[tuple[Fraction, int]]) -> Points:
    """Return the ratio estimate over clusters of unequal size and its sandwich error, with the small-sample factor."""
    number = sum(deals for _, deals in clusters)
    mean = sum((total for total, _ in clusters), Fraction()) / number
    error = None
    if len(clusters) > 1:
        squares = sum((total - mean * deals) ** 2 for total, deals in clusters)
        error = math.sqrt(squares * Fraction(len(clusters), len(clusters) - 1)) / number
    return Points(variant, bot, float(mean), error, len(clusters))


def _values(results: Iterable[GameResult]) -> dict[SetKey, dict[str, list[Fraction]]]:
    """Return by set and bot one value for each seat and game."""
    sets = by_set(result for result in results if result.rated)
    return {key: _set_values(games) for key, games in sets.items()}


def _set_values(games: Sequence[GameResult]) -> dict[str, list[Fraction]]:
    """Return by bot its values; an offender's side gets the worst value of the set (protocol.md, Faults at a table)."""
    above = [_above(game) for game in games]
    worst = min(value for values in above for value in values)
    bots: dict[str, list[Fraction]] = {}
    for game, values in zip(games, above, strict=True):
        guilty = {game.sides[seat] for seat in game.offenders}
        for seat, bot in enumerate(game.bots):
            bots.setdefault(bot, []).append(worst if game.sides[seat] in guilty else values[seat])
    return bots


def _above(game: GameResult) -> list[Fraction]:
    """Return by seat the points above the table's mean in the better direction; 0 if no hand was finished."""
    if not game.scores:
        return [Fraction()] * len(game.bots)
    sign = 1 if rules_of(game.variant).better == "high" else -1
    mean = Fraction(sum(game.scores), len(game.scores))
    return [sign * (score - mean) for score in game.scores]
