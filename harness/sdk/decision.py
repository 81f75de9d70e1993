"""What a bot is asked and told: decisions, tables, and how hands and games end. Decoded when first looked at."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from engine import Action, Event, Game, OptionValue, SeatView
from harness.sdk.cards import Cards
from harness.v1 import seat_pb2
from harness.wire import decode


class Table:
    """A table at which the bot sits, from TableOpened to TableClosed.

    Attributes:
        id: opaque name of the table.
        variant, options: what is played; `options` has every option, resolved.
        seat, players, partners: the own seat, the number of seats, the seats on the own side for the whole game.
        per_decision_ms, bank_ms, increment_ms: the clock (PROTOCOL.md, Clocks).
        on_fault: forfeit or substitute.
        names: who plays, by seat; empty unless the run shows it.
        rng: random numbers from the seed that the referee gave this seat. A bot that draws from nothing else is
            reproducible.
        notes: for the bot's own use; forgotten when the table closes.
    """

    def __init__(self, constants: decode.Table) -> None:
        """A table that was just opened."""
        self.constants = constants
        self.id = constants.table_id
        self.variant = constants.variant
        self.options: Mapping[str, OptionValue] = constants.options
        self.seat = constants.seat
        self.players = constants.players
        self.partners = constants.partners
        self.per_decision_ms = constants.per_decision_ms
        self.bank_ms = constants.bank_ms
        self.increment_ms = constants.increment_ms
        self.on_fault = constants.on_fault
        self.names = constants.names
        self.rng = random.Random(constants.seed)
        self.notes: dict[str, object] = {}

    def __repr__(self) -> str:
        return f"<table {self.id}: seat {self.seat} of {self.players} at {self.variant}>"


class Decision:
    """One decision that the bot is to make. The clock runs."""

    def __init__(self, table: Table, request: seat_pb2.DecisionRequest) -> None:
        """Wraps a request of the referee; nothing is decoded yet."""
        self.table = table
        self.request = request
        self.note = ""
        """Anything to be kept in the referee's log with the answer; short."""

    def __repr__(self) -> str:
        return f"<decision {self.id} at {self.table!r}: {' | '.join(map(str, self.legal))}>"

    def __str__(self) -> str:
        """The position for people, in some lines: what is known, and what is legal."""
        view = self.view
        maker = f"maker {view.maker}" if view.maker is not None else ""
        contract = f"contract {view.contract}" if view.contract else ""
        lines = {
            "trump": ", ".join(filter(None, (view.trump or "not fixed", maker, contract, view.how))),
            "upcard": f"{view.upcard} {view.upcard_place}" if view.upcard else "",
            "hand": " ".join(view.hand),
            "trick": "  ".join(f"{seat} {card}" for seat, card in view.trick),
            "won": " ".join(map(str, view.tricks_won)),
            "scores": " ".join(map(str, view.scores)),
            "so far": ", ".join(f"{event.seat} {event.action}" for event in view.history),
            "legal": " | ".join(map(str, self.legal)),
        }
        table = f"{view.variant}, seat {view.seat} of {view.players}, hand {view.hand_number}, dealer {view.dealer}"
        return "\n".join([f"{table}: {view.stage}", *(f"  {key:<7} {text}" for key, text in lines.items() if text)])

    @property
    def id(self) -> int:
        """Counts this seat's own decisions at this table, from 0."""
        return self.request.decision_id

    @property
    def choices(self) -> int:
        """How many actions are legal: quicker than `len(decision.legal)`, which decodes them."""
        return len(self.request.legal_actions)

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions, in canonical order; never empty."""
        return decode.legal(self.request)

    @cached_property
    def view(self) -> SeatView:
        """All that this seat may know: public state, this hand's history, its own cards and what it saw."""
        return decode.view(self.table.constants, self.request.view, self.legal)

    @cached_property
    def cards(self) -> Cards:
        """What one asks of the position: what beats what, what is unseen, who is void."""
        return Cards(self.view)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """What happened since the last message about this table; empty unless `Capabilities.wants_events`."""
        return decode.events(self.request)

    @property
    def budget_ms(self) -> int:
        """What this decision may take without touching the bank."""
        return self.request.budget_ms

    @property
    def bank_ms(self) -> int:
        """What is left in the bank."""
        return self.request.bank_ms

    @property
    def charged_ms(self) -> int:
        """What the previous decision at this table was charged."""
        return self.request.charged_ms

    def sample_game(self, rng: random.Random | None = None) -> Game:
        """A game that this seat cannot tell from the real one, for search; by default from the table's own `rng`."""
        from engine import sample_game  # for bots that search

        return sample_game(self.view, rng or self.table.rng)


@dataclass(frozen=True, slots=True)
class HandEnd:
    """A hand is over: scores and games by seat after it, and how it ended, for example `scored` or `thrown in`.

    `events` is what happened since the last decision; empty unless `Capabilities.wants_events`.
    """

    hand_number: int
    scores: tuple[int, ...]
    games: tuple[int, ...]
    ended: str
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault at the table; `kind` is ILLEGAL, TIMEOUT, ...; `detail` is set for the own seat alone."""

    seat: int
    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class TableEnd:
    """A game is over: places (1 is first; empty when it was broken off), scores and games by seat, and how it ended."""

    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    games: tuple[int, ...]
    ended: str
    faults: tuple[Fault, ...] = field(default=())
