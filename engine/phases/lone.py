"""Lone hands in team games (B2), Jamboree (V3.5.4) and Jambone (V4.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from engine.actions import Action
from engine.phases.base import DECLINE, Phase, ask_in_turn, next_asked
from engine.phases.tricks import Tricks
from engine.results import CLAIMED

if TYPE_CHECKING:
    from engine.state import State
    from engine.views import SeatView

DEFEND = Action("defend")
CLAIM = Action("claim")
JAMBOREE_CARDS = 5

Defend = Literal["vs_alone", "always"]


@dataclass(frozen=True)
class LoneMaker(Phase):
    """The partners of a lone maker sit out (L2); of a Jambone player, too.

    Applies when the maker plays alone.
    """

    def begin(self, h: State) -> None:
        """Lay the partners' cards aside; nobody is asked."""
        if h.how and h.maker is not None:
            h.sit_out(*h.partners(h.maker))


@dataclass(frozen=True)
class LoneDefender(Phase):
    """The defenders may play alone, too (L3).

    Applies when there is a maker, as `defend` says: only when he is alone, or always; never against a Jambone (V4.5.4).
    """

    defend: Defend

    stage = "defend alone"

    def begin(self, h: State) -> int | None:
        """Ask the defenders clockwise, beginning with the first to the left of the maker."""
        if h.maker is None or h.how == "jambone":
            return None
        if self.defend == "vs_alone" and not h.how:
            return None
        return ask_in_turn(h, h.opponents(h.maker))

    def legal(self, h: State) -> tuple[Action, ...]:
        """Defend alone, or not."""
        return (DEFEND, DECLINE)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """The first who accepts is the lone defender; his partners sit out."""
        if action is DECLINE:
            return next_asked(h)
        assert h.actor is not None
        h.lone_defender = h.actor
        h.sit_out(*h.partners(h.actor))
        return None


@dataclass(frozen=True)
class Jamboree(Phase):
    """Whoever holds the five highest trumps may show them instead of playing the hand (V3.5.4, V4.5.3).

    Applies, privately, to a maker who holds them in his own hand after the pick-up; with `anyone` to every active
    seat that does, from the eldest (E19). The claim is public, and so is nothing else.
    """

    anyone: bool = False

    stage = "claim"
    private = True

    def begin(self, h: State) -> int | None:
        """Ask those who hold the five highest trumps."""
        if h.maker is None:
            return None
        five = h.order.highest(JAMBOREE_CARDS)
        return ask_in_turn(h, tuple(seat for seat in self._claimants(h) if h.hands[seat] & five == five))

    def _claimants(self, h: State) -> tuple[int, ...]:
        """Who would be asked if he held the five highest trumps."""
        assert h.maker is not None
        return tuple(seat for seat in h.from_seat(h.dealer + 1) if seat in h.active) if self.anyone else (h.maker,)

    def would_ask(self, h: State) -> tuple[tuple[int, int], ...]:
        """Anybody who may hold the five highest trumps."""
        five = h.order.highest(JAMBOREE_CARDS)
        return tuple((seat, five) for seat in self._claimants(h))

    def legal(self, h: State) -> tuple[Action, ...]:
        """Claim, or not."""
        return (CLAIM, DECLINE)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """A claim ends the hand; the cards are shown."""
        if action is DECLINE:
            return next_asked(h)
        assert h.actor is not None
        h.laid = tuple(hand if seat == h.actor else 0 for seat, hand in enumerate(h.hands))
        h.winning = h.actor
        h.hand_ended = CLAIMED
        h.log.append(action.events[h.actor])
        return None


@dataclass(frozen=True)
class JamboneTricks(Tricks):
    """The play against a Jambone player (V4.5.4, V4.5.5).

    Applies when the maker has called `jambone`. Let J be that player and L the leader of the first trick. J lays his
    cards face up; they stay in his hand, and `laid` shows them to all. In the first trick L leads as usual unless he
    is J. At J's turn L dictates one of J's cards that follow suit; when none does, J chooses freely if he holds a
    trump, and else L dictates any. When J is to lead, the first active seat to his left dictates the card led.
    From the second trick on J plays freely.
    """

    stage = "play"

    def begin(self, h: State) -> int | None:
        """Lay J's cards; ask the leader, or whoever dictates J's lead."""
        if h.how != "jambone":
            return None
        h.laid = tuple(h.hands[seat] if seat == h.maker else 0 for seat in h.rules.seats)
        h.leader = self.first_lead(h)
        return self._asked(h, h.leader)

    def _asked(self, h: State, seat: int) -> int:
        """Who decides the card that this seat plays."""
        jambone = h.maker
        assert jambone is not None
        assert h.leader is not None
        if seat != jambone or h.trick_number:
            return seat
        if not h.trick:
            return h.after[jambone]
        hand = h.hands[jambone]
        free = not hand & h.lead.follow and hand & h.order.trumps
        return seat if free else h.leader

    def _owner(self, h: State) -> int:
        """Whose card is asked for: the seat whose turn it is in the trick."""
        if h.trick_number:
            assert h.actor is not None
            return h.actor
        if h.trick:
            return h.after[h.trick[-1][0]]
        assert h.leader is not None
        return h.leader

    def holding(self, h: State) -> int:
        """The hand of the seat whose turn it is, whoever decides."""
        return h.hands[self._owner(h)]

    def shown(self, h: State, view: SeatView, done: int) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """J's cards: those that still lie there, and those he plays from now on."""
        if h.maker is None:
            return ()
        later = tuple(
            event.action.card
            for event in view.history[done:]
            if event.action.kind == "dictate" or (event.action.kind == "play" and event.seat == h.maker)
        )
        return ((h.maker, (*view.laid[h.maker], *later)),)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Play, or dictate a card of the Jambone player."""
        if h.trick_number:
            return super().legal(h)
        pack = h.rules.pack
        return (pack.plays if self._owner(h) == h.actor else pack.dictates)(self.choices(h))

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """The card is played by its owner, whoever chose it."""
        owner = h.actor = self._owner(h)
        following = super().apply(h, action, card)
        if owner == h.maker:
            laid = list(h.laid)
            laid[owner] ^= card
            h.laid = tuple(laid)
        return following if following is None or h.trick_number else self._asked(h, following)
