"""The record of one game as plain values (notation.md, Record of a game).

The referee makes a `GameRecord` when a game ends. `text.canonical` writes it as text, `text.reader` reads it back, and
`replay.replay` plays it again through the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FORMAT = "bowerbird-record/1"

SANDBOX, LIMITS, NO_ISOLATION = "sandbox", "limits", "none"
ISOLATION_TIERS = (SANDBOX, LIMITS, NO_ISOLATION)
"""The isolation tiers of bot processes, strongest first (faults.md, Isolation)."""

FROZEN, OWN_USER = "frozen", "own-user"
MEASURES = (FROZEN, OWN_USER)
"""Measures against local bots beyond the tier (faults.md, Isolation), in their order in a record.

FROZEN: a process without an open decision was stopped, so that it could not think during its opponents' time. OWN_USER:
    under the tier `limits` the bot's processes ran as separate users, so that it could not read the secret seed.
"""

PER_SEAT, SHARED, REMOTE = "seat", "shared", "remote"
INSTANCES = (PER_SEAT, SHARED, REMOTE)
"""One process for each seat, one process for a bot, or a bot that runs elsewhere (protocol.md, Instances).

REMOTE also replaces the fingerprint of a remote bot's files, which are unknown."""

MOST_CLOCK_MS = 86_400_000
"""The longest time in a time control, in ms: a day, as in tournament files."""

MOST_CHARGED_MS = 365 * MOST_CLOCK_MS
"""The most time charged for all decisions of a game together, in ms: a year, so that sums do not overflow."""

OptionValue = bool | int | str


def option_text(value: OptionValue) -> str:
    """Return an option's value in the form of tournament files and commands, which `resolve_options` can read."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The clock of a run, in whole milliseconds (protocol.md, The clock).

    A decision first uses its `per_decision_ms`, then the seat's bank. `increment_ms` is added to the bank at the start
    of each hand. `startup_ms` limits the time from the start of a process to its Ready. `margin_ms` is a grace period
    before a timeout. These two belong to the run, not to the record, and are ignored in comparisons, so that a clock
    read from a record equals the one written. `game_ms` limits all decisions of a seat in a game together; 0 means no
    limit.
    """

    per_decision_ms: int = 1000
    bank_ms: int = 5000
    increment_ms: int = 0
    startup_ms: int = field(default=20000, compare=False)
    margin_ms: int = field(default=20, compare=False)
    game_ms: int = 0


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a game, part of its record.

    `on_fault` is "forfeit" or "substitute", `instances` "seat", "shared" or "remote". `isolation` is the tier in which
    the processes actually ran: "sandbox", "limits" or "none". `measures` are the members of `MEASURES` that were in
    force for every local bot at the table.
    """

    on_fault: str
    isolation: str
    instances: str
    time: TimeControl
    measures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """The bot in a seat: its identity, not its process. `time` is its own clock; None for the run's clock."""

    bot: str
    version: str
    fingerprint: str
    time: TimeControl | None = None


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One hand: packs as dealt and every action with the time charged for it.

    `packs` has one text ("As 9d ...") for each shuffle of the hand. `actions` are "seat token". `ms` has one entry for
    each action. `forced` and `substituted` are indices into `actions`. `scores` is empty for an unfinished hand.
    """

    dealer: int
    packs: tuple[str, ...]
    actions: tuple[str, ...]
    ms: tuple[int, ...]
    forced: tuple[int, ...]
    substituted: tuple[int, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FaultRecord:
    """One fault: the decision that was due, its time limit, and what happened instead.

    `hand` and `action` are the place of the decision, from 0. `kind` is ILLEGAL, TIMEOUT, ... Times are in ms.
    """

    hand: int
    action: int
    seat: int
    kind: str
    limit_ms: int
    elapsed_ms: int
    detail: str


@dataclass(frozen=True, slots=True)
class ResultRecord:
    """The result of a game: how it ended, the winning seats, and ranks and games won by seat.

    `games` is empty in variants without rules.md B4.
    """

    ended: str
    winners: tuple[int, ...]
    ranks: tuple[int, ...]
    games: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One whole game, with everything needed to replay it (notation.md, Record of a game).

    `engine` and `rules` are the versions that played it. `options` has every option of the variant. `commitment`
    commits to the run's seed. `seats` are by seat, `hands` in the order played, `faults` as they happened.
    """

    id: str
    engine: str
    rules: str
    variant: str
    options: Mapping[str, OptionValue]
    first_dealer: int
    commitment: str
    conditions: Conditions
    seats: tuple[SeatRecord, ...]
    hands: tuple[HandRecord, ...]
    faults: tuple[FaultRecord, ...]
    result: ResultRecord

    @property
    def clocks(self) -> tuple[TimeControl, ...]:
        """The clock of each seat."""
        return tuple(seat.time or self.conditions.time for seat in self.seats)

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores by seat after the last finished hand; empty if no hand was finished."""
        return next((hand.scores for hand in reversed(self.hands) if hand.scores), ())

    @property
    def charged_ms(self) -> tuple[int, ...]:
        """The time charged to each seat, over the game."""
        charged = [0] * len(self.seats)
        for hand in self.hands:
            for action, ms in zip(hand.actions, hand.ms, strict=True):
                if ms:
                    charged[int(action.partition(" ")[0])] += ms
        return tuple(charged)
