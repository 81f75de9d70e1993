"""The auction of five- and seven-handed Euchre, where a bid names points and a suit (V18.5, V21.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from bowerbird.engine.actions import SUITS, Action
from bowerbird.engine.phases.base import PASS, Phase, ask_in_turn, next_asked
from bowerbird.engine.phases.exchange import TakeWidow
from bowerbird.engine.results import THROWN_IN
from bowerbird.engine.state import Setup, State


class Bid(NamedTuple):
    """The terms of a bid: tricks needed, number of the maker's partners, and whether he takes the widow."""

    tricks: int
    partners: int
    widow: bool


Ladder = Mapping[int, Bid]
"""The terms of each bid, by points in ascending order."""


class _Ladder(Phase):
    """Base of the phases that need the table of bids."""

    ladder: Ladder

    def bid(self, h: State) -> Bid:
        """Return the terms of the maker's bid."""
        return self.ladder[h.contract]


@dataclass(frozen=True)
class SuitAuction(_Ladder):
    """A one-round auction: starting with the eldest, each seat bids points and a suit, or passes.

    A bid has more points than the highest so far. The highest bidder is the maker, and his suit is trump. If all pass,
    the hand is thrown in. Always applies.
    """

    ladder: Ladder

    stage = "bid"
    facts = ("contract", "highest_bid")

    def begin(self, h: State) -> int | None:
        """Ask the eldest."""
        return ask_in_turn(h, h.from_seat(h.dealer + 1))

    @cached_property
    def _offers(self) -> dict[int, tuple[Action, ...]]:
        """The legal actions for each highest bid so far: a pass and every higher bid in every suit."""
        return {
            highest: (PASS, *(Action(f"bid {n} {suit}") for n in self.ladder if n > highest for suit in SUITS))
            for highest in (0, *self.ladder)
        }

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return self._offers[0]

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return a pass and every bid above the highest so far."""
        return self._offers[h.highest_bid]

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask the next seat; after the last one, make the highest bidder the maker or throw in the hand."""
        if action is not PASS:
            assert action.number is not None
            h.highest_bid = action.number
            h.highest_bidder = h.actor
        seat = next_asked(h)
        if seat is not None:
            return seat
        if h.highest_bidder is None:
            h.hand_ended = THROWN_IN
            return None
        h.maker = h.highest_bidder
        h.contract = h.highest_bid
        h.fix_trump(next(event.action.suit for event in reversed(h.log) if event.action.suit))
        return None


@dataclass(frozen=True)
class WidowForMaker(_Ladder, TakeWidow):
    """The maker's exchange with the widow. Applies when the bid includes the widow (V18.5.2, V21.5.2)."""

    ladder: Ladder

    def begin(self, h: State) -> int | None:
        """Give the maker the widow and ask him for a discard."""
        return TakeWidow.begin(self, h) if self.bid(h).widow else None


@dataclass(frozen=True)
class ChoosePartners(_Ladder):
    """The maker's public choice of his partners, one by one; they cannot refuse (V18.5.3, V21.5.3).

    Always applies, but after a bid without partners no seat is asked. At the end the makers are side 0 and all others
    are side 1.
    """

    ladder: Ladder

    stage = "choose a partner"

    def begin(self, h: State) -> int | None:
        """Ask the maker, unless he has no partners to choose."""
        return self._asked(h)

    def _asked(self, h: State) -> int | None:
        """Return the maker while there are partners to choose; then fix the sides and return None."""
        makers = _makers(h)
        if len(makers) <= self.bid(h).partners:
            return h.maker
        h.sides = tuple(0 if seat in makers else 1 for seat in h.rules.seats)
        return None

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return _others(rules.seats, ())

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return each seat that is not a maker yet."""
        return _others(h.rules.seats, _makers(h))

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask for the next partner, if there is one."""
        return self._asked(h)


def _makers(h: State) -> tuple[int, ...]:
    """Return the maker, then the partners he has chosen so far."""
    assert h.maker is not None
    return (
        h.maker,
        *(event.action.seat for event in h.log if event.action.kind == "partner" and event.action.seat is not None),
    )


@cache
def _others(seats: tuple[int, ...], makers: tuple[int, ...]) -> tuple[Action, ...]:
    return tuple(Action(f"partner {seat}") for seat in seats if seat not in makers)
