"""Second hands (V6.5.1) and dummies (V7.5.3): a seat's own cards that it has not seen yet."""

from __future__ import annotations

from bowerbird.engine.actions import Action
from bowerbird.engine.phases.base import Phase, ask_in_turn, next_asked
from bowerbird.engine.state import Setup, State

SWAP = Action("swap")
KEEP = Action("keep")
TAKE = Action("take")
ALONE = Action("alone")


def second_hand(seat: int) -> str:
    """Return the name of the pile with the second hand of `seat`."""
    return f"seconds {seat}"


class SwapHands(Phase):
    """The exchange of each player's hand for his second hand (V6.5.1).

    If only one player swaps, he may then swap again, for the other player's second hand. Always applies.
    """

    __slots__ = ()

    stage = "swap"
    facts = ("left", "widow")

    def begin(self, h: State) -> int | None:
        """Ask both seats, the eldest first."""
        return ask_in_turn(h, h.from_seat(h.eldest))

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (SWAP, KEEP)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return swapping and keeping the hand."""
        return (SWAP, KEEP)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Make the swap, if any. If only one player has swapped when both have answered, ask him again."""
        seat = h.actor
        assert seat is not None
        *before, _ = h.log
        again = any(event.seat == seat for event in before)
        if action is SWAP:
            self._take(h, seat, second_hand(1 - seat if again else seat))
        following = next_asked(h)
        swapped = tuple(event.seat for event in h.log if event.action is SWAP)
        if following is None and not again and len(swapped) == 1:
            return ask_in_turn(h, swapped)
        return following

    def _take(self, h: State, seat: int, pile: str) -> None:
        """Put the hand of `seat` aside unplayed, and give the seat the cards of `pile`."""
        old, new = h.hands[seat], h.take_pile(pile)
        h.hands[seat] = new
        h.dead |= old
        h.note(seat, "left", old)
        h.note(seat, "widow", new)


def dummy(seat: int) -> str:
    """Return the name of the pile with the dummy of `seat`."""
    return f"dummies {seat}"


class TakeDummy(Phase):
    """The maker's choice to take up his unseen dummy or to go alone without it (V7.5.3).

    His opponent takes his own dummy in either case. Always applies: without a maker the hand would have been thrown in.
    """

    __slots__ = ()

    stage = "take the dummy"
    facts = ("how", "widow")

    def begin(self, h: State) -> int | None:
        """Ask the maker."""
        return h.maker

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (TAKE, ALONE)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return taking the dummy and going alone."""
        return (TAKE, ALONE)

    def apply(self, h: State, action: Action, card: int) -> None:
        """Put each dummy into its owner's hand. A lone maker's dummy stays on the table, dead and unseen."""
        if action is ALONE:
            h.how = "alone"
        for seat in h.rules.seats:
            if action is TAKE or seat != h.maker:
                cards = h.take_pile(dummy(seat))
                h.hands[seat] |= cards
                h.note(seat, "widow", cards)
