"""Cards that a player may have for his own: the widow for a hand (V16), stock cards (V17), the upcard (V15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.actions import Action
from engine.phases.base import DECLINE, Phase, ask_in_turn, next_asked

if TYPE_CHECKING:
    from engine.state import State

SWAP = Action("swap")
KEEP = Action("keep")
TAKE = Action("take")

WIDOW = "widow"
STOCK = "stock"
"""Piles of the deal."""


@dataclass(frozen=True)
class SwapForWidow(Phase):
    """One player may take the widow, unseen, for his whole hand (V16.5.1).

    Applies always. Asked are right of the dealer, dealer, left of the dealer, until one takes it.
    """

    stage = "take the widow"

    def begin(self, h: State) -> int | None:
        """Ask from the right of the dealer."""
        return ask_in_turn(h, h.from_seat(h.dealer - 1))

    def legal(self, h: State) -> tuple[Action, ...]:
        """Take it, or not."""
        return (SWAP, KEEP)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """His old hand is dead, face down; he alone knows it."""
        if action is KEEP:
            return next_asked(h)
        seat = h.actor
        assert seat is not None
        h.note(seat, "left", h.hands[seat])
        h.dead |= h.hands[seat]
        h.hands[seat] = sum(h.piles[WIDOW])
        h.note(seat, "widow", h.hands[seat])
        h.piles = {name: pile for name, pile in h.piles.items() if name != WIDOW}
        return None


@dataclass(frozen=True)
class AskForStock(Phase):
    """The seat `after_right` places after the right of the dealer says how many cards of the stock it takes (V17.5.1).

    Applies while the stock is not empty. Until the cards are taken their number stands in `scratch`.
    """

    after_right: int

    stage = "exchange"

    def begin(self, h: State) -> int | None:
        """Ask that seat."""
        return h.from_seat(h.dealer - 1)[self.after_right] if h.piles[STOCK] else None

    def legal(self, h: State) -> tuple[Action, ...]:
        """None, or up to all that are left."""
        return _EXCHANGES[: len(h.piles[STOCK]) + 1]

    def apply(self, h: State, action: Action, card: int) -> None:
        """Remember the number."""
        h.scratch = action.number


_EXCHANGES = tuple(Action(f"exchange {number}") for number in range(10))


@dataclass(frozen=True)
class DiscardForStock(Phase):
    """The seat discards as many cards, and then takes the top cards of the stock, unseen by the others (V17.5.1).

    Applies when somebody has said that he takes any. `after_right` as in `AskForStock`.
    """

    after_right: int

    stage = "discard"

    def begin(self, h: State) -> int | None:
        """Ask the seat that exchanges."""
        return h.from_seat(h.dealer - 1)[self.after_right] if h.scratch else None

    def holding(self, h: State) -> int:
        """The cards left to it."""
        return h.hands[h.actor]  # type: ignore[index]  # an actor is never None while a phase is asked

    def legal(self, h: State) -> tuple[Action, ...]:
        """Discard one of these."""
        return h.rules.pack.discards(self.holding(h))

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Ask again until all are discarded; then the cards are taken."""
        seat = h.actor
        assert seat is not None
        h.put_away(seat, card)
        taken: int = h.dealt[seat].bit_count() - h.hands[seat].bit_count()
        if taken < h.scratch:
            return seat
        stock = h.piles[STOCK]
        cards = sum(stock[:taken])
        h.hands[seat] |= cards
        h.note(seat, "widow", cards)
        h.piles = {**h.piles, STOCK: stock[taken:]}
        h.scratch = None
        return None


def stock_exchange(players: int) -> tuple[Phase, ...]:
    """The whole procedure of V17.5.1: each seat in turn discards and takes."""
    return tuple(phase for place in range(players) for phase in (AskForStock(place), DiscardForStock(place)))


@dataclass(frozen=True)
class MayTakeUpcard(Phase):
    """The maker may take the upcard; else it is out of play, and so it is without a maker (V15.5.3, V15.5.5).

    Applies while the upcard lies there.
    """

    stage = "take the upcard"

    def begin(self, h: State) -> int | None:
        """Ask the maker if there is one."""
        if h.upcard_place != "up":
            return None
        if h.maker is None:
            h.upcard_place = "out"
        return h.maker

    def legal(self, h: State) -> tuple[Action, ...]:
        """Take it, or not."""
        return (TAKE, DECLINE)

    def apply(self, h: State, action: Action, card: int) -> None:
        """He takes it into his hand."""
        assert h.maker is not None
        if action is TAKE:
            h.take_upcard(h.maker)
        else:
            h.upcard_place = "out"


@dataclass(frozen=True)
class DiscardForUpcard(Phase):
    """The maker who has taken the upcard discards another card (V15.5.5, A10).

    Applies when he has.
    """

    stage = "discard"

    def begin(self, h: State) -> int | None:
        """Ask the maker."""
        return h.maker if h.upcard_place == "taken" else None

    def holding(self, h: State) -> int:
        """Any card but the upcard."""
        assert h.maker is not None
        return h.hands[h.maker] & ~h.upcard

    def legal(self, h: State) -> tuple[Action, ...]:
        """Discard one of these."""
        return h.rules.pack.discards(self.holding(h))

    def apply(self, h: State, action: Action, card: int) -> None:
        """The card goes face down to the dead pile."""
        assert h.maker is not None
        h.put_away(h.maker, card)
