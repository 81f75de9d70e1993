"""Who can be compared with whom: the graph of rated pairs.

A finite rating exists where every bot can be reached from every other one over games that were not lost (Ford 1957).
Where that fails the bots fall into groups, each of which won everything against the ones below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

Edges = Mapping[str, frozenset[str]]
"""By bot, those against whom it did not lose everything."""


def edges_of(met: Iterable[tuple[str, str, float]]) -> Edges:
    """The edges of (bot, opponent, outcome for the first); every bot has an entry."""
    edges: dict[str, set[str]] = {}
    for bot, other, outcome in met:
        beaten, other_beaten = edges.setdefault(bot, set()), edges.setdefault(other, set())
        if outcome > 0:
            beaten.add(other)
        if outcome < 1:
            other_beaten.add(bot)
    return {bot: frozenset(others) for bot, others in edges.items()}


def connected(edges: Edges) -> list[list[str]]:
    """The groups between which no game was played, each sorted, in the order of their first names."""
    both: dict[str, set[str]] = {bot: set(others) for bot, others in edges.items()}
    for bot, others in edges.items():
        for other in others:
            both[other].add(bot)
    undirected = {bot: frozenset(others) for bot, others in both.items()}
    return _partition(edges, lambda bot: reach(undirected, bot))


def comparable(edges: Edges) -> list[list[str]]:
    """The groups within which ratings are finite, each sorted, in the order of their first names."""
    reached = {bot: reach(edges, bot) for bot in edges}
    return _partition(edges, lambda bot: {other for other in reached[bot] if bot in reached[other]})


def reach(edges: Edges, start: str) -> set[str]:
    """All bots that can be reached from one, itself included."""
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
