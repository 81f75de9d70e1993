"""Meetings of bots on different sides of a table, deal set by deal set: the input of `collusion`.

Games with a seat at fault are left out, because faults are counted elsewhere and say nothing about play. Seats do not
matter, because every bot has every seat equally often in a deal set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from bowerbird.engine import rules_of
from bowerbird.harness.ratings.games import Floats, Ints
from bowerbird.harness.ratings.pairs import Cluster, Pair, PairForm, cluster_of, pairs_of
from bowerbird.harness.records.values.game_result import GameResult

Side = tuple[str, ...]
"""The bots of a side, sorted."""


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """Winnings in meetings of two sides, in one unit (shares of pairs, or points): c meetings, e entries.

    value: for each entry, the first side's result above an even one, times its weight (e).
    weight: the weight of each entry (e).
    """

    value: Floats
    weight: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """The sides that met: n bots, m pairs of bots, c pairs of sides, and e filled cells of deal sets and sides.

    bots: sorted (n).
    pairs: each pair of bots that met on different sides, by place (m).
    design: for each pair of sides, the mean of the first minus that of the second, as shares of bots (c x n).
    opposed: 1 where the first bot of a pair is on the first side and the other one on the second, -1 the other way
        round, else 0 (m x c).
    cluster, meeting: the deal set and the two sides of each entry, by number (e).
    won: shares of pairs won above one half.
    points: points per deal above the other side's points; None if they have no unit.
    """

    bots: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    design: Floats
    opposed: NDArray[np.int8]
    cluster: Ints
    meeting: Ints
    won: Totals
    points: Totals | None


def meetings_of(games: Iterable[GameResult], *, points: bool = False) -> Meetings:
    """Return the meetings in games of one scope, each game given once.

    points: True if points per deal have a unit, so that they count, too.
    """
    shapes: dict[tuple[object, ...], list[tuple[tuple[Side, Side], int, Pair]]] = {}
    cells: dict[tuple[Cluster, tuple[Side, Side]], list[float]] = {}
    for game in games:
        if game.offenders:
            continue
        shape = (game.bots, game.sides, game.ranks, game.rated)
        if shape not in shapes:
            shapes[shape] = [_oriented(pair) for pair in pairs_of(game)]
        cluster, deals = cluster_of(game), max(1, game.hands)
        for sides, sign, pair in shapes[shape]:
            cell = cells.setdefault((cluster, sides), [0.0, 0.0, 0.0, 0.0])
            weight = pair.form.weight
            cell[0] += sign * weight * (pair.outcome - 0.5)
            cell[1] += weight
            if points:
                cell[2] += sign * weight * _margin(game, pair.form)
                cell[3] += weight * deals
    return _arranged(cells, points)


def _oriented(pair: Pair) -> tuple[tuple[Side, Side], int, Pair]:
    """Return both sides in the order of their bots, and a sign: -1 if that is not their order in the pair."""
    one, other = tuple(sorted(pair.bots)), tuple(sorted(pair.other_bots))
    return ((one, other), 1, pair) if one < other else ((other, one), -1, pair)


def _margin(game: GameResult, form: PairForm) -> float:
    """Return by how many points the first side leads the second, in the better direction; 0 without scores."""
    if not game.scores:
        return 0.0
    sign = 1 if rules_of(game.variant).better == "high" else -1
    return sign * (fmean(game.scores[seat] for seat in form.seats) - fmean(game.scores[seat] for seat in form.others))


def _arranged(cells: dict[tuple[Cluster, tuple[Side, Side]], list[float]], points: bool) -> Meetings:
    """Return the cells as arrays, in a fixed order."""
    both = sorted({sides for _, sides in cells})
    bots = tuple(sorted({bot for sides in both for side in sides for bot in side}))
    place = {bot: number for number, bot in enumerate(bots)}
    design = np.zeros((len(both), len(bots)))
    signs: dict[tuple[int, int], dict[int, int]] = {}
    for number, (one, other) in enumerate(both):
        for sign, side in ((1, one), (-1, other)):
            for bot in side:
                design[number, place[bot]] += sign / len(side)
        for bot in Counter(one) - Counter(other):
            for opponent in Counter(other) - Counter(one):
                a, b = place[bot], place[opponent]
                signs.setdefault((min(a, b), max(a, b)), {})[number] = 1 if a < b else -1
    pairs = tuple(sorted(signs))
    opposed = np.zeros((len(pairs), len(both)), dtype=np.int8)
    for row, pair in enumerate(pairs):
        for number, sign in signs[pair].items():
            opposed[row, number] = sign
    clusters = {cluster: number for number, cluster in enumerate(sorted({cluster for cluster, _ in cells}))}
    numbers = {sides: number for number, sides in enumerate(both)}
    filled = sorted((clusters[cluster], numbers[sides], values) for (cluster, sides), values in cells.items())
    sums = np.array([values for _, _, values in filled], dtype=np.float64).reshape(-1, 4)
    return Meetings(
        bots=bots,
        pairs=pairs,
        design=design,
        opposed=opposed,
        cluster=np.array([row for row, _, _ in filled], dtype=np.int64),
        meeting=np.array([column for _, column, _ in filled], dtype=np.int64),
        won=Totals(sums[:, 0], sums[:, 1]),
        points=Totals(sums[:, 2], sums[:, 3]) if points else None,
    )
