"""Cards that a lone player gets from his partner: one that he asks for (B3), or several after a lone bid (B9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from bowerbird.engine.actions import Action
from bowerbird.engine.phases.auction import highest_bid
from bowerbird.engine.phases.base import DECLINE, Discarding, Giving, Phase
from bowerbird.engine.state import Setup, State

Lone = Callable[[State], int | None]
"""A function from the state to the lone player who may ask, or None if there is none."""


def lone_maker(h: State) -> int | None:
    """Return the maker if he plays alone, otherwise None. A Jambone player may not ask (V3.10)."""
    return h.maker if h.how == "alone" else None


def lone_defender(h: State) -> int | None:
    """Return the defender who plays alone, or None if there is none."""
    return h.lone_defender


@cache
def _asking(partners: tuple[int, ...]) -> tuple[Action, ...]:
    return (*(Action(f"ask {seat}") for seat in sorted(partners)), DECLINE)


@dataclass(frozen=True)
class AskPartner(Phase):
    """The lone player's choice to ask one of his partners for a card, or not to ask.

    Applies when `lone` finds a player.
    """

    lone: Lone

    stage = "ask for a card"

    def begin(self, h: State) -> int | None:
        """Ask the lone player, if there is one."""
        return self.lone(h)

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return _asking(rules.seats)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return asking each partner and declining."""
        assert h.actor is not None
        return _asking(h.partners(h.actor))

    def apply(self, h: State, action: Action, card: int) -> None:
        """Change nothing: `GiveCard` finds the partner in the history of the hand."""


@dataclass(frozen=True)
class GiveCard(Giving):
    """The gift of any card by the partner who was asked. He cannot refuse, even if he sits out.

    Applies when a partner was asked.
    """

    lone: Lone

    stage = "give a card"
    facts = ("gave", "received")

    def begin(self, h: State) -> int | None:
        """Ask the partner, if one was asked for a card."""
        return h.log[-1].action.seat if h.log and h.log[-1].action.kind == "ask" else None

    def apply(self, h: State, action: Action, card: int) -> None:
        """Move the card; only giver and receiver know it."""
        giver, receiver = h.actor, self.lone(h)
        assert giver is not None
        assert receiver is not None
        h.hands[giver] ^= card
        h.hands[receiver] |= card
        h.note(giver, "gave", card, receiver)
        h.note(receiver, "received", card, giver)


@dataclass(frozen=True)
class DiscardForGift(Discarding):
    """The lone player's discard for the card that he was given. It may be the upcard if he took it (E8).

    Applies when a card was given.
    """

    lone: Lone

    stage = "discard"
    facts = ("discarded",)

    def begin(self, h: State) -> int | None:
        """Ask the lone player, if he was given a card."""
        return self.lone(h) if h.log and h.log[-1].action.kind == "give" else None

    def apply(self, h: State, action: Action, card: int) -> None:
        """Put the card face down on the dead pile."""
        assert h.actor is not None
        h.put_away(h.actor, card)


@dataclass(frozen=True)
class DiscardAnother(DiscardForGift):
    """A discard that may not be the card that he was given ("another card in exchange", V3.12).

    Applies when `DiscardForGift` does.
    """

    def holding(self, h: State) -> int:
        """Return his cards without the gift."""
        gift = next(cards for seat, what, cards, _ in reversed(h.notes) if what == "received" and seat == h.actor)
        return super().holding(h) & ~gift


def card_from_partner(lone: Lone, discard: type[DiscardForGift]) -> tuple[Phase, ...]:
    """Return the whole procedure B3 for the player that `lone` finds."""
    return AskPartner(lone), GiveCard(lone), discard(lone)


GIFTS = "gifts"
"""The name of the pile of cards that the partner has chosen but the maker has not taken yet."""


def cards_of_partner(h: State) -> int:
    """Return the number of cards that the maker gets from his partner; 0 unless his bid is a lone bid."""
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
        """If the maker's bid includes cards from the partner, ask the maker."""
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
        """If the bid includes cards from the maker's partner, ask the partner."""
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
    """Return how many of the cards dealt to `seat` it has put away or given away."""
    return h.dealt[seat].bit_count() - h.hands[seat].bit_count()
