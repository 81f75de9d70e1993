"""A game from its first deal to its end: the walk through hands and phases, and the public face of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from operator import add

from engine.actions import Action
from engine.errors import EngineError, IllegalAction, InvalidOption, RecordError
from engine.options import OptionValue
from engine.packs import ListedPacks, PackSource, SeededPacks
from engine.results import LIMIT, REDEAL, SCORED, THROWN_IN, HandResult
from engine.rules import Rules
from engine.shuffle import SEED_BYTES, stream
from engine.state import State
from engine.variants import rules_of
from engine.views import SeatView, view_of


class Game(State):
    """One game. Ask `actor` and `legal_actions()`, then `apply` one of them, until `is_over`.

    Scores, games and ranks are by seat; in team games every seat has its team's.
    """

    __slots__ = ()

    @classmethod
    def start(cls, rules: Rules, dealer: int, source: PackSource) -> Game:
        """A new game with its first hand dealt; raises RecordError when `source` has no right pack for it."""
        game = cls()
        game.rules = rules
        game.source = source
        game.hand_number = 0
        game.dealer = dealer
        game.scores = (rules.start,) * rules.players
        game.games = (0,) * rules.players if rules.end.counts_games else ()
        game.drops = (0,) * rules.players if rules.drops else ()
        game.winners = ()
        game.ended = ""
        game.results = ()
        game.deal(0)
        return game

    @property
    def variant(self) -> str:
        """The variant's id in RULES.md."""
        return self.rules.variant

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """Every option with its value."""
        return self.rules.options

    @property
    def players(self) -> int:
        """Number of seats."""
        return self.rules.players

    @property
    def is_over(self) -> bool:
        """Whether the game has ended; `ended` says how."""
        return self.actor is None

    @property
    def packs(self) -> tuple[str, ...]:
        """The packs of the current hand in shuffle order, each written top card first."""
        return tuple(map(self.rules.pack.written, self.orders))

    @property
    def ranks(self) -> tuple[int, ...]:
        """Final places by seat, 1 is first, equal ones share the better; () while the game is in play (E1)."""
        if self.actor is not None:
            return ()
        if self.rules.teams is not None:
            return tuple(1 if seat in self.winners else 2 for seat in self.rules.seats)
        merit = self._merit()
        placed = [(1, (0, 0)) if seat in self.winners else (0, merit[seat]) for seat in self.rules.seats]
        return tuple(1 + sum(other > own for other in placed) for own in placed)

    def legal_actions(self) -> tuple[Action, ...]:
        """What `actor` may do, in canonical order (NOTATION.md); () when the game is over."""
        legal = self.legal_now
        if legal is None:
            legal = self.legal_now = () if self.actor is None else self.phase.legal(self)
        return legal

    def apply(self, action: Action | str) -> None:
        """Make one decision of `actor`, and go on to the next decision.

        Raises:
            IllegalAction: it is not one of `legal_actions()`.
            RecordError: the packs given do not reach on. In both cases the game is as it was.
        """
        legal = self.legal_now
        if legal is None:
            legal = self.legal_actions()
        if action not in legal:
            action = self._read(action)
        phase = self.phase
        before = self.copy() if self.source.finite else None
        if not phase.private:
            self.log.append(action.events[self.actor])  # type: ignore[index]  # there is an actor: `action` was legal
        card = 0
        if action.card:
            pack = self.rules.pack
            card = pack.of_card[action]
            if pack.double:  # of both copies the one that may be chosen
                card &= phase.holding(self)
                card &= -card
        self.legal_now = None
        try:
            self.actor = phase.apply(self, action, card)
            if self.actor is None:
                self.advance()
        except RecordError:
            if before is not None:
                self.copy_from(before)
            raise

    def _read(self, token: Action | str) -> Action:
        """The legal action that is written so, or IllegalAction with the seat and what is legal."""
        legal = self.legal_actions()
        for action in legal:
            if action.token == token:
                return action
        if self.actor is None:
            raise IllegalAction(f'"{token}" comes too late: the game is over')
        allowed = ", ".join(map(str, legal))
        raise IllegalAction(f'seat {self.actor} cannot do "{token}" ({self.phase.stage}); legal: {allowed}')

    def advance(self) -> None:
        """Walk on to the next phase that asks somebody; past the last one the hand is over (the engine's own use)."""
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

    def deal(self, shuffle: int) -> None:
        """Clear the table, deal the shuffle of this number, and walk to the first decision (the engine's own use)."""
        rules = self.rules
        pack = rules.pack
        order = self.source.shuffled(self.hand_number, shuffle, pack, pack.cards)
        plan = rules.plans[self.dealer]
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

    def _finish_hand(self) -> None:
        """Book the hand, test the end of the game, and deal the next hand if there is one."""
        rules = self.rules
        self.actor = None
        if not self.hand_ended:
            self.hand_ended = SCORED
        verdict = None
        if self.hand_ended != THROWN_IN:
            self.scores = tuple(map(add, self.scores, rules.score(self)))
            verdict = rules.end.settle(self)
        if rules.carry is not None:
            rules.carry(self)
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

    def _merit(self) -> tuple[tuple[int, int], ...]:
        """By seat, what the order of the seats goes by: games (B4), then score in the variant's direction (A15)."""
        sign = 1 if self.rules.better == "high" else -1
        games = self.games or (0,) * self.rules.players
        return tuple((credited, sign * score) for credited, score in zip(games, self.scores, strict=True))

    def view(self, seat: int) -> SeatView:
        """All that this seat may know, and nothing else; IndexError for a seat that does not exist."""
        if not 0 <= seat < self.rules.players:
            raise IndexError(f"seat {seat} does not exist: seats are 0 to {self.rules.players - 1}")
        return view_of(self, seat, self.legal_actions() if seat == self.actor else ())

    def copy(self) -> Game:
        """An independent game with the same future for the same actions."""
        game = Game()
        game.copy_from(self)
        return game


def new_game(
    variant: str,
    options: Mapping[str, object] | None = None,
    *,
    first_dealer: int | None = None,
    seed: bytes | None = None,
    entry: str = "",
    set_number: int = 0,
    packs: Sequence[Sequence[str]] | None = None,
) -> Game:
    """A new game with its first hand dealt.

    Args:
        variant: an id of RULES.md.
        options: those that differ from their defaults; text such as "12" or "true" is read, too.
        first_dealer: a seat; by default uniformly random from the seed. Required with `packs`.
        seed: 32 bytes from which every pack follows, with `entry` and `set_number` (NOTATION.md, Shuffling); by
            default from the operating system.
        entry: the variant entry among the seed's fields.
        set_number: the deal set among the seed's fields.
        packs: to play a record again: for each hand the packs of its shuffles, instead of a seed.

    Raises:
        UnknownVariant, InvalidOption: as the names say.
        RecordError: `packs` do not fit the game, or come without `first_dealer`.
        EngineError: the seed is not 32 bytes long, or both seed and packs are given.
    """
    rules = rules_of(variant).rules(options)
    if first_dealer is not None and first_dealer not in rules.seats:
        raise InvalidOption(f"first_dealer cannot be {first_dealer}: {variant} has seats 0 to {rules.players - 1}")
    if packs is not None:
        if seed is not None:
            raise EngineError("a game has either a seed or packs, not both")
        if first_dealer is None:
            raise RecordError("packs are given without first_dealer, and only the record knows it")
        return Game.start(rules, first_dealer, ListedPacks(packs, rules.pack))
    if seed is None:
        seed = os.urandom(SEED_BYTES)
    if first_dealer is None:
        first_dealer = stream(seed, "dealer", entry, set_number).uniform(rules.players)
    return Game.start(rules, first_dealer, SeededPacks(seed, entry, set_number))
