"""The kitty of King Cut-Throat: a card of it is turned, and who sits left of the namer has cards of it (V11.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.phases.base import Phase
from engine.results import REDEAL
from engine.views import Facts

if TYPE_CHECKING:
    from engine.state import State

KITTY = "kitty"
"""The pile of the deal; the first card dealt to it is its top."""

REDEALS = "redeals"
"""Name of the public fact (`h.extra`) that a hand has been dealt again: how often."""


def redeals_of(extra: Facts) -> int:
    """How often this hand has been dealt again."""
    return int(dict(extra).get(REDEALS, "0"))


@dataclass(frozen=True)
class FlipKitty(Phase):
    """The top card of the kitty is turned up (V11.5.2).

    Always applies. A turned joker means another deal by the same dealer, or with `joker_suit` counts as that suit.
    """

    joker_suit: str = ""

    def begin(self, h: State) -> None:
        """Turn the card; nobody is asked."""
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
    """The player left of the namer receives the turned card, or if another suit was named the two unseen ones.

    Always applies: there is a namer, or the hand has been thrown in. What he does not receive goes outside, face down
    (V11.5.3, V11.5.4).
    """

    __slots__ = ()

    def begin(self, h: State) -> None:
        """Move the kitty; nobody is asked."""
        assert h.maker is not None
        receiver = h.from_seat(h.maker + 1)[0]
        unseen = sum(h.piles[KITTY])
        h.piles = {name: pile for name, pile in h.piles.items() if name != KITTY}
        if h.upcard_place == "up":
            h.take_upcard(receiver)
            h.dead |= unseen
        else:
            h.hands[receiver] |= unseen
            h.note(receiver, "widow", unseen)
            h.dead |= h.upcard
            h.upcard_place = "out"
