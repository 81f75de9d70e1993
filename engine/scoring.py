"""Tables of points for a hand that variants share (section 8 of a variant's page)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from bowerbird.engine.phases.partner_card import cards_of_partner
from bowerbird.engine.results import CLAIMED, JAMBOREE
from bowerbird.engine.state import State


@dataclass(frozen=True)
class HandPoints:
    """A column of a makers' table: points for all tricks, for enough tricks, and for the defenders after a euchre.

    Makers who take fewer than `needs` of the five tricks are euchred.
    """

    march: int
    point: int
    euchre: int
    needs: int = 3


@dataclass(frozen=True)
class MakersTable:
    """A table of points for the side of the makers or the defenders (V1.8 and similar).

    `lines` has a column for each way to play ("", "alone", "jambone"). A lone defender who euchres the makers scores
    `lone_defender`, by the number of makers. A claimed Jamboree scores 16 for the claimant's side.
    """

    lines: Mapping[str, HandPoints]
    lone_defender: int

    def __call__(self, h: State) -> tuple[int, ...]:
        """Return each seat's change of score."""
        assert h.maker is not None
        makers = h.sides[h.maker]
        if h.hand_ended == CLAIMED:
            return tuple([JAMBOREE if side == h.sides[h.winning] else 0 for side in h.sides])
        line = self.lines[h.how]
        tricks = 0
        for won, side in zip(h.tricks_won, h.sides, strict=True):
            if side == makers:
                tricks += won
        if tricks >= line.needs:
            return _points(h.sides, makers, line.march if tricks == 5 else line.point, 0)
        return _points(h.sides, makers, 0, line.euchre if h.lone_defender is None else self.lone_defender)


@cache
def _points(sides: tuple[int, ...], makers: int, made: int, defended: int) -> tuple[int, ...]:
    """Return points by seat: `made` for the makers' side, `defended` for all others."""
    return tuple(made if side == makers else defended for side in sides)


@dataclass(frozen=True)
class CountDownTable:
    """A table for countdowns in which each seat plays alone: -1 point for each trick, +5 for none (V12.8).

    `contract` is the number of tricks that a maker needs; 0 means his bid. A maker who fails adds 5, and subtracts his
    tricks only if `keeps` is true. A maker without a trick adds `maker_zero`.
    """

    contract: int
    maker_zero: int = 5
    keeps: bool = False

    def __call__(self, h: State) -> tuple[int, ...]:
        """Return each seat's change of score."""
        points = [(-won or 5) if seat in h.active else 0 for seat, won in enumerate(h.tricks_won)]
        if h.maker in h.active:
            points[h.maker] = self._change_of_maker(h.tricks_won[h.maker], self.contract or h.contract)
        return tuple(points)

    def _change_of_maker(self, won: int, contract: int) -> int:
        if won >= contract:
            return -won
        if not won:
            return self.maker_zero
        return 5 - won if self.keeps else 5


def makers_made_it(h: State) -> bool:
    """Return whether the makers fulfilled their contract."""
    assert h.maker is not None
    return _tricks_by_side(h)[h.sides[h.maker]] >= h.contract


def _tricks_by_side(h: State) -> list[int]:
    tricks = [0] * len(h.sides)
    for won, side in zip(h.tricks_won, h.sides, strict=True):
        tricks[side] += won
    return tricks


@dataclass(frozen=True)
class BidTricks:
    """A table in which both teams score: the defenders score their tricks, the makers win or lose by their bid (V22.8).

    `made` is the score of makers who make their bid: their "tricks", "tricks_plus_two" or the "bid". If they fail, they
    lose their bid. `lone` has the points that a lone bid wins or loses, by the number of cards from the partner.
    """

    made: str = "tricks"
    lone: Mapping[int, int] = field(default_factory=dict)

    def __call__(self, h: State) -> tuple[int, ...]:
        """Return each seat's change of score."""
        assert h.maker is not None
        makers = h.sides[h.maker]
        tricks = _tricks_by_side(h)
        points = tricks[:]
        worth = self.lone[cards_of_partner(h)] if h.how else h.contract
        if not makers_made_it(h):
            points[makers] = -worth
        elif h.how or self.made == "bid":
            points[makers] = worth
        elif self.made == "tricks_plus_two":
            points[makers] += 2
        return tuple(points[side] for side in h.sides)
