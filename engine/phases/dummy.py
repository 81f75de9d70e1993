"""A dummy beside each hand (V7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.actions import Action
from engine.phases.base import Phase

if TYPE_CHECKING:
    from engine.state import State

TAKE = Action("take")
ALONE = Action("alone")

_CHOICES = (TAKE, ALONE)


def dummy(seat: int) -> str:
    """The name of the pile that is this seat's dummy."""
    return f"dummies {seat}"


class TakeDummy(Phase):
    """The maker takes up his dummy unseen, or goes alone without it; the others take theirs anyway (V7.5.3).

    Always applies: there is a maker, or the hand has been thrown in.
    """

    __slots__ = ()

    stage = "take the dummy"

    def begin(self, h: State) -> int | None:
        """Ask the maker."""
        return h.maker

    def legal(self, h: State) -> tuple[Action, ...]:
        """Take the dummy, or go alone."""
        return _CHOICES

    def apply(self, h: State, action: Action, card: int) -> None:
        """Dummies that are taken go into the hands; that of a lone maker stays where it is, dead and unseen."""
        if action is ALONE:
            h.how = "alone"
        for seat in h.rules.seats:
            if action is TAKE or seat != h.maker:
                cards = sum(h.piles[dummy(seat)])
                h.piles = {name: pile for name, pile in h.piles.items() if name != dummy(seat)}
                h.hands[seat] |= cards
                h.note(seat, "widow", cards)
