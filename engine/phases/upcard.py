"""Making trump with the upcard (B1), and the phases that the Buck family adds (V12.5)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from bowerbird.engine.actions import SUITS, TRUMPS, Action
from bowerbird.engine.phases.base import PASS, Discarding, Phase, ask_in_turn, next_asked
from bowerbird.engine.results import THROWN_IN
from bowerbird.engine.state import Setup, State

PLAIN: tuple[str, ...] = ("",)


def worded(token: str, hows: tuple[str, ...]) -> tuple[Action, ...]:
    """Return the action `token` for each way to play in `hows`, in canonical order."""
    return tuple(Action(f"{token} {how}".rstrip()) for how in hows)


@dataclass(frozen=True)
class TurnedSuit(Phase):
    """An upcard of `suit` that makes trump at once, without a maker; no seat picks it up (V12.5.1).

    Applies when the upcard is of `suit`. With `never_taken`, an upcard of any other suit is out of play as well
    (V24.4).
    """

    suit: str
    never_taken: bool = False

    def begin(self, h: State) -> None:
        """Fix trump and put the upcard out of play; no seat is asked."""
        turned = h.rules.pack.suit_of(h.upcard) == self.suit
        if turned:
            h.fix_trump(self.suit)
        if turned or self.never_taken:
            h.upcard_place = "out"


@dataclass(frozen=True)
class OrderUp(Phase):
    """The first round: each seat accepts the upcard's printed or proposed suit, or passes (T1).

    Applies while trump is not fixed. `hows` are the ways in which a maker can play. `assist` are the ways open to the
    dealer's partners if they must go alone (`assist_must_go_alone`, E6); otherwise None.
    """

    hows: tuple[str, ...] = PLAIN
    assist: tuple[str, ...] | None = None

    stage = "order up"

    def begin(self, h: State) -> int | None:
        """Ask all seats from the eldest."""
        return None if h.trump else ask_in_turn(h, h.from_seat(h.dealer + 1))

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (*self._all, *self._assisting)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return a pass, and ordering up in each way that the actor may play."""
        seat = h.actor
        assert seat is not None
        if self.assist is not None and seat != h.dealer and h.sides[seat] == h.sides[h.dealer]:
            return self._assisting
        return self._all

    @cached_property
    def _all(self) -> tuple[Action, ...]:
        return (PASS, *worded("order", self.hows))

    @cached_property
    def _assisting(self) -> tuple[Action, ...]:
        return (PASS, *worded("order", self.assist or ()))

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """If the seat accepts, make it the maker; otherwise ask the next seat."""
        if action is PASS:
            return next_asked(h)
        h.maker = h.actor
        h.how = action.how
        h.fix_trump(h.proposed or h.rules.pack.suit_of(h.upcard))
        return None


@dataclass(frozen=True)
class PickUp(Discarding):
    """The dealer's exchange of a card in his hand for the upcard (T2, A10).

    Applies when a seat has accepted the upcard. With `without_maker` it applies instead when the upcard itself has made
    trump (V12 `club_pickup`).
    """

    without_maker: bool = False

    stage = "discard"
    facts = ("discarded",)

    def begin(self, h: State) -> int | None:
        """Give the dealer the upcard and ask him for a discard."""
        if self.without_maker:
            if not h.trump or h.maker is not None:
                return None
        elif h.maker is None or h.upcard_place != "up":
            return None
        h.take_upcard(h.dealer)
        return h.dealer

    def holding(self, h: State) -> int:
        """Return the dealer's hand without the upcard (A10)."""
        return h.hands[h.dealer] & ~h.upcard

    def apply(self, h: State, action: Action, card: int) -> None:
        """Put the card face down on the dead pile."""
        h.put_away(h.dealer, card)


@dataclass(frozen=True)
class NameSuit(Phase):
    """The second round: each seat names a suit other than the upcard's, or passes (T3).

    Applies while trump is not fixed. `no_trump` adds `call nt` (V12 `name_no_trump`). With `stick_dealer` the dealer
    may not pass. If all pass, the hand is thrown in (T4), or continues if `thrown_in` is false (V12.5.4).
    """

    hows: tuple[str, ...] = PLAIN
    no_trump: bool = False
    stick_dealer: bool = False
    thrown_in: bool = True

    stage = "name trump"

    def begin(self, h: State) -> int | None:
        """Turn the upcard down and ask all seats from the eldest."""
        if h.trump:
            return None
        h.upcard_place = "down"
        return ask_in_turn(h, h.from_seat(h.dealer + 1))

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (PASS, *(call for calls in self._bound.values() for call in calls))

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return a pass (unless the dealer must call) and a call of each suit except the suit turned down."""
        barred = h.proposed or h.rules.pack.suit_of(h.upcard)
        return self._bound[barred] if self.stick_dealer and h.actor == h.dealer else self._free[barred]

    @cached_property
    def _bound(self) -> dict[str, tuple[Action, ...]]:
        """The legal calls for each suit turned down."""
        named = TRUMPS if self.no_trump else SUITS
        return {
            barred: tuple(action for suit in named if suit != barred for action in worded(f"call {suit}", self.hows))
            for barred in SUITS
        }

    @cached_property
    def _free(self) -> dict[str, tuple[Action, ...]]:
        return {barred: (PASS, *calls) for barred, calls in self._bound.items()}

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """If the seat names trump, make it the maker; otherwise ask the next seat, or after the last, end the hand."""
        if action is PASS:
            seat = next_asked(h)
            if seat is None and self.thrown_in:
                h.hand_ended = THROWN_IN
            return seat
        h.maker = h.actor
        h.how = action.how
        h.fix_trump(action.suit)
        return None


@dataclass(frozen=True)
class NoTrumpHand(Phase):
    """A no-trump hand without a maker, because no seat has made trump (V12.5.4).

    Applies while trump is not fixed.
    """

    def begin(self, h: State) -> None:
        """Fix no trump as trump; no seat is asked."""
        if not h.trump:
            h.fix_trump("nt")
