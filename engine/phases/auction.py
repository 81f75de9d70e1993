"""Auctions for numbers of tricks, and the naming of trump after them (V8, V14 to V17, V22, V24)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from bowerbird.engine.actions import LOW, SUITS, TRUMPS, Action
from bowerbird.engine.phases.base import PASS, Phase, ask_in_turn, next_asked
from bowerbird.engine.results import THROWN_IN
from bowerbird.engine.state import Setup, State

ORDER = Action("order")
BIDS = frozenset({"bid", "lone"})
"""The kinds of actions that are bids."""


@dataclass(frozen=True)
class Auction(Phase):
    """Base of the auctions. Each bid is higher than the highest so far, and the last bidder is the maker.

    Bids go from `low` to `high`. `contract` is the number of tricks that the maker must take; with 0 it is his bid. If
    no seat bids, the hand is thrown in, or continues without a maker if `thrown_in` is false. The auctions differ in
    `begin` and `apply`.

    `trumps` are the trumps that a bid can name; without them, a bid is only a number. `lone` describes lone bids of all
    tricks, which rank above `high` (B9): the number of the partner's cards for each bid, from the lowest to the
    highest. They continue the count: `highest_bid` is `high` + 1 after the lowest lone bid. With `stick_dealer` the
    dealer may not pass if no seat has bid (V22.5.1).
    """

    low: int
    high: int
    contract: int = 0
    thrown_in: bool = False
    trumps: tuple[str, ...] = ()
    lone: tuple[int, ...] = ()
    stick_dealer: bool = False

    stage = "bid"
    facts = ("contract", "highest_bid")

    @cached_property
    def _heights(self) -> dict[Action, int]:
        """The height of every bid, in canonical order: the value of `highest_bid` after it."""
        above = {cards: self.high + 1 + place for place, cards in enumerate(self.lone)}
        heights = {f"bid {number}": number for number in range(self.low, self.high + 1)}
        heights.update((f"lone {cards}", above[cards]) for cards in sorted(above))
        return {
            Action(f"{bid} {trump}".rstrip()): height
            for bid, height in heights.items()
            for trump in self.trumps or ("",)
        }

    @cached_property
    def _offers(self) -> tuple[tuple[Action, ...], ...]:
        """The legal actions for each highest bid so far: a pass and every higher bid."""
        return tuple(
            (PASS, *(bid for bid, height in self._heights.items() if height > highest))
            for highest in range(self.high + len(self.lone) + 1)
        )

    @cached_property
    def _bound(self) -> tuple[Action, ...]:
        """The legal actions of a dealer who may not pass."""
        return tuple(self._heights)

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return self._offers[0]

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return a pass, unless the dealer must bid, and every bid above the highest so far."""
        if self.stick_dealer and h.actor == h.dealer and h.highest_bidder is None:
            return self._bound
        return self._offers[h.highest_bid]

    def bid(self, h: State, action: Action) -> None:
        """Record the highest bid and its bidder."""
        h.highest_bid = self._heights[action]
        h.highest_bidder = h.actor

    def close(self, h: State) -> None:
        """Make the highest bidder the maker on the terms of his bid; without a bid, end the hand if `thrown_in`."""
        h.maker = h.highest_bidder
        if h.maker is None:
            if self.thrown_in:
                h.hand_ended = THROWN_IN
            return
        h.contract = self.contract or min(h.highest_bid, self.high)
        if h.highest_bid > self.high:
            h.how = "alone"
        if self.trumps:
            h.fix_trump(highest_bid(h).suit)


def highest_bid(h: State) -> Action:
    """Return the last bid of the hand's auction, which is the highest."""
    return next(event.action for event in reversed(h.log) if event.action.kind in BIDS)


@dataclass(frozen=True)
class OneRoundAuction(Auction):
    """A one-round auction: starting with the eldest, each seat bids or passes once (V14.5.2, V15.5.2).

    Even a seat that can only pass is asked. Applies while trump is not fixed. If `dealer_bids` is false the dealer does
    not take part (V14.12.4). See `Auction`.
    """

    dealer_bids: bool = True

    def begin(self, h: State) -> int | None:
        """Ask the eldest."""
        if h.trump:
            return None
        seats = h.from_seat(h.dealer + 1)
        return ask_in_turn(h, seats if self.dealer_bids else seats[:-1])

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask the next seat; after the last one, end the auction."""
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
    """An auction of as many rounds as needed, in which a seat that has passed may bid later (V16.5.2, V17.5.2).

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
    """An auction among the seats that have not passed, in which a pass is final (V24.5.2).

    It goes round until all seats, or all except the highest bidder, have passed. Even a seat that can only pass is
    asked (E17). Applies while trump is not fixed. See `Auction`.
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
class JokerBids(Phase):
    """The forced bid by the seat with the joker if no seat has bid (V23.5.2).

    Applies while there is no maker. If no seat has the joker, the hand is thrown in.
    """

    joker: str
    number: int

    stage = "bid"
    facts = ("contract", "highest_bid")

    def begin(self, h: State) -> int | None:
        """Ask the holder of the joker."""
        if h.maker is not None:
            return None
        card = h.rules.pack.bits[self.joker]
        holder = next((seat for seat in h.rules.seats if h.hands[seat] & card), None)
        if holder is None:
            h.hand_ended = THROWN_IN
        return holder

    @cached_property
    def _bid(self) -> tuple[Action, ...]:
        return (Action(f"bid {self.number}"),)

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return self._bid

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return only the forced bid."""
        return self._bid

    def apply(self, h: State, action: Action, card: int) -> None:
        """Make the bidder the maker."""
        h.maker = h.highest_bidder = h.actor
        h.contract = h.highest_bid = self.number


@dataclass(frozen=True)
class DealerMayTakeUp(Phase):
    """The dealer's choice after all others have passed: to become the maker or to turn down the upcard (V14.5.2).

    Applies while there is neither trump nor maker. `contract` is the number of tricks that he must take as maker.
    """

    contract: int

    stage = "order up"
    facts = ("contract",)

    def begin(self, h: State) -> int | None:
        """Ask the dealer."""
        return None if h.trump or h.maker is not None else h.dealer

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
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
    """The maker's choice of trump: any suit, with `no_trump` also no trump, and with `low` also low (B8).

    He cannot pass. Applies when there is a maker and trump is not fixed.
    """

    no_trump: bool
    low: bool = False

    stage = "name trump"

    def begin(self, h: State) -> int | None:
        """Ask the maker."""
        return None if h.trump else h.maker

    @cached_property
    def _calls(self) -> tuple[Action, ...]:
        named = (*(TRUMPS if self.no_trump else SUITS), *((LOW,) if self.low else ()))
        return tuple(Action(f"call {trump}") for trump in named)

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return self._calls

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return every call."""
        return self._calls

    def apply(self, h: State, action: Action, card: int) -> None:
        """Fix trump."""
        h.fix_trump(action.suit)
