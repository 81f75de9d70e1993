"""Which bots can be compared: components of the graph of rated pairs.

The difference between two bots is finite if each can be reached from the other through games that were not lost (Ford
1957). Otherwise the bots fall into groups, each of which won every game against the groups below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

from bowerbird.harness.ratings.pairs import RatingError

if TYPE_CHECKING:
    from bowerbird.harness.ratings.games import Bools, Ints


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

    group: Ints
    above: Bools

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.above)


def connections(bots: Sequence[str], unbeaten: tuple[Ints, Ints]) -> Connections:
    """Return the groups of bots, by their places in `bots`.

    unbeaten: (ones, others), parallel arrays; each of `ones` did not lose everything to its counterpart in `others`.
        Raises UnconnectedError if groups of bots never met.
    """
    import numpy as np

    ones, others = unbeaten
    number, rest, parts = len(bots), np.ones(len(bots), dtype=bool), []
    if not number:
        return Connections(ones, np.zeros((0, 0), dtype=bool))
    forth, back = np.append(ones, others), np.append(others, ones)
    while rest.any():
        part = _reached(int(np.argmax(rest)), forth, back, number)
        parts.append(sorted(compress(bots, part.tolist())))
        rest &= ~part
    if len(parts) > 1:
        raise UnconnectedError(sorted(parts))
    hub = int(np.bincount(ones, minlength=number).argmax())
    core = _reached(hub, ones, others, number) & _reached(hub, others, ones, number)
    nodes, node = np.unique(np.where(core, np.argmax(core), np.arange(number)), return_inverse=True)
    reached = np.eye(len(nodes), dtype=np.float32)  # each bot of the largest group would make it large
    reached[node[ones], node[others]] = 1
    while True:
        farther = (reached @ reached > 0).astype(np.float32)
        if np.array_equal(farther, reached):
            break
        reached = farther
    above = reached > 0
    firsts, group = np.unique(np.argmax(above & above.T, axis=1), return_inverse=True)
    return Connections(group[node], above[np.ix_(firsts, firsts)] & ~np.eye(len(firsts), dtype=bool))


def _reached(start: int, ones: Ints, others: Ints, number: int) -> Bools:
    """Return True for each bot below `number` that can be reached from `start`, from one to the other."""
    import numpy as np

    reached: Bools = np.arange(number) == start
    while len(fresh := others[reached[ones] & ~reached[others]]):
        reached[fresh] = True
    return reached
