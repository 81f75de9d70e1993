"""Games at which the bot under test has one seat; all other seats are played here."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine import Action, Game, OptionValue, rules_of
from engine.packs import PackSource, SeededPacks
from engine.shuffle import SEED_BYTES
from harness.compliance.favour import StrongHand
from harness.v1 import table_pb2
from harness.wire import encode

QUIET = frozenset({"pass", "decline", "keep"})
"""Kinds of action that leave it to others."""


@dataclass(frozen=True, slots=True)
class Deal:
    """A game that is to be played: the same deal gives the same cards, and the same seed for the bot.

    In a `strong` one the bot's seat is dealt the highest cards, and the others leave it the word.
    """

    variant: str
    seat: int
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    hands: int = 2
    number: int = 0
    strong: bool = False

    @property
    def name(self) -> str:
        """In words: "euchre, seat 2, lap = True, game 0"."""
        options = [f"{key} = {value}" for key, value in self.options.items()]
        return ", ".join(
            (self.variant, f"seat {self.seat}", *options, "strong hand" if self.strong else f"game {self.number}")
        )


class Explorer:
    """Plays the other seats, so that much of the rules is met: of what is legal it takes what it has made least often.

    `made` counts what it did; `asked` the kinds of action that the bot was given to choose from.
    """

    def __init__(self) -> None:
        """Nothing was made yet."""
        self.made: Counter[tuple[str, str]] = Counter()
        self.asked: Counter[str] = Counter()

    def keep_quiet(self, legal: tuple[Action, ...], rng: random.Random) -> Action:
        """An action that leaves it to others, where there is one."""
        return next((action for action in legal if action.kind in QUIET), None) or self.choose(legal, rng)

    def choose(self, legal: tuple[Action, ...], rng: random.Random) -> Action:
        """An action of a kind that was made least often, any of that kind."""
        fewest = min(self.made[action.kind, action.how] for action in legal)
        action = rng.choice([action for action in legal if self.made[action.kind, action.how] == fewest])
        self.made[action.kind, action.how] += 1
        return action


@dataclass(frozen=True, slots=True)
class Manner:
    """How the bot is asked: what it wants to be told, and what its clock says (milliseconds; the bank is empty)."""

    wants_events: bool = False
    wants_forced: bool = False
    budget_ms: int = 20


@dataclass
class SeatGame:
    """One game in play. `number` counts the decisions of the bot's seat; `answers` those that the bot made."""

    table_id: str
    deal: Deal
    manner: Manner
    explorer: Explorer = field(default_factory=Explorer)
    number: int = 0
    answers: int = 0

    def __post_init__(self) -> None:
        """Deal the first hand."""
        deal = self.deal
        self._rng = random.Random(deal.name)
        rules = rules_of(deal.variant).rules({**deal.options, "max_hands": deal.hands})
        dealer = self._rng.randrange(rules.players)
        packs: PackSource = SeededPacks(self._rng.randbytes(SEED_BYTES), "", 0)
        if deal.strong:
            packs = StrongHand(rules, dealer, deal.seat, packs)
        self.game = Game.start(rules, dealer, packs)
        self._choose = self.explorer.keep_quiet if deal.strong else self.explorer.choose
        self._encoder = encode.TableEncoder()
        self._told = 0
        self._hands_told = 0
        self.closed = False

    def opened(self) -> bytes:
        """Its TableOpened."""
        teams = self.game.rules.teams or ()
        side = next((team for team in teams if self.deal.seat in team), ())
        message = encode.table_opened(
            table_id=self.table_id,
            seat=self.deal.seat,
            players=self.game.players,
            partners=[seat for seat in side if seat != self.deal.seat],
            variant=self.deal.variant,
            options=self.game.options,
            clock=table_pb2.Clock(per_decision_ms=self.manner.budget_ms),
            on_fault="forfeit",
            seed=self._rng.randbytes(32),
        )
        return message.SerializeToString()

    def advance(self) -> bool:
        """Play up to the next decision that the bot is asked; False when the game is over."""
        game = self.game
        while not self.closed and (seat := game.actor) is not None:
            legal = game.legal_actions()
            if seat == self.deal.seat and (len(legal) > 1 or self.manner.wants_forced):
                return True
            self.number += seat == self.deal.seat
            game.apply(legal[0] if len(legal) == 1 else self._choose(legal, self._rng))
        return False

    def news(self) -> list[bytes]:
        """What a bot that wants events is told since it was told last: the hands that ended."""
        if not self.manner.wants_events:
            return []
        told = []
        for hand in self.game.results[self._hands_told :]:
            message = encode.hand_news(self.table_id, hand, hand.history[self._told :])
            told.append(message.SerializeToString())
            self._told = 0
        self._hands_told = len(self.game.results)
        return told

    def request(self) -> bytes:
        """The decision that is due, as a DecisionRequest."""
        view = self.game.view(self.deal.seat)
        self.explorer.asked.update({action.kind for action in view.legal})
        events = view.history[self._told :] if self.manner.wants_events else ()
        self._told = len(view.history)
        budget = self.manner.budget_ms
        return self._encoder.request(
            self.table_id, view, self.number, budget_ms=budget, bank_ms=0, charged_ms=0, events=events
        )

    def answer(self, action: Action) -> None:
        """What the bot chose."""
        self.game.apply(action)
        self.number += 1
        self.answers += 1

    def table_closed(self, faults: Iterable[table_pb2.Fault] = ()) -> bytes:
        """Its TableClosed: with places if it is over, else broken off."""
        self.closed = True
        game = self.game
        message = encode.table_closed(
            table_id=self.table_id,
            ranks=game.ranks,
            scores=game.scores,
            games=game.games,
            ended=game.ended or "abandoned",
            faults=faults,
        )
        return message.SerializeToString()
