"""Which bots can be compared: components of the graph of rated pairs.

Finite ratings exist if every bot can be reached from every other one over games that were not lost (Ford 1957).
Otherwise the bots fall into groups, and each group won everything against the groups below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from harness.ratings.pairs import RatingError

Edges = Mapping[str, frozenset[str]]
"""By bot, the opponents against whom it did not lose everything."""


class UnconnectedError(RatingError):
    """Groups of bots that never met, so that nothing compares them (ratings.md, Ratings kept, 2).

    `groups` are their names, each group sorted, and the groups sorted.
    """

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        """Build the message from groups between which no rated game was played."""
        listed = " | ".join(", ".join(group) for group in groups)
        super().__init__(
            f"these groups of bots never met, so their ratings cannot be compared: {listed}; "
            "let a bot of each play one of the others"
        )
        self.groups = tuple(tuple(group) for group in groups)


def edges_of(met: Iterable[tuple[str, str, float]]) -> Edges:
    """Return the edges of (bot, opponent, outcome for the bot); every bot has an entry."""
    edges: dict[str, set[str]] = {}
    for bot, other, outcome in met:
        beaten, other_beaten = edges.setdefault(bot, set()), edges.setdefault(other, set())
        if outcome > 0:
            beaten.add(other)
        if outcome < 1:
            other_beaten.add(bot)
    return {bot: frozenset(others) for bot, others in edges.items()}


def connected(edges: Edges) -> list[list[str]]:
    """Return the connected components, each sorted, in the order of their first names."""
    both: dict[str, set[str]] = {bot: set(others) for bot, others in edges.items()}
    for bot, others in edges.items():
        for other in others:
            both[other].add(bot)
    undirected = {bot: frozenset(others) for bot, others in both.items()}
    return _partition(edges, lambda bot: reach(undirected, bot))


def comparable(edges: Edges) -> list[list[str]]:
    """Return the strongly connected components, each sorted, in the order of their first names."""
    reached = {bot: reach(edges, bot) for bot in edges}
    return _partition(edges, lambda bot: {other for other in reached[bot] if bot in reached[other]})


def reach(edges: Edges, start: str) -> set[str]:
    """Return all bots that can be reached from `start`, itself included."""
    found, waiting = {start}, [start]
    while waiting:
        for other in edges[waiting.pop()]:
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def _partition(edges: Edges, group_of: Callable[[str], set[str]]) -> list[list[str]]:
    groups: list[list[str]] = []
    taken: set[str] = set()
    for bot in sorted(edges):
        if bot not in taken:
            groups.append(sorted(group_of(bot)))
            taken |= set(groups[-1])
    return groups
