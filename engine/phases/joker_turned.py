"""A joker as the upcard: the dealer names a suit before he looks at his cards (V2.5.1, V3.5.1, V20.5.1)."""

from __future__ import annotations

from bowerbird.engine.actions import SUITS, Action
from bowerbird.engine.phases.base import DECLINE, Phase
from bowerbird.engine.phases.upcard import OrderUp
from bowerbird.engine.state import Setup, State

ALONE = Action("alone")
UNSEEN = "unseen hand"
"""The name of the pile with the dealer's cards until he looks at them."""

_CALLS = tuple(Action(f"call {suit}") for suit in SUITS)


def joker_is_turned(h: State) -> bool:
    """Return whether the upcard is a joker."""
    return not h.rules.pack.suit_of(h.upcard)


class NameBeforeLooking(Phase):
    """The dealer's choice of one of the four suits while his cards still lie face down.

    Applies when a joker is turned up. Subclasses define in `take` what the named suit does.
    """

    __slots__ = ()

    stage = "name trump"

    def begin(self, h: State) -> int | None:
        """Lay the dealer's cards face down and ask him."""
        if not joker_is_turned(h):
            return None
        cards = h.rules.plans[h.dealer].hands[h.dealer](h.orders[-1])
        h.piles = {**h.piles, UNSEEN: cards}
        h.hands[h.dealer] = 0
        h.dealt = tuple(0 if seat == h.dealer else hand for seat, hand in enumerate(h.dealt))
        return h.dealer

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return _CALLS

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return a call of each of the four suits; the dealer cannot pass."""
        return _CALLS

    def apply(self, h: State, action: Action, card: int) -> None:
        """Apply the named suit (`take`) and give the dealer his cards."""
        self.take(h, action.suit)
        hand = h.hands[h.dealer] = h.take_pile(UNSEEN)
        h.dealt = tuple(hand if seat == h.dealer else other for seat, other in enumerate(h.dealt))

    def take(self, h: State, suit: str) -> None:
        """Apply the consequence of naming `suit`."""
        raise NotImplementedError


class BennyTurned(NameBeforeLooking):
    """A named suit that is trump, with the dealer as maker and no bidding (V2.5.1). See `NameBeforeLooking`."""

    __slots__ = ()

    def take(self, h: State, suit: str) -> None:
        """Fix trump and make the dealer the maker."""
        h.fix_trump(suit)
        h.maker = h.dealer


class JokerProposed(NameBeforeLooking):
    """A named suit that is only proposed: it becomes the suit of the upcard (V3.5.1). See `NameBeforeLooking`."""

    __slots__ = ()

    facts = ("proposed",)

    def take(self, h: State, suit: str) -> None:
        """Make `suit` the suit of the upcard."""
        h.proposed = suit


class BoundOrderUp(OrderUp):
    """A first round in which the dealer may not turn down the suit that he proposed (V20 `joker_turned` = forced, E13).

    Applies when `OrderUp` does.
    """

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return the actions of `OrderUp`, without the pass for a dealer who has proposed."""
        legal = super().legal(h)
        return legal[1:] if h.proposed and h.actor == h.dealer else legal


class AloneWithBenny(Phase):
    """The decision to go alone of a maker who took a turned Benny, after his discard (V2.5.1, E7).

    This is his only chance to go alone. Applies when a joker was turned up.
    """

    __slots__ = ()

    stage = "go alone"
    facts = ("how",)

    def begin(self, h: State) -> int | None:
        """Ask the dealer if a joker was turned up."""
        return h.dealer if joker_is_turned(h) else None

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (ALONE, DECLINE)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return going alone and declining."""
        return (ALONE, DECLINE)

    def apply(self, h: State, action: Action, card: int) -> None:
        """Let the maker play alone, or with his partners."""
        if action is ALONE:
            h.how = "alone"
