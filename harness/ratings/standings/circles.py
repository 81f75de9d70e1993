"""Circles of bots: a beats b, b beats c, c beats a (ratings.md, What the numbers do not say).

No rating can show a circle, and a circle makes ranks depend on how often each bot met each other bot. The direct
results of every three bots are therefore tested against the Bradley-Terry model, in which the differences a - b, b - c
and c - a, in logits, add up to 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.estimate import LEVEL
from bowerbird.harness.ratings.pairs import Cluster, cluster_of, pairs_of
from bowerbird.harness.records.values.game_result import GameResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bowerbird.harness.ratings.games import Floats, Ints

MOST_BOTS = 60
"""With more bots than this, no circles are sought, because hardly one of over 34,220 triples could be settled."""


@dataclass(frozen=True, slots=True)
class Circle:
    """Three bots that beat each other in turn.

    bots: (a, b, c), where a beats b, b beats c and c beats a; a is the first by name.
    shares: the shares of pairs that a won against b, b against c and c against a.
    p_value: the probability of a circle this clear among these three bots if there is none.
    """

    bots: tuple[str, str, str]
    shares: tuple[float, float, float]
    p_value: float

    @property
    def sentence(self) -> str:
        """The circle as a sentence for users, with the shares."""
        a, b, c = self.bots
        ab, bc, ca = (f"{100 * share:.0f}%" for share in self.shares)
        return f"a circle, which no rating can show: {a} beats {b} ({ab}), {b} beats {c} ({bc}), {c} beats {a} ({ca})"


def circles(games: Iterable[GameResult], level: float = LEVEL) -> tuple[Circle, ...]:
    """Return the circles that are settled at this level, the most certain first.

    games: complete deal sets, each game once.
    level: 1 minus the probability of announcing any false circle, over all triples together (Holm).

    Pairs count only if each side consists of one bot or its copies, and triples only if all three pairs met. A circle
    needs three differences that point the same way round, with a sum that is not 0. Its p-value is that of the sum, by
    Student's t with errors clustered by deal set, and at least the square of the one-sided p-value of the weakest
    difference. The latter is at least 2^-k after k deal sets that were not level, so a few sets that all end the same
    way never produce certainty. Return () for more than `MOST_BOTS` bots.
    """
    import numpy as np

    from bowerbird.harness.ratings.games import as_games

    games = as_games(games)
    if len(games.bots) > MOST_BOTS:
        return ()
    links = _links(games)
    bots = sorted({bot for pair in links for bot in pair})
    number = {pair: place for place, pair in enumerate(sorted(links))}
    triples = [
        (one, two, three)
        for one, two, three in combinations(bots, 3)
        if (one, two) in number and (two, three) in number and (one, three) in number
    ]
    if not triples:
        return ()
    sides = np.array([[number[a, b], number[b, c], number[a, c]] for a, b, c in triples], dtype=np.int64)
    shares, p_values, way = _tested([links[pair] for pair in sorted(links)], sides)
    order = np.argsort(p_values, kind="stable").tolist()
    found: list[Circle] = []
    for left, place in enumerate(order):
        if p_values[place] > (1 - level) / (len(order) - left):
            break
        (a, b, c), (ab, bc, ac) = triples[place], shares[sides[place]].tolist()
        bots_round, won = ((a, b, c), (ab, bc, 1 - ac)) if way[place] > 0 else ((a, c, b), (ac, 1 - bc, 1 - ab))
        found.append(Circle(bots_round, won, float(p_values[place])))
    return tuple(found)


Link = dict[Cluster, tuple[float, float]]
"""Direct results of two bots, by deal set: (weight of the pairs that the first won, weight of all their pairs)."""


def _links(games: Iterable[GameResult]) -> dict[tuple[str, str], Link]:
    """Return the direct results of each pair of bots that met, with the first by name first."""
    shapes: dict[tuple[object, ...], list[tuple[tuple[str, str], float, float]]] = {}
    links: dict[tuple[str, str], Link] = {}
    for game in games:
        shape = (game.bots, game.sides, game.ranks, game.offenders, game.rated)
        if shape not in shapes:
            shapes[shape] = list(_direct(game))
        cluster = cluster_of(game)
        for pair, won, weight in shapes[shape]:
            link = links.setdefault(pair, {})
            before = link.get(cluster, (0.0, 0.0))
            link[cluster] = before[0] + won, before[1] + weight
    return links


def _direct(game: GameResult) -> Iterable[tuple[tuple[str, str], float, float]]:
    """Yield (bots in order of name, weight won by the first, weight) for each pair of sides with one bot each."""
    for pair in pairs_of(game):
        if len(set(pair.bots)) == len(set(pair.other_bots)) == 1:
            one, other, won = pair.bots[0], pair.other_bots[0], pair.form.weight * pair.outcome
            if one < other:
                yield (one, other), won, pair.form.weight
            else:
                yield (other, one), pair.form.weight - won, pair.form.weight


def _tested(links: list[Link], sides: Ints) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return the share of each link, and the p-value and direction (1: a, b, c; -1: a, c, b; 0: none) of each triple.

    links: each with its direct results; a share belongs to the first bot.
    sides: the numbers of the links a-b, b-c and a-c of each triple (m x 3).
    """
    import numpy as np

    from bowerbird.harness.ratings.clustered_ratios import clustered_ratios
    from bowerbird.harness.ratings.distributions import below

    rows = {cluster: row for row, cluster in enumerate(sorted({cluster for link in links for cluster in link}))}
    cells = [
        (rows[cluster], place, won, weight)
        for place, link in enumerate(links)
        for cluster, (won, weight) in sorted(link.items())
    ]
    row, column = (np.array([cell[part] for cell in cells], dtype=np.int64) for part in (0, 1))
    won, weight = (np.array([cell[part] for cell in cells], dtype=np.float64) for part in (2, 3))
    found = clustered_ratios(row, column, won, weight)
    total = np.bincount(column, weight)
    share = (found.values * total + 0.5) / (total + 1)
    logit = np.log(share) - np.log1p(-share)
    slope = total / (total + 1) / (share * (1 - share))
    covariance = found.covariance * slope[:, None] * slope
    level = np.abs(won - weight / 2) <= 1e-9 * weight
    flips = np.bincount(column[~level], minlength=len(links))

    errors = np.sqrt(np.diag(covariance))
    by_link = np.maximum(below(-_over(np.abs(logit), errors), _positive(found.dof())), 0.5 ** np.maximum(flips, 1))
    by_link[~found.known] = 0.5
    signs = np.array([1.0, 1.0, -1.0])
    sums = (logit[sides] * signs).sum(axis=1)
    variance = sum(signs[i] * signs[j] * covariance[sides[:, i], sides[:, j]] for i in range(3) for j in range(3))
    dof = found.dof_of_sums(sides, slope**2 * share * (1 - share))
    by_sum = 2 * below(-_over(np.abs(sums), np.sqrt(np.maximum(variance, 0.0))), _positive(dof))
    pointing = np.sign(logit[sides] * signs)
    way = np.where((pointing > 0).all(axis=1), 1, np.where((pointing < 0).all(axis=1), -1, 0))
    p_values = np.maximum(by_sum, by_link[sides].max(axis=1) ** 2)
    return found.values, np.where((way != 0) & (dof > 0), p_values, 1.0), way


def _over(sizes: Floats, errors: Floats) -> Floats:
    """Return sizes / errors; infinite where a size has no error, 0 where the size is 0."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(sizes > 0, sizes / errors, 0.0)
    return found


def _positive(dof: Floats) -> Floats:
    import numpy as np

    return np.where(dof > 0, dof, 1.0)
