"""Auctions in which numbers are bid, and what their winner names (V14 to V17)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from engine.actions import SUITS, TRUMPS, Action
from engine.phases.base import PASS, Phase, ask_in_turn, next_asked
from engine.results import THROWN_IN

if TYPE_CHECKING:
    from engine.state import State

ORDER = Action("order")


@dataclass(frozen=True)
class Auction(Phase):
    """What both kinds of auction share: each bid is higher than the highest so far, and the last bidder is the maker.

    Bids go from `low` to `high`. `contract` is what the maker has to take, 0: his bid. When nobody has bid the hand is
    thrown in, or with `thrown_in` false goes on without a maker. The auctions differ in `begin` and `apply`.
    """

    low: int
    high: int
    contract: int = 0
    thrown_in: bool = False

    stage = "bid"

    @cached_property
    def _offers(self) -> tuple[tuple[Action, ...], ...]:
        """By the highest bid so far, a pass and every higher bid."""
        bids = [Action(f"bid {number}") for number in range(self.low, self.high + 1)]
        return tuple(
            (PASS, *(bid for bid in bids if bid.number is not None and bid.number > highest))
            for highest in range(self.high + 1)
        )

    def legal(self, h: State) -> tuple[Action, ...]:
        """Pass, or bid more than the highest so far; where no bid is left, just pass."""
        return self._offers[h.highest_bid]

    def bid(self, h: State, action: Action) -> None:
        """Note the highest bid and whose it is."""
        assert action.number is not None
        h.highest_bid = action.number
        h.highest_bidder = h.actor

    def close(self, h: State) -> None:
        """The highest bidder is the maker."""
        h.maker = h.highest_bidder
        if h.maker is not None:
            h.contract = self.contract or h.highest_bid
        elif self.thrown_in:
            h.hand_ended = THROWN_IN


@dataclass(frozen=True)
class OneRoundAuction(Auction):
    """Everybody bids or passes once, from the eldest, also who can only pass (V14.5.2, V15.5.2).

    Applies while trump is not fixed. With `dealer_bids` false the dealer takes no part (V14.12.4). See `Auction`.
    """

    dealer_bids: bool = True

    def begin(self, h: State) -> int | None:
        """Ask the eldest."""
        if h.trump:
            return None
        seats = h.from_seat(h.dealer + 1)
        return ask_in_turn(h, seats if self.dealer_bids else seats[:-1])

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask the next seat; after the last one the auction is over."""
        if action is not PASS:
            self.bid(h, action)
        seat = next_asked(h)
        if seat is None:
            self.close(h)
        return seat


@dataclass(frozen=True)
class GoingRoundAuction(Auction):
    """The auction goes round, and who has passed may bid later, until all others have passed in succession after the
    last bid, or everybody once without any (V16.5.2, V17.5.2). After the highest bid the others still pass (E17).

    Applies always. The passes in succession stand in `scratch`. See `Auction`.
    """

    def begin(self, h: State) -> int:
        """Ask the eldest."""
        h.scratch = 0
        return h.eldest

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask the next seat, or end the auction."""
        assert h.actor is not None
        if action is PASS:
            h.scratch += 1
        else:
            self.bid(h, action)
            h.scratch = 0
        if h.scratch + (h.highest_bidder is not None) < h.rules.players:
            return (h.actor + 1) % h.rules.players
        h.scratch = None
        self.close(h)
        return None


@dataclass(frozen=True)
class DealerMayTakeUp(Phase):
    """All others have passed: the dealer may be the maker, or turns the upcard down (V14.5.2).

    Applies while there is neither trump nor maker. `contract` is what he then has to take.
    """

    contract: int

    stage = "order up"

    def begin(self, h: State) -> int | None:
        """Ask the dealer."""
        return None if h.trump or h.maker is not None else h.dealer

    def legal(self, h: State) -> tuple[Action, ...]:
        """Pass, or take it up."""
        return (PASS, ORDER)

    def apply(self, h: State, action: Action, card: int) -> None:
        """He is the maker; trump is named later."""
        if action is PASS:
            h.upcard_place = "down"
        else:
            h.maker = h.dealer
            h.contract = self.contract


@dataclass(frozen=True)
class NameTrump(Phase):
    """The maker names any suit, and with `no_trump` no trump, too; he cannot pass.

    Applies when there is a maker and trump is not fixed.
    """

    no_trump: bool

    stage = "name trump"

    def begin(self, h: State) -> int | None:
        """Ask the maker."""
        return None if h.trump else h.maker

    @cached_property
    def _calls(self) -> tuple[Action, ...]:
        return tuple(Action(f"call {trump}") for trump in (TRUMPS if self.no_trump else SUITS))

    def legal(self, h: State) -> tuple[Action, ...]:
        """Any of them."""
        return self._calls

    def apply(self, h: State, action: Action, card: int) -> None:
        """Fix trump."""
        h.fix_trump(action.suit)
