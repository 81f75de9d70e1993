"""Auctions in which numbers are bid, and the naming of trump after them (V14 to V17, V24)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from bowerbird.engine.actions import SUITS, TRUMPS, Action
from bowerbird.engine.phases.base import PASS, Phase, ask_in_turn, next_asked
from bowerbird.engine.results import THROWN_IN
from bowerbird.engine.state import Setup, State

ORDER = Action("order")


@dataclass(frozen=True)
class Auction(Phase):
    """Base of the auctions. Each bid is higher than the highest so far, and the last bidder is the maker.

    Bids go from `low` to `high`. `contract` is the number of tricks that the maker must take; with 0 it is his bid. If
    no seat bids, the hand is thrown in, or with `thrown_in` false continues without a maker. The auctions differ in
    `begin` and `apply`.
    """

    low: int
    high: int
    contract: int = 0
    thrown_in: bool = False

    stage = "bid"
    facts = ("contract", "highest_bid")

    @cached_property
    def _offers(self) -> tuple[tuple[Action, ...], ...]:
        """The legal actions by the highest bid so far: a pass and every higher bid."""
        bids = [Action(f"bid {number}") for number in range(self.low, self.high + 1)]
        return tuple(
            (PASS, *(bid for bid in bids if bid.number is not None and bid.number > highest))
            for highest in range(self.high + 1)
        )

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase may offer."""
        return self._offers[0]

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return a pass and every bid above the highest so far."""
        return self._offers[h.highest_bid]

    def bid(self, h: State, action: Action) -> None:
        """Note the highest bid and its bidder."""
        assert action.number is not None
        h.highest_bid = action.number
        h.highest_bidder = h.actor

    def close(self, h: State) -> None:
        """Make the highest bidder the maker; without a bid end the hand if `thrown_in`."""
        h.maker = h.highest_bidder
        if h.maker is not None:
            h.contract = self.contract or h.highest_bid
        elif self.thrown_in:
            h.hand_ended = THROWN_IN


@dataclass(frozen=True)
class OneRoundAuction(Auction):
    """An auction of one round: from the eldest, each seat bids or passes once (V14.5.2, V15.5.2).

    A seat that can only pass is asked, too. Applies while trump is not fixed. With `dealer_bids` false the dealer takes
    no part (V14.12.4). See `Auction`.
    """

    dealer_bids: bool = True

    def begin(self, h: State) -> int | None:
        """Ask the eldest."""
        if h.trump:
            return None
        seats = h.from_seat(h.dealer + 1)
        return ask_in_turn(h, seats if self.dealer_bids else seats[:-1])

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask the next seat; after the last one end the auction."""
        if action is not PASS:
            self.bid(h, action)
        seat = next_asked(h)
        if seat is None:
            self.close(h)
        return seat


def passes_in_succession(h: State) -> int:
    """Return the number of consecutive passes at the end of the log."""
    return sum(1 for _ in takewhile(lambda event: event.action is PASS, reversed(h.log)))


@dataclass(frozen=True)
class GoingRoundAuction(Auction):
    """An auction that goes round as often as needed; a seat that has passed may bid later (V16.5.2, V17.5.2).

    It ends when all others have passed in succession after the last bid, or when every seat has passed without a bid.
    After the highest possible bid the others still pass (E17). Always applies. See `Auction`.
    """

    def begin(self, h: State) -> int:
        """Ask the eldest."""
        return h.eldest

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask the next seat, or end the auction."""
        assert h.actor is not None
        if action is not PASS:
            self.bid(h, action)
        if passes_in_succession(h) + (h.highest_bidder is not None) < h.rules.players:
            return (h.actor + 1) % h.rules.players
        self.close(h)
        return None


@dataclass(frozen=True)
class LeavingAuction(Auction):
    """An auction that goes round among the seats that have not passed: a pass is for good (V24.5.2).

    It ends when all seats but the highest bidder have passed, or all of them. A seat that can only pass is asked, too
    (E17). Applies while trump is not fixed. See `Auction`.
    """

    def begin(self, h: State) -> int | None:
        """Ask the eldest."""
        return None if h.trump else ask_in_turn(h, h.from_seat(h.eldest))

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask the next seat that has not passed, or end the auction."""
        if action is PASS:
            seat = next_asked(h)
        else:
            self.bid(h, action)
            seat = ask_in_turn(h, (*h.asking[1:], h.asking[0]))
        if seat is not None and seat != h.highest_bidder:
            return seat
        self.close(h)
        return None


@dataclass(frozen=True)
class DealerMayTakeUp(Phase):
    """The dealer's choice after all others have passed: become the maker, or turn the upcard down (V14.5.2).

    Applies while there is neither trump nor maker. `contract` is the number of tricks that he must take as maker.
    """

    contract: int

    stage = "order up"
    facts = ("contract",)

    def begin(self, h: State) -> int | None:
        """Ask the dealer."""
        return None if h.trump or h.maker is not None else h.dealer

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase may offer."""
        return (PASS, ORDER)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return a pass and taking up."""
        return (PASS, ORDER)

    def apply(self, h: State, action: Action, card: int) -> None:
        """Turn the upcard down, or make the dealer the maker; he names trump later."""
        if action is PASS:
            h.upcard_place = "down"
        else:
            h.maker = h.dealer
            h.contract = self.contract


@dataclass(frozen=True)
class NameTrump(Phase):
    """The naming of trump by the maker: any suit, and with `no_trump` also no trump. He cannot pass.

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

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase may offer."""
        return self._calls

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return every call."""
        return self._calls

    def apply(self, h: State, action: Action, card: int) -> None:
        """Fix trump."""
        h.fix_trump(action.suit)
