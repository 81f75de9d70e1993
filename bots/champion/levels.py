"""The levels of play: what a decision may cost, whatever the machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """A limit for each decision.

    Attributes:
        worlds: worlds in which actions are tried; 0 takes the network's choice without a search.
        drawn: worlds drawn. If more than `worlds` are drawn, the likely ones are taken
        (`bowerbird.bots.champion.inference`).
        actions: the most actions that are tried.
        solved: with this many tricks left the rest of a hand is solved, where it can be (`bots.champion.endings`).
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
"""By number, each about two and a half times as costly as the previous one."""

DEFAULT = 3
