"""Extra hands beside those dealt to be played (V6.5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.actions import Action
from engine.phases.base import Phase, ask_in_turn, next_asked

if TYPE_CHECKING:
    from engine.state import State

SWAP = Action("swap")
KEEP = Action("keep")

_CHOICES = (SWAP, KEEP)


def second_hand(seat: int) -> str:
    """The name of the pile that is this seat's second hand."""
    return f"seconds {seat}"


class SwapHands(Phase):
    """Two players may each take their second hand for their first; if just one did, he may take the other's, too.

    Always applies. `scratch` holds the seats that have swapped, and stays for the hand: it is public.
    """

    __slots__ = ()

    stage = "swap"

    def begin(self, h: State) -> int | None:
        """Ask both, the eldest first."""
        h.scratch = ()
        return ask_in_turn(h, h.from_seat(h.eldest))

    def legal(self, h: State) -> tuple[Action, ...]:
        """Swap, or keep the hand."""
        return _CHOICES

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """A hand given up is dead; after both have answered, the only one who swapped is asked once more."""
        seat = h.actor
        assert seat is not None
        again = seat in h.scratch
        if action is SWAP:
            self._take(h, seat, second_hand(1 - seat if again else seat))
            h.scratch = (*h.scratch, seat)
        following = next_asked(h)
        if following is None and not again and len(h.scratch) == 1:
            return ask_in_turn(h, h.scratch)
        return following

    def _take(self, h: State, seat: int, pile: str) -> None:
        """Lay the hand aside unplayed, and take up this pile."""
        old, new = h.hands[seat], sum(h.piles[pile])
        h.hands[seat] = new
        h.dead |= old
        h.piles = {name: cards for name, cards in h.piles.items() if name != pile}
        h.note(seat, "left", old)
        h.note(seat, "widow", new)
