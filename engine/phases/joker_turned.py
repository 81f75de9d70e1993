"""A joker is turned up: the dealer names a suit before he looks at his cards (V2.5.1, V3.5.1, V20.5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.actions import SUITS, Action
from engine.phases.base import DECLINE, Phase
from engine.phases.upcard import OrderUp

if TYPE_CHECKING:
    from engine.state import State

ALONE = Action("alone")
UNSEEN = "unseen hand"
"""The pile that the dealer's cards form until he looks at them."""

_CALLS = tuple(Action(f"call {suit}") for suit in SUITS)


def joker_is_turned(h: State) -> bool:
    """Whether the upcard has no suit of its own."""
    return not h.rules.pack.suit_of(h.upcard)


class NameBeforeLooking(Phase):
    """The dealer names one of the four suits while his cards still lie face down before him.

    Applies when a joker is turned up. What the name does is said by `take`.
    """

    __slots__ = ()

    stage = "name trump"

    def begin(self, h: State) -> int | None:
        """Lay the dealer's cards face down, and ask him."""
        if not joker_is_turned(h):
            return None
        cards = h.rules.plans[h.dealer].hands[h.dealer](h.orders[-1])
        h.piles = {**h.piles, UNSEEN: cards}
        h.hands[h.dealer] = 0
        h.dealt = tuple(0 if seat == h.dealer else hand for seat, hand in enumerate(h.dealt))
        return h.dealer

    def legal(self, h: State) -> tuple[Action, ...]:
        """Any of the four suits; passing is not possible."""
        return _CALLS

    def apply(self, h: State, action: Action, card: int) -> None:
        """The suit is named, and the dealer looks at his cards."""
        self.take(h, action.suit)
        hand = h.hands[h.dealer] = sum(h.piles[UNSEEN])
        h.dealt = tuple(hand if seat == h.dealer else other for seat, other in enumerate(h.dealt))
        h.piles = {name: cards for name, cards in h.piles.items() if name != UNSEEN}

    def take(self, h: State, suit: str) -> None:
        """What it means that this suit was named."""
        raise NotImplementedError


class BennyTurned(NameBeforeLooking):
    """The dealer is the maker, the suit is trump, and no bidding takes place (V2.5.1). See `NameBeforeLooking`."""

    __slots__ = ()

    def take(self, h: State, suit: str) -> None:
        """Fix trump and maker."""
        h.fix_trump(suit)
        h.maker = h.dealer


class JokerProposed(NameBeforeLooking):
    """The suit is only proposed: from now on it is the upcard's (V3.5.1). See `NameBeforeLooking`."""

    __slots__ = ()

    def take(self, h: State, suit: str) -> None:
        """Give the upcard its suit."""
        h.proposed = suit


class BoundOrderUp(OrderUp):
    """First round in which the dealer may not turn down the suit that he proposed (V20 `joker_turned` = forced, E13).

    Applies as `OrderUp` does.
    """

    def legal(self, h: State) -> tuple[Action, ...]:
        """As in any first round, but a dealer who proposed cannot pass."""
        legal = super().legal(h)
        return legal[1:] if h.proposed and h.actor == h.dealer else legal


class AloneWithBenny(Phase):
    """The maker of a turned Benny says after his discard whether he goes alone: his only chance (V2.5.1, E7).

    Applies when a joker was turned up.
    """

    __slots__ = ()

    stage = "go alone"

    def begin(self, h: State) -> int | None:
        """Ask the dealer."""
        return h.dealer if joker_is_turned(h) else None

    def legal(self, h: State) -> tuple[Action, ...]:
        """Alone, or not."""
        return (ALONE, DECLINE)

    def apply(self, h: State, action: Action, card: int) -> None:
        """He plays alone from now on, or with his partners."""
        if action is ALONE:
            h.how = "alone"
