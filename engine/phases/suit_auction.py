"""The auction of five- and seven-handed Euchre: points and suit are bid together (V18.5, V21.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from engine.actions import SUITS, Action
from engine.phases.base import PASS, Phase, ask_in_turn, next_asked
from engine.phases.exchange import WIDOW
from engine.results import THROWN_IN

if TYPE_CHECKING:
    from engine.state import State


class Bid(NamedTuple):
    """What a bid means: tricks that the maker's side needs, partners that he chooses, and whether he has the widow."""

    tricks: int
    partners: int
    widow: bool


Ladder = Mapping[int, Bid]
"""The bids by their points, ascending."""


class _Ladder(Phase):
    """A phase that follows a ladder of bids."""

    ladder: Ladder

    def bid(self, h: State) -> Bid:
        """What the maker has bid."""
        return self.ladder[h.contract]


@dataclass(frozen=True)
class SuitAuction(_Ladder):
    """Everybody bids points and a suit, strictly more points than the highest so far, or passes, once from the eldest.

    Applies always. The highest bidder is the maker and his suit is trump; when all pass the hand is thrown in. The
    suit of the highest bid stands in `scratch` until then.
    """

    ladder: Ladder

    stage = "bid"

    def begin(self, h: State) -> int | None:
        """Ask the eldest."""
        return ask_in_turn(h, h.from_seat(h.dealer + 1))

    @cached_property
    def _offers(self) -> dict[int, tuple[Action, ...]]:
        """By the highest bid so far, a pass and every higher bid in every suit."""
        return {
            highest: (PASS, *(Action(f"bid {n} {suit}") for n in self.ladder if n > highest for suit in SUITS))
            for highest in (0, *self.ladder)
        }

    def legal(self, h: State) -> tuple[Action, ...]:
        """Pass, or bid more than the highest so far."""
        return self._offers[h.highest_bid]

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask the next seat; after the last one the highest bidder is the maker."""
        if action is not PASS:
            assert action.number is not None
            h.highest_bid = action.number
            h.highest_bidder = h.actor
            h.scratch = action.suit
        seat = next_asked(h)
        if seat is not None:
            return seat
        if h.highest_bidder is None:
            h.hand_ended = THROWN_IN
            return None
        h.maker = h.highest_bidder
        h.contract = h.highest_bid
        h.fix_trump(h.scratch)
        h.scratch = None
        return None


@dataclass(frozen=True)
class WidowForMaker(_Ladder):
    """The maker takes the widow into his hand, unseen by the others, and discards as many cards of all that he holds.

    Applies when the bid has the widow (V18.5.2, V21.5.2).
    """

    ladder: Ladder

    stage = "discard"

    def begin(self, h: State) -> int | None:
        """The maker takes the widow and is asked for a discard."""
        if not self.bid(h).widow:
            return None
        assert h.maker is not None
        cards = sum(h.piles[WIDOW])
        h.hands[h.maker] |= cards
        h.note(h.maker, "widow", cards)
        h.piles = {name: pile for name, pile in h.piles.items() if name != WIDOW}
        return h.maker

    def holding(self, h: State) -> int:
        """All his cards, those of the widow, too."""
        return h.hands[h.maker]  # type: ignore[index]  # there is a maker after the auction

    def legal(self, h: State) -> tuple[Action, ...]:
        """Discard one of these."""
        return h.rules.pack.discards(self.holding(h))

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask again until he holds as many cards as he was dealt."""
        maker = h.maker
        assert maker is not None
        h.put_away(maker, card)
        return maker if h.hands[maker].bit_count() > h.dealt[maker].bit_count() else None


@dataclass(frozen=True)
class ChoosePartners(_Ladder):
    """The maker names his partners, one after another and in public; they cannot refuse (V18.5.3, V21.5.3).

    Applies always; a bid without partners asks for none. In the end the makers are side 0 and all others side 1. The
    makers chosen so far stand in `scratch`.
    """

    ladder: Ladder

    stage = "choose a partner"

    def begin(self, h: State) -> int | None:
        """Ask the maker."""
        h.scratch = (h.maker,)
        return self._asked(h)

    def _asked(self, h: State) -> int | None:
        """The maker until all are chosen; then the sides are fixed."""
        if len(h.scratch) <= self.bid(h).partners:
            return h.maker
        h.sides = tuple(0 if seat in h.scratch else 1 for seat in h.rules.seats)
        h.scratch = None
        return None

    def legal(self, h: State) -> tuple[Action, ...]:
        """Anybody who is not a maker yet."""
        return _others(h.rules.seats, h.scratch)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Remember the partner."""
        h.scratch = (*h.scratch, action.seat)
        return self._asked(h)


@cache
def _others(seats: tuple[int, ...], makers: tuple[int, ...]) -> tuple[Action, ...]:
    return tuple(Action(f"partner {seat}") for seat in seats if seat not in makers)
