"""The levels of play: what a decision may cost, whatever the machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """A limit for each decision.

    Attributes:
        worlds: worlds in which actions are tried; 0 takes the network's choice without a search.
        drawn: worlds drawn, of which the likely ones are taken.
        actions: most actions that are tried.
    """

    worlds: int
    drawn: int
    actions: int


LEVELS = {
    1: Level(worlds=0, drawn=0, actions=1),
    2: Level(worlds=8, drawn=24, actions=3),
    3: Level(worlds=24, drawn=72, actions=4),
    4: Level(worlds=60, drawn=180, actions=5),
    5: Level(worlds=150, drawn=450, actions=6),
}
"""By number, each about two and a half times the cost of the one before."""

DEFAULT = 3
