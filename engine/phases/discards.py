"""Secret discards down to a number of cards (V7.5.4, V11.5), and the kitty of King Cut-Throat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bowerbird.engine.actions import Action
from bowerbird.engine.phases.base import Discarding, Phase, ask_in_turn, next_asked
from bowerbird.engine.results import REDEAL
from bowerbird.engine.state import Facts, State

AskingOrder = Callable[[State], tuple[int, ...]]
"""A function from the state to the seats in the order they are asked."""


def from_eldest(h: State) -> tuple[int, ...]:
    """Return all seats from the eldest (A11)."""
    return h.from_seat(h.eldest)


@dataclass(frozen=True)
class DiscardDown(Discarding):
    """The discards, one by one, of each seat with more than `keep` cards, until it has `keep` left (A11, E9).

    Applies if a seat has more. Each seat makes its discards in a row, unseen by the other seats.
    """

    keep: int
    order: AskingOrder = from_eldest

    stage = "discard"
    facts = ("discarded",)

    def begin(self, h: State) -> int | None:
        """Ask the seats with more than `keep` cards, in the declared order."""
        return ask_in_turn(h, tuple(seat for seat in self.order(h) if h.hands[seat].bit_count() > self.keep))

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Put the card face down on the dead pile; ask the same seat until it has `keep` cards."""
        seat = h.actor
        assert seat is not None
        h.put_away(seat, card)
        return seat if h.hands[seat].bit_count() > self.keep else next_asked(h)


KITTY = "kitty"
"""The name of the kitty's pile; the first card dealt to it is its top card."""

REDEALS = "redeals"
"""The name of the public fact (`h.extra`) with the number of redeals of this hand."""


def redeals_of(extra: Facts) -> int:
    """Return the number of redeals of this hand."""
    return int(dict(extra).get(REDEALS, "0"))


@dataclass(frozen=True)
class FlipKitty(Phase):
    """The turning of the kitty's top card (V11.5.2).

    Always applies. A turned joker counts as a card of `joker_suit`; with "" the same dealer deals again.
    """

    joker_suit: str = ""

    facts = ("upcard", "proposed")

    def begin(self, h: State) -> None:
        """Turn up the card; no seat is asked."""
        kitty = h.piles[KITTY]
        h.upcard = kitty[0]
        h.upcard_place = "up"
        h.piles = {**h.piles, KITTY: kitty[1:]}
        if h.rules.pack.suit_of(h.upcard):
            return
        h.proposed = self.joker_suit
        if not h.proposed:
            h.hand_ended = REDEAL
            h.extra = ((REDEALS, str(redeals_of(h.extra) + 1)),)


class LeftOfNamerReceives(Phase):
    """The gift of kitty cards to the player left of the namer (V11.5.3, V11.5.4).

    He receives the turned card if its suit is trump, otherwise the two unseen cards. The other kitty cards are put
    outside, face down. Always applies: if no seat names trump, the hand has been thrown in.
    """

    __slots__ = ()

    facts = ("widow",)

    def begin(self, h: State) -> None:
        """Move the kitty cards; no seat is asked."""
        assert h.maker is not None
        receiver = h.from_seat(h.maker + 1)[0]
        unseen = h.take_pile(KITTY)
        if h.upcard_place == "up":
            h.take_upcard(receiver)
            h.dead |= unseen
        else:
            h.hands[receiver] |= unseen
            h.note(receiver, "widow", unseen)
            h.dead |= h.upcard
            h.upcard_place = "out"
