"""Cards of the partner for a maker who bid alone (B9): he discards, the partner gives, he takes the gifts."""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.engine.actions import Action
from bowerbird.engine.phases.auction import highest_bid
from bowerbird.engine.phases.base import Discarding, Giving
from bowerbird.engine.state import State

GIFTS = "gifts"
"""Name of the pile of cards that the partner has chosen and the maker has not taken yet."""


def cards_of_partner(h: State) -> int:
    """Return the number of cards that the maker's bid takes from his partner; 0 unless it is a lone bid."""
    bid = highest_bid(h)
    return bid.number or 0 if bid.kind == "lone" else 0


@dataclass(frozen=True)
class DiscardForGifts(Discarding):
    """The maker's discards from the cards dealt to him, one for each card that his partner will give.

    Applies after a lone bid with cards of the partner. He discards before he sees the gifts.
    """

    stage = "discard"
    facts = ("discarded",)

    def begin(self, h: State) -> int | None:
        """Ask the maker if his bid takes cards of the partner."""
        return h.maker if cards_of_partner(h) else None

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Put the card face down on the dead pile; ask the maker again until all are discarded."""
        maker = h.actor
        assert maker is not None
        h.put_away(maker, card)
        return maker if _missing(h, maker) < cards_of_partner(h) else None


@dataclass(frozen=True)
class GiveToMaker(Giving):
    """The partner's free choice of the cards that he gives, even though he sits out.

    Applies after a lone bid with cards of the partner. The maker takes the gifts when all of them are chosen; only
    giver and receiver know them.
    """

    stage = "give a card"
    facts = ("gave", "received")

    def begin(self, h: State) -> int | None:
        """Ask the maker's partner if the bid takes any of his cards."""
        assert h.maker is not None
        return h.partners(h.maker)[0] if cards_of_partner(h) else None

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Lay the card aside, face down; after the last one give all of them to the maker."""
        giver, maker = h.actor, h.maker
        assert giver is not None
        assert maker is not None
        h.hands[giver] ^= card
        h.piles = {**h.piles, GIFTS: (*h.piles.get(GIFTS, ()), card)}
        h.note(giver, "gave", card, maker)
        if _missing(h, giver) < cards_of_partner(h):
            return giver
        gifts = h.take_pile(GIFTS)
        h.hands[maker] |= gifts
        h.note(maker, "received", gifts, giver)
        return None


def _missing(h: State, seat: int) -> int:
    """Return how many of the cards dealt to `seat` it has put away or given."""
    return h.dealt[seat].bit_count() - h.hands[seat].bit_count()
