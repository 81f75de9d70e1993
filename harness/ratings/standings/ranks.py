"""Ranks for the whole table: the probability that any bot is ranked above an equal one is at most 5%.

All pairs of bots are tested at once, by Holm's step-down method with Shaffer's counts (Journal of the American
Statistical Association 81, 1986): among n bots, only certain numbers of pairs can be equal at the same time, so a step
can demand less. At this level all settled pairs are true together, and so are their consequences: a path of settled
pairs settles its ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.estimate import LEVEL, quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COUNTED = 60
"""With more bots, each step is as strict as Holm's, because Shaffer's counts gain little there and are slow."""

MOST_SETS = 10**6
"""A forecast above this many deal sets is meaningless."""


def settled_above(
    values: NDArray[np.float64], p_values: NDArray[np.float64], level: float = LEVEL
) -> NDArray[np.bool_]:
    """Return True for each pair of bots if the first is settled above the second.

    values: the ratings by bot.
    p_values: two-sided, by pair of bots.
    level: the level of the whole table: the probability that all settled pairs are true.
    """
    import numpy as np

    number = len(values)
    above = np.zeros((number, number), dtype=bool)
    rows, columns = np.triu_indices(number, 1)
    found = p_values[rows, columns]
    order = np.argsort(found, kind="stable")
    left = _most_equal(number)
    settled = found[order] < (1 - level) / left
    count = len(order) if settled.all() else int(np.argmin(settled))
    one, other = rows[order[:count]], columns[order[:count]]
    above[one, other] = values[one] > values[other]
    above[other, one] = values[other] > values[one]
    return _closed(above, np.argsort(values))


def _most_equal(number: int) -> NDArray[np.float64]:
    """Return, for each step (from 0), how many pairs of bots can be equal if that many others are not."""
    import numpy as np

    pairs = number * (number - 1) // 2
    steps = np.arange(pairs, 0, -1, dtype=np.float64)
    if number > COUNTED:
        return steps
    possible = _possible_counts(number)
    return np.array([possible[np.searchsorted(possible, left, side="right") - 1] for left in steps]).clip(1)


def _possible_counts(number: int) -> NDArray[np.float64]:
    """Return the possible numbers of equal pairs among `number` bots, in ascending order."""
    import numpy as np

    counts = [{0}]
    for bots in range(1, number + 1):
        counts.append(
            {equal * (equal - 1) // 2 + rest for equal in range(1, bots + 1) for rest in counts[bots - equal]}
        )
    return np.array(sorted(counts[number]), dtype=np.float64)


def _closed(above: NDArray[np.bool_], order: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the relation with everything that follows from it (its transitive closure).

    order: the places, each after all places that it might be above.
    """
    import numpy as np

    reached = np.packbits(above, axis=1)
    for place in order.tolist():
        reached[place] |= np.bitwise_or.reduce(reached[above[place]], axis=0)
    return np.unpackbits(reached, axis=1, count=len(above)).astype(bool)


def more_sets(p_value: float, bots: int, sets: int) -> int | None:
    """Return roughly how many more deal sets would settle two neighbours if their difference stays the same.

    Returns None if the results say too little.

    p_value: the two-sided p-value of their difference.
    bots: the number of bots in the table; more bots require a clearer difference.
    sets: the number of deal sets so far.
    """
    wanted, seen = quantile(1 - (1 - LEVEL) / max(1, bots - 1), None), quantile(1 - p_value, None)
    if not 0 < seen < math.inf or sets * (wanted / seen) ** 2 > MOST_SETS:
        return None
    return max(1, math.ceil(sets * ((wanted / seen) ** 2 - 1)))


def ranks_of(above: NDArray[np.bool_]) -> list[int]:
    """Return each bot's best possible rank: 1 plus the number of bots that are settled above it."""
    ranks: list[int] = (1 + above.sum(axis=0)).tolist()
    return ranks


def last_ranks_of(above: NDArray[np.bool_]) -> list[int]:
    """Return each bot's worst possible rank: the number of bots minus those that are settled below it."""
    ranks: list[int] = (len(above) - above.sum(axis=1)).tolist()
    return ranks


@dataclass(frozen=True, slots=True, eq=False)
class Likelihoods:
    """The likelihoods that each bot is stronger than each other bot, and the settled pairs.

    superiority: the likelihood that the first of two bots is stronger, by their places in `bots`; 1/2 for a bot and
        itself.
    above: by two places, True if the first bot is settled above the second (`settled_above`).
    """

    bots: tuple[str, ...]
    superiority: NDArray[np.float64]
    above: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        bots: tuple[str, ...],
        values: NDArray[np.float64],
        p_values: NDArray[np.float64],
        above: NDArray[np.bool_],
    ) -> Likelihoods:
        """Return the likelihoods from two-sided p-values of the ratings `values`, all in the order of `bots`."""
        import numpy as np

        is_better = values[:, None] > values[None, :]
        return cls(bots, np.where(is_better, 1 - p_values / 2, p_values / 2), above)

    def p_value(self, one: int, other: int) -> float:
        """Return the two-sided p-value of the difference between two bots, by their places."""
        return 2 * float(min(self.superiority[one, other], self.superiority[other, one]))

    def settled_pairs(self) -> list[tuple[str, str]]:
        """Return the settled pairs, the better bot first."""
        import numpy as np

        return [(self.bots[one], self.bots[other]) for one, other in np.argwhere(self.above).tolist()]
