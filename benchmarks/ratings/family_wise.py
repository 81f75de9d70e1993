"""Measures the ranks of one simulated run: false ranks among equal bots, and how many true differences are found."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

from benchmarks.ratings.designs import Setting
from bowerbird.harness.ratings.bradley_terry.fit import fit
from bowerbird.harness.ratings.estimate import LEVEL
from bowerbird.harness.ratings.standings.ranks import settled_above
from bowerbird.harness.ratings.standings.rating_list import rating_list
from bowerbird.harness.records.values.game_result import GameResult


def false_ranks(setting: Setting, games: Sequence[GameResult]) -> dict[str, float]:
    """Return 1 if a bot is not ranked first, and 1 if single intervals would have separated two bots.

    All bots of the setting are equal.
    """
    found = fit(games)
    apart = any(found.difference(bot, other).settled() for bot, other in combinations(found.bots, 2))
    return {
        "ranks": float(any((line.rank or 1) > 1 for line in rating_list(games).lines)),
        "single": float(apart),
    }


def power(setting: Setting, games: Sequence[GameResult]) -> dict[str, float]:
    """Return the share of the truly different pairs that are separated in the right order.

    step_down, bonferroni: by the ranks, and by each interval at the level 1 - 0.05 / pairs.
    gain: the difference of the two. false: 1 if the ranks place a bot above another that is equally strong or stronger.
    """
    found = fit(games)
    bots, truth = found.bots, setting.truth
    above = settled_above(found.values(), found.p_values())
    level = 1 - (1 - LEVEL) / (len(bots) * (len(bots) - 1) / 2)
    told = simple = different = 0
    is_false = False
    for (row, bot), (column, other) in permutations(enumerate(bots), 2):
        if truth[bot] > truth[other]:
            estimate = found.difference(bot, other)
            different += 1
            told += bool(above[row, column])
            simple += estimate.value > 0 and estimate.settled(level)
        else:
            is_false |= bool(above[row, column])
    return {
        "step_down": told / different,
        "bonferroni": simple / different,
        "gain": (told - simple) / different,
        "false": float(is_false),
    }
