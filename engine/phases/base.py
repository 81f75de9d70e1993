"""The base class of phases: one procedure of the rule book as a stateless object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from bowerbird.engine.actions import Action
from bowerbird.engine.state import Setup, State
from bowerbird.engine.views import SeatView

PASS = Action("pass")
DECLINE = Action("decline")


class Phase:
    """One procedure of a hand. It is immutable and shared by all games: everything that changes is in the state.

    A hand goes through its phases in the declared order. `begin` is called once, when the hand reaches the phase. It
    does everything that requires no decision and returns the first seat to ask, or None if the phase does not apply.
    Each phase's docstring says when it applies. After each decision `apply` returns the next seat, or None when the
    phase is done. A phase that ends the hand sets `h.hand_ended`.

    Attributes:
        stage: name of the question, as views show it.
        private: whether only the seat that is asked may know about the question (a Jamboree query). The other seats
            then see neither an event nor an actor.
        facts: what the phase can set besides the facts of every hand: fields of a view, and kinds of `Memory`.
            Observations of learning agents contain only facts that some phase declares.
        card_kind: the kind of the legal actions if there is one for each card in `choices`; "" if there can be others.
    """

    __slots__ = ()

    stage: ClassVar[str] = ""
    private: ClassVar[bool] = False
    facts: ClassVar[tuple[str, ...]] = ()
    card_kind: ClassVar[str] = ""

    def begin(self, h: State) -> int | None:
        """Enter the phase; return the first seat to ask, or None."""
        raise NotImplementedError

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer under `rules`, in any state and in any order."""
        return ()

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return the legal actions of `h.actor` (notation.md, Order of legal actions), never empty."""
        raise NotImplementedError

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Make a legal action; return the next seat to ask, or None.

        `card` is the action's card, or 0. A public action is already the last event of `h.log`.
        """
        raise NotImplementedError

    def is_plain_play(self, h: State) -> bool:
        """Return whether only tricks from the hands remain, restricted only by the duty to follow suit (A4)."""
        return False

    def holding(self, h: State) -> int:
        """Return the cards that `h.actor` chooses from, before the duty to follow suit limits them (`choices`)."""
        raise NotImplementedError(f"{type(self).__name__} asks for no card")

    def choices(self, h: State) -> int:
        """Return the cards that `h.actor` may choose."""
        return self.holding(h)

    @property
    def counts_drops(self) -> bool:
        """Whether the phase needs each seat's number of consecutive drops (B5)."""
        return False

    # For `bowerbird.engine.sampling` only.

    def shown(self, h: State, view: SeatView, done: int) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """Return (seat, cards) for each hand that is now open, based on `view` and its events from number `done` on."""
        return ()

    def must_hold(self, h: State) -> Iterable[tuple[int, int]]:
        """Return what this question reveals about the actor's hand, as alternatives (within, held). One of them is
        true: of the cards `within`, the actor has exactly those in `held`.

        There are no alternatives if the question reveals nothing.
        """
        return ()

    def would_ask(self, h: State) -> tuple[tuple[int, int], ...]:
        """Return (seat, cards that it must have) for each seat that a private query may ask now."""
        return ()


class Discarding(Phase):
    """Base of phases in which the actor puts away cards one by one. Subclasses say when they apply and what follows."""

    __slots__ = ()

    card_kind = "discard"

    def holding(self, h: State) -> int:
        """Return the cards that may go: all cards in the actor's hand."""
        return h.hands[h.actor]  # type: ignore[index]  # an actor is never None while a phase is asked

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return rules.pack.discards(rules.pack.whole)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return a discard for each card of `holding`."""
        return h.rules.pack.discards(self.holding(h))


class Giving(Phase):
    """Base of phases in which the actor gives away cards one by one.

    Subclasses say when they apply and what follows.
    """

    __slots__ = ()

    card_kind = "give"

    def holding(self, h: State) -> int:
        """Return the cards that may go: all cards in the actor's hand."""
        return h.hands[h.actor]  # type: ignore[index]  # an actor is never None while a phase is asked

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return rules.pack.gives(rules.pack.whole)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return a gift of each card of `holding`."""
        return h.rules.pack.gives(self.holding(h))


def when(condition: bool, *phases: Phase) -> tuple[Phase, ...]:
    """Return the phases if `condition` is true, otherwise none (for phases that an option adds)."""
    return phases if condition else ()


def ask_in_turn(h: State, seats: tuple[int, ...]) -> int | None:
    """Ask each of `seats` once, one after another. Return the first of them, or None if there are none."""
    h.asking = seats
    return seats[0] if seats else None


def next_asked(h: State) -> int | None:
    """Return the next seat to ask, or None when all have been asked."""
    h.asking = h.asking[1:]
    return h.asking[0] if h.asking else None
