"""The kitty of King Cut-Throat: its top card is turned, and the seat left of the namer receives cards (V11.5)."""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.engine.phases.base import Phase
from bowerbird.engine.results import REDEAL
from bowerbird.engine.state import Facts, State

KITTY = "kitty"
"""Name of the kitty's pile; the first card dealt to it is its top."""

REDEALS = "redeals"
"""Name of the public fact (`h.extra`) that holds the number of redeals of this hand."""


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
        """Turn the card up; no seat is asked."""
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

    He receives the turned card if its suit is trump, else the two unseen cards. The other kitty cards go outside, face
    down. Always applies: without a namer the hand has been thrown in.
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
