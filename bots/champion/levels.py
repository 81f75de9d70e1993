"""The levels of play, which limit the cost of a decision in the same way on every machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """A limit for each decision.

    Attributes:
        worlds: the number of worlds in which each action is tried; 0 means the network's choice without a search.
        drawn: the number of worlds that are drawn. If more than `worlds`, the likely ones are used
            (`bowerbird.bots.champion.inference`).
        actions: the maximum number of actions that are tried.
        solved: with this many tricks left, the rest of a hand is solved if possible (`bots.champion.endings`).
    """

    worlds: int
    drawn: int
    actions: int
    solved: int


LEVELS = {
    1: Level(worlds=0, drawn=0, actions=1, solved=0),
    2: Level(worlds=12, drawn=12, actions=3, solved=2),
    3: Level(worlds=40, drawn=40, actions=5, solved=2),
    4: Level(worlds=60, drawn=180, actions=6, solved=2),
    5: Level(worlds=150, drawn=450, actions=8, solved=2),
}
"""The levels by number. Each is about two and a half times as costly as the previous one."""

DEFAULT = 3
