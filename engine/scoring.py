"""Points of a hand: the tables that variants share (section 8 of a variant's page)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from engine.results import CLAIMED

if TYPE_CHECKING:
    from engine.state import State

JAMBOREE = 16


@dataclass(frozen=True)
class Line:
    """One column of a makers' table: points for all tricks, for the majority, and to the defenders for a euchre."""

    march: int
    point: int
    euchre: int


@dataclass(frozen=True)
class MakersTable:
    """Points to the makers' side or to the defenders' (V1.8 and its kin); five tricks, three are needed.

    `lines` has a column for each way to play ("", "alone", "jambone"). A lone defender who euchres scores
    `lone_defender` against one or more makers. A claimed Jamboree is worth 16 to the side of the claimant.
    """

    lines: Mapping[str, Line]
    lone_defender: int

    def __call__(self, h: State) -> tuple[int, ...]:
        """Each seat's change of score."""
        assert h.maker is not None
        makers = h.sides[h.maker]
        if h.hand_ended == CLAIMED:
            return tuple([JAMBOREE if side == h.sides[h.winning] else 0 for side in h.sides])
        line = self.lines[h.how]
        tricks = 0
        for won, side in zip(h.tricks_won, h.sides, strict=True):
            if side == makers:
                tricks += won
        if tricks >= 3:
            return _points(h.sides, makers, line.march if tricks == 5 else line.point, 0)
        return _points(h.sides, makers, 0, line.euchre if h.lone_defender is None else self.lone_defender)


@cache
def _points(sides: tuple[int, ...], makers: int, made: int, defended: int) -> tuple[int, ...]:
    """By seat the points of the makers' side and of all others."""
    return tuple(made if side == makers else defended for side in sides)


@dataclass(frozen=True)
class CountDownTable:
    """Each for himself, downwards: a point off for each trick, five on for none (V12.8).

    `contract` is what a maker needs, 0: his bid. A maker who fails adds 5 and subtracts nothing, or with `keeps` set
    subtracts his tricks too; one without any trick adds `maker_zero`.
    """

    contract: int
    maker_zero: int = 5
    keeps: bool = False

    def __call__(self, h: State) -> tuple[int, ...]:
        """Each seat's change of score."""
        return tuple(self._change(h, seat, won) if seat in h.active else 0 for seat, won in enumerate(h.tricks_won))

    def _change(self, h: State, seat: int, won: int) -> int:
        if seat != h.maker:
            return -won if won else 5
        if won >= (self.contract or h.contract):
            return -won
        if not won:
            return self.maker_zero
        return 5 - won if self.keeps else 5
