"""How a game moves through its hands and phases, from one decision to the next."""

from __future__ import annotations

from collections.abc import Sequence
from operator import add, sub

from bowerbird.engine.actions import Action
from bowerbird.engine.cards.sources import PackSource
from bowerbird.engine.fields import hidden, own, public
from bowerbird.engine.phases.base import Phase
from bowerbird.engine.results import LIMIT, REDEAL, SCORED, THROWN_IN, HandResult
from bowerbird.engine.rules import Rules
from bowerbird.engine.state import State
from bowerbird.engine.views import SeatView, view_of


class GameState(State):
    """The state of a game with its rules, which moves from phase to phase and from hand to hand. `Game` has one.

    `start` deals the first hand and stops at the first decision. When a decision (`Phase.apply`) leaves no actor,
    `advance` continues to the next decision or the end of the game.
    """

    rules: Rules  # `State` declares this field and the next one with more general types
    phase: Phase

    step: int = public(-1)  # index of the current phase in `rules.phases`
    legal_now: tuple[Action, ...] | None = own(None)  # the actor's legal actions; None until asked for
    results: tuple[HandResult, ...] = hidden()  # they contain the packs of past hands
    scores_dealt: tuple[int, ...] = hidden()  # the scores when the hand was dealt

    @classmethod
    def before_deal(cls, rules: Rules, dealer: int, source: PackSource) -> GameState:
        """Return a new game before its first deal (`deal`)."""
        state = cls()
        state.rules = rules
        state.source = source
        state.hand_number = 0
        state.dealer = dealer
        state.scores = state.scores_dealt = (rules.start,) * rules.players
        state.games = (0,) * rules.players if rules.end.counts_games else ()
        state.lapped = ()
        state.drops = (0,) * rules.players if rules.counts_drops else ()
        state.winners = ()
        state.ended = ""
        state.results = ()
        return state

    @classmethod
    def start(cls, rules: Rules, dealer: int, source: PackSource) -> GameState:
        """Return a new game with its first hand dealt; raise RecordError if `source` has no valid pack for it."""
        state = cls.before_deal(rules, dealer, source)
        state.deal(0)
        return state

    def legal_actions(self) -> tuple[Action, ...]:
        """Return the legal actions of `actor` in canonical order; () when the game is over."""
        legal = self.legal_now
        if legal is None:
            legal = self.legal_now = () if self.actor is None else self.phase.legal(self)
        return legal

    def move(self, action: Action) -> None:
        """Make a legal action of `actor` and go to the next decision. Unlike `Game.apply`, this checks nothing.

        Raises:
            RecordError: the given packs do not cover the next shuffle. Do not use the state afterwards.
        """
        rules, phase = self.rules, self.phase
        if not (rules.asks_in_private and phase.private):
            self.log.append(action.events[self.actor])  # type: ignore[index]  # there is an actor: `action` is legal
        card = 0
        if action.card:
            pack = rules.pack
            card = pack.of_card[action]
            if pack.double:  # the copy that may be chosen; the first one if both may be
                card &= phase.holding(self)
                card &= -card
        self.legal_now = None
        self.actor = phase.apply(self, action, card)
        if self.actor is None:
            self.advance()

    def end_play(self, tricks_won: Sequence[int]) -> None:
        """Finish the hand as if its last tricks had been played and each seat had won `tricks` in total."""
        self.legal_now = self.actor = None
        self.tricks_won = list(tricks_won)
        self._finish_hand()

    def view(self, seat: int) -> SeatView:
        """Return the view of `seat`."""
        return view_of(self, seat, self.legal_actions() if seat == self.actor else ())

    def deal(self, shuffle: int) -> None:
        """Clear the table, deal shuffle number `shuffle` of this hand, and go to the first decision."""
        rules = self.rules
        pack = rules.pack
        order = self.source.shuffled(self.hand_number, shuffle, pack, pack.cards)
        plan = rules.plans[self.dealer]
        if not shuffle:
            self.scores_dealt = self.scores
        earlier, log, extra = (self.orders, self.log, self.extra) if shuffle else ((), [], ())
        self.clear()
        self.orders = (*earlier, order)
        self.log, self.extra = log, extra
        self.hands = [sum(places(order)) for places in plan.hands]
        self.dealt = tuple(self.hands)
        if plan.piles:
            self.piles = {name: tuple([order[place] for place in places]) for name, places in plan.piles}
        if plan.upcard is not None:
            self.upcard = order[plan.upcard]
            self.upcard_place = "up"
        self.advance()

    def advance(self) -> None:
        """Continue to the next phase that asks a seat. After the last phase, finish the hand."""
        phases = self.rules.phases
        step = self.step + 1
        while not self.hand_ended and step < len(phases):
            phase = phases[step]
            self.actor = phase.begin(self)
            if self.actor is not None:
                self.step = step
                self.phase = phase
                return
            step += 1
        if self.hand_ended == REDEAL:
            self.deal(len(self.orders))
        else:
            self._finish_hand()

    def _finish_hand(self) -> None:
        """Score the hand, check whether the game has ended, and if not, deal the next hand."""
        rules = self.rules
        self.actor = None
        if not self.hand_ended:
            self.hand_ended = SCORED
        verdict = None
        if self.hand_ended != THROWN_IN:
            self.scores = tuple(map(add, self.scores, rules.score(self)))
        points = tuple(map(sub, self.scores, self.scores_dealt))
        if self.hand_ended != THROWN_IN:
            verdict = rules.end.settle(self)
            if rules.counts_drops:  # a hand that was thrown in leaves the counts unchanged (E18)
                self.drops = tuple(0 if seat in self.active else drops + 1 for seat, drops in enumerate(self.drops))
        self.results = (
            *self.results,
            HandResult(
                self.hand_number,
                self.dealer,
                rules.pack,
                rules.pack.alike(self.orders),
                self.scores,
                self.games,
                self.hand_ended,
                tuple(self.tricks_won),
                tuple(self.log),
                points,
                tuple(map(rules.pack.text, self.laid)) if self.log and self.log[-1].action.kind == "claim" else (),
            ),
        )
        if verdict is not None:
            self.ended, self.winners = verdict
        elif rules.max_hands and self.hand_number + 1 >= rules.max_hands:
            merit = self._merit()
            self.ended = LIMIT
            self.winners = tuple(seat for seat in rules.seats if merit[seat] == max(merit))
        else:
            self.hand_number += 1
            self.dealer = (self.dealer + 1) % rules.players
            self.deal(0)

    def ranks(self) -> tuple[int, ...]:
        """Return the final places by seat, from 1; ties share the better place (E1). Return () during the game."""
        if self.actor is not None:
            return ()
        seats = self.rules.seats
        if self.rules.teams is not None:
            return tuple(1 if seat in self.winners else 2 for seat in seats)
        merit = self._merit()
        placed = [(1, (0, 0)) if seat in self.winners else (0, merit[seat]) for seat in seats]
        return tuple(1 + sum(other > own for other in placed) for own in placed)

    def _merit(self) -> tuple[tuple[int, int], ...]:
        """Return the sort key that ranks the seats: games (B4), then score in the variant's direction (A15)."""
        sign = 1 if self.rules.better == "high" else -1
        games = self.games or (0,) * self.rules.players
        return tuple((credited, sign * score) for credited, score in zip(games, self.scores, strict=True))
