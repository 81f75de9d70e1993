"""Lone hands in team games (B2), Jamboree (V3.5.4) and Jambone (V4.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bowerbird.engine.actions import Action
from bowerbird.engine.phases.base import DECLINE, Phase, ask_in_turn, next_asked
from bowerbird.engine.phases.tricks import Tricks
from bowerbird.engine.results import CLAIMED
from bowerbird.engine.state import Setup, State
from bowerbird.engine.views import SeatView

DEFEND = Action("defend")
CLAIM = Action("claim")
JAMBOREE_CARDS = 5

Defend = Literal["vs_alone", "always"]


@dataclass(frozen=True)
class LoneMaker(Phase):
    """The phase in which the partners of a lone maker (L2) or a Jambone player sit out.

    Applies when the maker plays alone.
    """

    def begin(self, h: State) -> None:
        """Let the partners sit out; no seat is asked."""
        if h.how and h.maker is not None:
            h.sit_out(*h.partners(h.maker))


@dataclass(frozen=True)
class LoneDefender(Phase):
    """The defenders' choice to play alone (L3).

    Applies when there is a maker: with `defend` "vs_alone", only if he plays alone; with "always", in any case. Never
    applies against a Jambone (V4.5.4).
    """

    defend: Defend

    stage = "defend alone"
    facts = ("lone_defender",)

    def begin(self, h: State) -> int | None:
        """Ask the defenders clockwise, starting to the maker's left."""
        if h.maker is None or h.how == "jambone":
            return None
        if self.defend == "vs_alone" and not h.how:
            return None
        return ask_in_turn(h, h.opponents(h.maker))

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (DEFEND, DECLINE)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return defending alone and declining."""
        return (DEFEND, DECLINE)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """If the seat accepts, make it the lone defender and let its partners sit out; otherwise ask the next seat."""
        if action is DECLINE:
            return next_asked(h)
        assert h.actor is not None
        h.lone_defender = h.actor
        h.sit_out(*h.partners(h.actor))
        return None


@dataclass(frozen=True)
class Jamboree(Phase):
    """The claim of a player who shows the five highest trumps instead of playing the hand (V3.5.4, V4.5.3).

    Applies to a maker with all five in his own hand after the pick-up. With `anyone` it applies to every active seat
    with all five, and the seats are asked from the eldest (E19). With `listed` a joker is not one of the five (O9).
    Never applies at no trump, where there are no trumps to show (O3). The query is private; only a claim is public.
    """

    anyone: bool = False
    listed: bool = False

    stage = "claim"
    private = True

    def begin(self, h: State) -> int | None:
        """Ask the claimants with the five highest trumps."""
        five = self._five(h)
        if h.maker is None or not five:
            return None
        return ask_in_turn(h, tuple(seat for seat in self._claimants(h) if h.hands[seat] & five == five))

    def _five(self, h: State) -> int:
        """Return the cards of a Jamboree; no cards at no trump."""
        if not self.listed:
            return h.order.highest(JAMBOREE_CARDS)
        suit_of = h.rules.pack.suit_of
        return sum([card for card in h.order.ranking if suit_of(card)][:JAMBOREE_CARDS])

    def _claimants(self, h: State) -> tuple[int, ...]:
        """Return the seats to ask if they have the five highest trumps."""
        assert h.maker is not None
        return tuple(seat for seat in h.from_seat(h.dealer + 1) if seat in h.active) if self.anyone else (h.maker,)

    def would_ask(self, h: State) -> tuple[tuple[int, int], ...]:
        """Return each claimant with the five highest trumps; see `Phase.would_ask`."""
        five = self._five(h)
        return tuple((seat, five) for seat in self._claimants(h)) if five else ()

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (CLAIM, DECLINE)

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return claiming and declining."""
        return (CLAIM, DECLINE)

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """End the hand and show the cards if the actor claims; otherwise ask the next seat."""
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

    Applies when the maker has called `jambone`. Let J be that player and L the leader of the first trick. J lays down
    his cards face up. They stay in his hand, and `laid` shows them to everyone.

    If L is not J, L leads the first trick as usual. At J's turn L dictates one of J's cards that follow suit. If J
    cannot follow and has a trump, J chooses freely; if J has no trump, L dictates any card. If L is J, the first active
    seat to his left dictates the card led. From the second trick on, J plays freely.
    """

    stage = "play"
    card_kind = ""
    facts = ("laid",)

    def begin(self, h: State) -> int | None:
        """Lay down J's cards face up; ask the leader, or the seat that dictates J's lead."""
        if h.how != "jambone":
            return None
        h.laid = tuple(h.hands[seat] if seat == h.maker else 0 for seat in h.rules.seats)
        h.leader = self.first_lead(h)
        return self._asked(h, h.leader)

    def _asked(self, h: State, seat: int) -> int:
        """Return the seat that chooses the card that `seat` plays."""
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
        """Return the seat whose turn it is in the trick: the owner of the card to be played."""
        if h.trick_number:
            assert h.actor is not None
            return h.actor
        if h.trick:
            return h.after[h.trick[-1][0]]
        assert h.leader is not None
        return h.leader

    def holding(self, h: State) -> int:
        """Return the hand of the seat whose turn it is, even if another seat chooses the card."""
        return h.hands[self._owner(h)]

    def shown(self, h: State, view: SeatView, done: int) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """Return J with his laid cards and the cards that he plays from event `done` on; see `Phase.shown`."""
        if h.maker is None:
            return ()
        later = tuple(
            event.action.card
            for event in view.history[done:]
            if event.action.kind == "dictate" or (event.action.kind == "play" and event.seat == h.maker)
        )
        return ((h.maker, (*view.laid[h.maker], *later)),)

    def actions(self, rules: Setup) -> tuple[Action, ...]:
        """Return every action that the phase can offer."""
        return (*rules.pack.plays(rules.pack.whole), *rules.pack.dictates(rules.pack.whole))

    def legal(self, h: State) -> tuple[Action, ...]:
        """Return the `play` actions, or the `dictate` actions if another seat chooses the card."""
        if h.trick_number:
            return super().legal(h)
        pack = h.rules.pack
        return (pack.plays if self._owner(h) == h.actor else pack.dictates)(self.choices(h))

    def apply(self, h: State, action: Action, card: int) -> int | None:
        """Play the card for its owner."""
        owner = h.actor = self._owner(h)
        following = super().apply(h, action, card)
        if owner == h.maker:
            laid = list(h.laid)
            laid[owner] ^= card
            h.laid = tuple(laid)
        return following if following is None or h.trick_number else self._asked(h, following)
