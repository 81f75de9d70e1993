"""Exchanges: a hand for the widow (V16), cards for the widow (V18, V21, V23) or stock (V17), one for the upcard
(V15)."""

from __future__ import annotations

from dataclasses import dataclass

from bowerbird.engine.actions import Action
from bowerbird.engine.phases.base import DECLINE, Discarding, Phase, ask_in_turn, next_asked
from bowerbird.engine.state import Setup, State

SWAP = Action("swap")
KEEP = Action("keep")
TAKE = Action("take")

WIDOW = "widow"
STOCK = "stock"
"""The names of piles in the deal."""


@dataclass(frozen=True)
class SwapForWidow(Phase):
    """The exchange of one player's whole hand for the unseen widow (V16.5.1).

    Always applies. The seat to the dealer's right, the dealer and the seat to his left are asked until one of them
    takes it.
    """

    stage = "take the widow"
    facts = ("left", "widow")

    def begin(self, h: State) -> int | None:
        """Ask the seats clockwise from the dealer's right."""
        return ask_in_turn(h, h.from_seat(h.dealer - 1))

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (SWAP, KEEP)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return taking the widow and keeping the hand."""
        return (SWAP, KEEP)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Give the taker the widow and put his old hand aside for good; only he knows it."""
        if action is KEEP:
            return next_asked(h)
        seat = h.actor
        assert seat is not None
        h.note(seat, "left", h.hands[seat])
        h.dead |= h.hands[seat]
        h.hands[seat] = h.take_pile(WIDOW)
        h.note(seat, "widow", h.hands[seat])
        return None


@dataclass(frozen=True)
class TakeWidow(Discarding):
    """The maker's exchange with the widow: he takes it, unseen by the others, and discards the same number of cards.

    He may discard any card that he then has. Applies if there is a maker (V23.5.4).
    """

    stage = "discard"
    facts = ("discarded", "widow")

    def begin(self, h: State) -> int | None:
        """Give the maker the widow and ask him for a discard."""
        if h.maker is None:
            return None
        cards = h.take_pile(WIDOW)
        h.hands[h.maker] |= cards
        h.note(h.maker, "widow", cards)
        return h.maker

    def holding(self, h: State) -> int:
        """Return the maker's hand, including the widow cards."""
        return h.hands[h.maker]  # type: ignore[index]  # there is a maker after the auction

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Put the card away; ask the maker again until he has as many cards as he was dealt."""
        maker = h.maker
        assert maker is not None
        h.put_away(maker, card)
        return maker if h.hands[maker].bit_count() > h.dealt[maker].bit_count() else None


@dataclass(frozen=True)
class AskForStock(Phase):
    """One seat's announcement of how many stock cards it will take (V17.5.1).

    Applies while the stock is not empty. The seat is `after_right` places clockwise from the dealer's right.
    """

    after_right: int

    stage = "exchange"

    def begin(self, h: State) -> int | None:
        """Ask the seat unless the stock is empty."""
        return h.from_seat(h.dealer - 1)[self.after_right] if h.piles[STOCK] else None

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return _EXCHANGES[: len(dict(rules.plans[0].piles)[STOCK]) + 1]

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return an exchange for each number of cards from 0 to all that are left."""
        return _EXCHANGES[: len(h.piles[STOCK]) + 1]

    def apply(self, h: State, action: Action, card: int) -> None:
        """Change nothing: `DiscardForStock` finds the number in the history of the hand."""


_EXCHANGES = tuple(Action(f"exchange {number}") for number in range(10))


@dataclass(frozen=True)
class DiscardForStock(Discarding):
    """The exchange that a seat has announced: it discards cards, then takes as many from the stock (V17.5.1).

    It takes the top cards, unseen by the others. Applies if the seat has just announced at least one card.
    `after_right` is as in `AskForStock`.
    """

    after_right: int

    stage = "discard"
    facts = ("discarded", "widow")

    def begin(self, h: State) -> int | None:
        """Ask the seat if it exchanges cards."""
        seat = h.from_seat(h.dealer - 1)[self.after_right]
        return seat if h.log and h.log[-1].seat == seat and h.log[-1].action.number else None

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Put the card away. After the last discard give the seat its stock cards; otherwise ask it again."""
        seat = h.actor
        assert seat is not None
        h.put_away(seat, card)
        taken = h.dealt[seat].bit_count() - h.hands[seat].bit_count()
        if taken < _exchanged(h):
            return seat
        stock = h.piles[STOCK]
        cards = sum(stock[:taken])
        h.hands[seat] |= cards
        h.note(seat, "widow", cards)
        h.piles = {**h.piles, STOCK: stock[taken:]}
        return None


def _exchanged(h: State) -> int:
    """Return the number of cards in the last `exchange`."""
    return next(event.action.number or 0 for event in reversed(h.log) if event.action.kind == "exchange")


def stock_exchange(players: int) -> tuple[Phase, ...]:
    """Return the whole procedure of V17.5.1: each seat in turn announces, discards and takes."""
    return tuple(phase for place in range(players) for phase in (AskForStock(place), DiscardForStock(place)))


@dataclass(frozen=True)
class MayTakeUpcard(Phase):
    """The maker's choice to take the upcard or leave it out of play (V15.5.3, V15.5.5).

    Applies while the upcard is up. Without a maker no seat is asked and the upcard is out of play.
    """

    stage = "take the upcard"

    def begin(self, h: State) -> int | None:
        """Ask the maker; if there is none, put the upcard out of play."""
        if h.upcard_place != "up":
            return None
        if h.maker is None:
            h.upcard_place = "out"
        return h.maker

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (TAKE, DECLINE)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return taking the upcard and declining it."""
        return (TAKE, DECLINE)

    def apply(self, h: State, action: Action, card: int) -> None:
        """Put the upcard into the maker's hand, or out of play."""
        assert h.maker is not None
        if action is TAKE:
            h.take_upcard(h.maker)
        else:
            h.upcard_place = "out"


@dataclass(frozen=True)
class DiscardForUpcard(Discarding):
    """The discard of a maker who has taken the upcard; it must be another card (V15.5.5, A10).

    Applies when the upcard has been taken.
    """

    stage = "discard"
    facts = ("discarded",)

    def begin(self, h: State) -> int | None:
        """If the maker has taken the upcard, ask him."""
        return h.maker if h.upcard_place == "taken" else None

    def holding(self, h: State) -> int:
        """Return the maker's hand without the upcard."""
        assert h.maker is not None
        return h.hands[h.maker] & ~h.upcard

    def apply(self, h: State, action: Action, card: int) -> None:
        """Put the card face down on the dead pile."""
        assert h.maker is not None
        h.put_away(h.maker, card)
