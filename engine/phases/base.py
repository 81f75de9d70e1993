"""What a phase is (ENGINE.md): one procedure of the rule book as a stateless object."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from engine.actions import Action

if TYPE_CHECKING:
    from engine.state import State
    from engine.views import SeatView

PASS = Action("pass")
DECLINE = Action("decline")


class Phase:
    """One procedure. Immutable, shared by all games; everything that changes is in the state it is given.

    A hand walks through its phases in the order declared. `begin` is called once when the hand comes to the phase: it
    does what needs no decision and yields the first seat to ask, or None when the phase does not apply (each phase's
    docstring states that guard). After each decision `apply` yields the next seat or None when the phase is done.
    A phase that ends the hand sets `h.hand_ended`.

    Attributes:
        stage: what is being asked, as views name it.
        private: nobody but the seat asked may know that it is asked (a Jamboree query): no event, no actor.
    """

    __slots__ = ()

    stage: ClassVar[str] = ""
    private: ClassVar[bool] = False

    def begin(self, h: State) -> int | None:
        """Enter the phase; the first seat to ask, or None."""
        raise NotImplementedError

    def legal(self, h: State) -> tuple[Action, ...]:
        """What `h.actor` may do, in canonical order (NOTATION.md), never empty."""
        raise NotImplementedError

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Make a legal action; `card` is the card that it names, 0 if none. The next seat to ask, or None."""
        raise NotImplementedError

    def holding(self, h: State) -> int:
        """The cards of which `h.actor` may put one forward, leaving aside the duty to follow suit."""
        raise NotImplementedError(f"{type(self).__name__} asks for no card")

    def choices(self, h: State) -> int:
        """The cards that `h.actor` may choose."""
        return self.holding(h)

    # What only `engine.shadow` asks.

    def shown(self, h: State, view: SeatView, done: int) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """Hands that everybody sees at this point, by seat, as the view and its events from `done` on tell them."""
        return ()

    def would_ask(self, h: State) -> tuple[tuple[int, int], ...]:
        """For a private query: the other seats that may be asked now, each with the cards it must then hold."""
        return ()


def ask_in_turn(h: State, seats: tuple[int, ...]) -> int | None:
    """Ask these seats one after another, each once: the first of them, or None when there is none."""
    h.asking = seats
    return seats[0] if seats else None


def next_asked(h: State) -> int | None:
    """The seat to ask after the present one, or None when all have been asked."""
    h.asking = h.asking[1:]
    return h.asking[0] if h.asking else None
