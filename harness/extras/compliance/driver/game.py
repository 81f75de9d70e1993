"""A game with the bot under test at one seat. This module plays the other seats."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from bowerbird.engine import SEED_BYTES, Action, Game, Pack, PackSource, Rules, SeededPacks, rules_of
from bowerbird.harness.extras.compliance.scenarios import Scenario
from bowerbird.harness.records.values.faults import RESIGNED
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.records.values.outcome import forfeit_of
from bowerbird.harness.referee.game.clock import NS_PER_MS, Bank, Pace
from bowerbird.harness.wire import encode
from bowerbird.seat.v1 import table_pb2

PASSIVE_KINDS = frozenset({"pass", "decline", "keep"})
"""The kinds of action that leave the decision to other seats."""

STRONG_TRUMP = "s"
"""The suit of a strong hand."""

STRONG_CARDS = 5
"""The number of high trumps in a strong hand: enough for Jamboree (V3.5.4)."""


class StrongHand:
    """A PackSource that deals one seat the highest spades, as if they were trump, and turns up the next one.

    Such a hand leads to rare decisions: to go alone, to claim Jamboree. The other cards come from `base`.
    """

    __slots__ = ("_base", "_first_dealer", "_rules", "_seat", "finite")

    def __init__(self, rules: Rules, first_dealer: int, seat: int, base: PackSource) -> None:
        """Create packs for a game under these rules that seat `first_dealer` deals first."""
        self.finite = False
        self._rules = rules
        self._first_dealer = first_dealer
        self._seat = seat
        self._base = base

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """Return the cards of `base` with some of them exchanged. An incomplete pack is returned unchanged."""
        order = list(self._base.shuffled(hand, shuffle, pack, cards))
        if len(cards) != len(pack.cards):
            return tuple(order)
        plan = self._rules.plans[(self._first_dealer + hand) % self._rules.players]
        places = list(plan.hands[self._seat](range(len(order))))[:STRONG_CARDS]
        if plan.upcard is not None:
            places.append(plan.upcard)
        ranked = pack.order(STRONG_TRUMP)
        known = 0
        for place in places:
            best = ranked.highest(known.bit_count() + 1) & ~known
            known |= best
            there = order.index(best)
            order[place], order[there] = order[there], order[place]
        return tuple(order)


class Explorer:
    """The policy of the other seats, which chooses the least used kind of action so that many rules come into play.

    `made` counts its actions by kind and manner. `asked` counts the kinds of action that the bot could choose from.
    """

    def __init__(self) -> None:
        """Create a policy without counts."""
        self.made: Counter[tuple[str, str]] = Counter()
        self.asked: Counter[str] = Counter()

    def choose_passive(self, legal: tuple[Action, ...], rng: random.Random) -> Action:
        """Return a passive action (PASSIVE_KINDS) if one is legal, else the action of `choose`."""
        return next((action for action in legal if action.kind in PASSIVE_KINDS), None) or self.choose(legal, rng)

    def choose(self, legal: tuple[Action, ...], rng: random.Random) -> Action:
        """Return a random action of the least used kinds."""
        fewest = min(self.made[action.kind, action.how] for action in legal)
        action = rng.choice([action for action in legal if self.made[action.kind, action.how] == fewest])
        self.made[action.kind, action.how] += 1
        return action


@dataclass(frozen=True, slots=True)
class SeatSettings:
    """The capabilities from the bot's Hello that matter in a game, the budget of a decision, and the initial bank.

    With `events_only`, only the first view of each hand has its public part.
    """

    wants_events: bool = False
    wants_forced: bool = False
    events_only: bool = False
    budget_ms: int = 20
    bank_ms: int = 0


@dataclass
class SeatGame:
    """A game in play. `number` counts the decisions of the bot's seat, `answers` those that the bot made.

    `bank` is the clock of its seat. The caller measures the time and charges it. Equal `seed`s give the same cards and
    the same seed for the bot. Without a seed, only the scenario's name matters, so recorded games do not change.
    """

    table_id: str
    scenario: Scenario
    settings: SeatSettings
    explorer: Explorer = field(default_factory=Explorer)
    number: int = 0
    answers: int = 0
    seed: str = ""

    def __post_init__(self) -> None:
        """Deal the first hand."""
        scenario = self.scenario
        self._rng = random.Random(f"{self.seed} {scenario.name}" if self.seed else scenario.name)
        rules = rules_of(scenario.variant).rules({**scenario.options, "max_hands": scenario.hands})
        dealer = self._rng.randrange(rules.players)
        packs: PackSource = SeededPacks(self._rng.randbytes(SEED_BYTES), "", 0)
        if scenario.strong:
            packs = StrongHand(rules, dealer, scenario.seat, packs)
        self.game = Game.start(rules, dealer, packs)
        self._choose = self.explorer.choose_passive if scenario.strong else self.explorer.choose
        self._encoder = encode.TableEncoder()
        self._events_sent = 0
        self._hands_sent = 0
        self._hand_shown = -1
        self.bank = Bank(Pace.of(TimeControl(self.settings.budget_ms, self.settings.bank_ms)))
        self.closed = False

    def table_opened(self) -> bytes:
        """Return the TableOpened, serialised."""
        message = encode.table_opened(
            table_id=self.table_id,
            seat=self.scenario.seat,
            rules=self.game.rules,
            clock=table_pb2.Clock(per_decision_ms=self.settings.budget_ms, bank_ms=self.settings.bank_ms),
            on_fault="forfeit",
            seed=self._rng.randbytes(32),
        )
        return message.SerializeToString()

    def advance(self) -> bool:
        """Play until the bot's next decision. Return False if the game ends first."""
        game = self.game
        while not self.closed and (seat := game.actor) is not None:
            legal = game.legal_actions()
            if seat == self.scenario.seat and (len(legal) > 1 or self.settings.wants_forced):
                return True
            self.number += seat == self.scenario.seat
            game.apply(legal[0] if len(legal) == 1 else self._choose(legal, self._rng))
        return False

    def ended_hands(self) -> list[bytes]:
        """Return the messages about hands that ended since the last call, or none if the bot wants no events."""
        if not self.settings.wants_events:
            return []
        ended = []
        for hand in self.game.results[self._hands_sent :]:
            ended.append(encode.hand_ended(self.table_id, hand, hand.history[self._events_sent :]))
            self._events_sent = 0
        self._hands_sent = len(self.game.results)
        return ended

    def request(self) -> bytes:
        """Return the DecisionRequest of the bot's next decision, serialised."""
        game = self.game
        self.explorer.asked.update({action.kind for action in game.legal_actions()})
        sent, self._events_sent = self._events_sent, len(game.history)
        is_shown = self._hand_shown == game.hand_number
        self._hand_shown = game.hand_number
        return self._encoder.request(
            self.table_id,
            game,
            self.scenario.seat,
            self.number,
            budget_ms=self.settings.budget_ms,
            bank_ms=self.bank.left // NS_PER_MS,
            charged_ms=self.bank.charged // NS_PER_MS,
            events_from=sent if self.settings.wants_events else None,
            shows_public=not (self.settings.events_only and is_shown),
        )

    def answer(self, action: Action) -> None:
        """Apply the bot's action."""
        self.game.apply(action)
        self.number += 1
        self.answers += 1

    def resign(self) -> bytes:
        """Let the bot resign the game, which ranks its side last. Return the TableClosed, serialised."""
        self.closed = True
        lost = forfeit_of(self.game, (self.scenario.seat,))
        message = encode.table_closed(
            table_id=self.table_id,
            ranks=lost.ranks,
            scores=self.game.scores,
            games=self.game.games,
            ended=lost.ended,
            faults=[encode.fault(self.scenario.seat, RESIGNED)],
        )
        return message.SerializeToString()

    def table_closed(self, faults: Iterable[table_pb2.Fault] = ()) -> bytes:
        """Close the table. Return its TableClosed, serialised: with ranks if the game is over, otherwise abandoned."""
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
