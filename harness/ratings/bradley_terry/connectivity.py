"""Which bots can be compared: components of the graph of rated pairs.

The difference between two bots is finite if each can be reached from the other through games that were not lost (Ford
1957). Otherwise the bots fall into groups, each of which won every game against the groups below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.pairs import RatingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class UnconnectedError(RatingError):
    """Groups of bots never met, so no result compares them (ratings.md, Ratings kept, 2).

    `groups` contains their names. Each group is sorted, and so is the list of groups.
    """

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        """Build the message from groups that never played a rated game against each other."""
        listed = " | ".join(", ".join(group) for group in groups)
        super().__init__(
            f"these groups of bots never met, so their ratings cannot be compared: {listed}; "
            "let a bot of each play one of the others"
        )
        self.groups = tuple(tuple(group) for group in groups)


@dataclass(frozen=True, slots=True)
class Connections:
    """The groups of bots between which differences are finite, and the order of the groups.

    `group` is the number of each bot's group; groups are numbered in the order of their first bots. `above` is True for
    two groups if the first won everything against the second, directly or through groups between them.
    """

    group: NDArray[np.int64]
    above: NDArray[np.bool_]

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.above)


def connections(bots: Sequence[str], unbeaten: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Connections:
    """Return the groups of bots, by their places in `bots`.

    unbeaten: (ones, others), parallel arrays; each of `ones` did not lose everything to its counterpart in `others`.
        Raises UnconnectedError if groups of bots never met.
    """
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    number = len(bots)
    ones, others = unbeaten
    graph = csr_array((np.ones(len(ones)), (ones, others)), shape=(number, number))
    parts, part = connected_components(graph, directed=False)
    if parts > 1:
        groups = [[bot for bot, own in zip(bots, part.tolist(), strict=True) if own == one] for one in range(parts)]
        raise UnconnectedError(sorted(sorted(group) for group in groups))
    _, found = connected_components(graph, directed=True, connection="strong")
    _, firsts, labels = np.unique(found, return_index=True, return_inverse=True)
    order = np.argsort(np.argsort(firsts))
    group = order[labels].astype(np.int64)
    reached = np.eye(len(firsts), dtype=np.float32)
    reached[group[ones], group[others]] = 1
    while True:
        farther = (reached @ reached > 0).astype(np.float32)
        if np.array_equal(farther, reached):
            break
        reached = farther
    return Connections(group, (reached > 0) & ~np.eye(len(firsts), dtype=bool))
