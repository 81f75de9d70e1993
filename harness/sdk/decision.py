"""The values that a bot receives: tables, decisions, and ends of hands and games. They are decoded on first use."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from bowerbird.engine import Action, Event, Game, OptionValue, SeatView
from bowerbird.harness.sdk.cards import Cards
from bowerbird.harness.wire import decode
from bowerbird.seat.v1 import seat_pb2

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Table:
    """A table where the bot sits, from TableOpened to TableClosed.

    Attributes:
        id: opaque name of the table.
        variant, options: the game. `options` contains every option, including those at their default.
        seat, players: the bot's own seat, the number of seats.
        sides, partners: the number of each seat's side for the whole game, or () if there are no sides or they change
            from hand to hand; the other seats on the bot's side.
        pack, copies: each card once, in canonical order; how many copies of each card, other than a joker, the pack
            contains.
        hand_size, tricks: cards dealt to each hand, tricks in a hand.
        score_order: high or low, whichever scores are better. per_decision_ms, bank_ms, increment_ms, game_ms: the
            clock (protocol.md, The clock).
        on_fault: forfeit or substitute.
        names: the names of the bots by seat; empty unless the run shows them.
        rng: random numbers from the seed that the referee gave this seat. A bot that draws only from this is
            reproducible.
        notes: for the bot's own use; forgotten when the table closes.
    """

    def __init__(self, constants: decode.TableConstants) -> None:
        self.constants = constants
        self.id = constants.table_id
        self.variant = constants.variant
        self.options: Mapping[str, OptionValue] = constants.options
        self.seat = constants.seat
        self.players = constants.players
        self.sides = constants.sides
        self.partners = _partners(constants)
        self.pack = constants.pack
        self.copies = constants.copies
        self.hand_size = constants.hand_size
        self.tricks = constants.tricks
        self.score_order = constants.score_order
        self.per_decision_ms = constants.per_decision_ms
        self.bank_ms = constants.bank_ms
        self.increment_ms = constants.increment_ms
        self.game_ms = constants.game_ms
        self.on_fault = constants.on_fault
        self.names = constants.names
        self.rng = random.Random(constants.seed)
        self.notes: dict[str, object] = {}

    def __repr__(self) -> str:
        return f"<table {self.id}: seat {self.seat} of {self.players} at {self.variant}>"


def _partners(constants: decode.TableConstants) -> tuple[int, ...]:
    own = constants.seat
    sides = constants.sides
    return tuple(seat for seat, side in enumerate(sides) if side == sides[own] and seat != own)


class Decision:
    """A decision that the bot has to make. Its clock is running. Most attributes are decoded on first use.

    `table` is the table of the decision, `request` the protocol message behind it.
    """

    def __init__(self, table: Table, request: seat_pb2.DecisionRequest) -> None:
        """Wrap a request from the referee without decoding it."""
        self.table = table
        self.request = request
        self.note = ""
        """A short text that the referee logs with the answer and keeps with the action."""
        self.figures: dict[str, float] = {}
        """At most 12 named numbers about this decision, such as `{"cost": 0.0014}` (protocol.md, Figures).

        The referee keeps them in the note, and standings show their sums as the bot's own claims.
        """

    def __repr__(self) -> str:
        return f"<decision {self.id} at {self.table!r}: {' | '.join(map(str, self.legal))}>"

    def __str__(self) -> str:
        """Return the position and the legal actions as lines of text for people."""
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
        """The number of this decision among this seat's decisions at this table, from 0."""
        return self.request.decision_id

    @property
    def choices(self) -> int:
        """The number of legal actions. This is faster than `len(decision.legal)`, which decodes them."""
        return len(self.request.legal_actions)

    @cached_property
    def legal(self) -> tuple[Action, ...]:
        """The legal actions in canonical order; never empty."""
        return decode.legal(self.request)

    @cached_property
    def view(self) -> SeatView:
        """Everything this seat may know: the public state, this hand's history, its own cards, and what else it saw."""
        return decode.view(self.table.constants, self.request.view, self.legal)

    @cached_property
    def cards(self) -> Cards:
        """Answers about the position: which card beats which, which cards are unseen, who is void."""
        return Cards(self.view)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events since the last message about this table; empty unless `Capabilities.wants_events`."""
        return decode.events(self.request)

    @property
    def budget_ms(self) -> int:
        """The time for this decision, before the bank is used."""
        return self.request.budget_ms

    @property
    def bank_ms(self) -> int:
        """The time left in the bank."""
        return self.request.bank_ms

    @property
    def remaining_ms(self) -> int:
        """The time left for this decision: budget and bank, or less if the connection broke after it was sent."""
        return self.request.remaining_ms

    @property
    def charged_ms(self) -> int:
        """The time charged for the previous decision at this table; 0 for the first decision."""
        return self.request.charged_ms

    def observation(self) -> NDArray[np.float32]:
        """Return what this seat knows as an array, laid out as in `bowerbird.envs` (environments.md)."""
        from bowerbird.harness.features.observing import observation  # only learning bots need numpy

        return observation(self.view)

    def action_mask(self) -> NDArray[np.int8]:
        """Return an array with 1 at the number of each legal action and 0 elsewhere, as in `bowerbird.envs`."""
        from bowerbird.harness.features.observing import action_mask

        return action_mask(self.view)

    def action(self, number: int) -> Action:
        """Return the action with this number, to return from `act`. Raises IllegalAction if the variant has none."""
        from bowerbird.harness.features.actions import action_numbers

        return action_numbers(self.table.variant, self.table.options)[number]

    def sample_game(self, rng: random.Random | None = None) -> Game:
        """Return a complete game for searching, which this seat cannot distinguish from the real one.

        `rng` defaults to `table.rng`.
        """
        from bowerbird.engine import sample_game  # only searching bots need it

        return sample_game(self.view, rng or self.table.rng)


@dataclass(frozen=True, slots=True)
class HandEnd:
    """The end of a hand: the scores and games won after it, by seat, and how it ended, such as `scored` or `thrown in`.

    `events` are the events since the last message about this table; empty unless `Capabilities.wants_events`. `shown`
    are the cards that a claim showed to everyone, by seat; empty if the hand did not end with a claim.
    """

    hand_number: int
    scores: tuple[int, ...]
    games: tuple[int, ...]
    ended: str
    events: tuple[Event, ...] = ()
    shown: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault at the table. `kind` is ILLEGAL, TIMEOUT, ...; `detail` is set only for the bot's own seat."""

    seat: int
    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class TableEnd:
    """The end of a game: ranks (1 is first; empty if it was broken off), scores and games won by seat, and how."""

    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    games: tuple[int, ...]
    ended: str
    faults: tuple[Fault, ...] = field(default=())
