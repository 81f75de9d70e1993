"""The interface of a bot's process, local or remote, from its first message to its last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import trio

from bowerbird.engine import OptionValue, rules_of
from bowerbird.harness.records.values.faults import NEVER_STARTED
from bowerbird.harness.referee.connection.endpoint import PROTOCOL_VERSION
from bowerbird.harness.referee.connection.exit_cause import ExitPolicy
from bowerbird.harness.referee.connection.messages import welcome
from bowerbird.harness.referee.connection.stream import Connection, Listener
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.process.supervisor import Process
from bowerbird.seat.v1 import seat_pb2

EVENTS_ONLY, PONDER = "events_only", "ponder"

NEW_WORDS = ("lone", "low", "misdeal", "show")
"""Words of actions and questions added after the first release. A bot announces the ones it knows as features."""

FEATURES = (EVENTS_ONLY, PONDER, *NEW_WORDS)
"""The features that a bot may request. It gets PONDER unless its process is frozen between its decisions."""

MAX_SHOWN = 8
"""How many protocol versions of a bot a sentence lists. At that point the bot's token is not yet checked."""

IGNORED_BEFORE_READY = (None, "pong")
"""Kinds of messages that have no meaning before Ready. None stands for a kind of a later version (seat.proto, rule 8).
"""


class NeverStartedError(Exception):
    """A bot's process was not ready in time, or cannot become ready. The message is one sentence.

    `code` is the code of the Error for the bot, if it is connected. `is_final` means that another start would fail in
    the same way: the bot's own messages do not fit the run, or its program cannot be run.
    """

    def __init__(self, sentence: str, code: str = "STARTUP", *, is_final: bool = False) -> None:
        super().__init__(sentence)
        self.code = code
        self.is_final = is_final or code != "STARTUP"

    @property
    def fault(self) -> Fault:
        """The fault of its seat."""
        return Fault(NEVER_STARTED, str(self))


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of a bot, within the limits of the run.

    tables: how many tables it plays at once. batch: how many decisions one message may request. wants_events: whether
        it gets the events of each hand. wants_forced: whether it is also asked when only one action is legal. features:
        the members of `FEATURES` that it uses.
    """

    tables: int
    batch: int
    wants_events: bool
    wants_forced: bool
    features: tuple[str, ...] = ()

    @property
    def events_only(self) -> bool:
        """Whether it gets only the first public view of a hand."""
        return EVENTS_ONLY in self.features


class Participant(Protocol):
    """One process of a bot: it joins, plays over its connection, and leaves.

    `LocalParticipant` (`handshake`) starts a process; `RemoteParticipant` waits for a bot that dials in.
    """

    exit_policy: ExitPolicy
    process: Process | None
    """The process. None before it is started, and for a remote bot."""
    gone: trio.Event
    """Set when the participant has left and its output is complete."""

    @property
    def connection(self) -> Connection | None:
        """The connection to the bot; None until it connects."""

    async def join(self) -> Capabilities:
        """Wait until the bot is ready to play. Raises NeverStartedError."""

    def listen(self, listener: Listener) -> None:
        """Pass the bot's events to `listener` from now on, the buffered ones first. Call it after `join`."""

    async def leave(self, reason: str) -> None:
        """Say Goodbye with `reason` and end the connection and the process. Cancellation does not stop this."""


def version_mismatch(hello: seat_pb2.Hello) -> str:
    """Return a sentence if the bot and the referee have no protocol version in common, or ""."""
    if PROTOCOL_VERSION in hello.protocol_versions:
        return ""
    spoken = ", ".join(map(str, hello.protocol_versions[:MAX_SHOWN])) or "none"
    if len(hello.protocol_versions) > MAX_SHOWN:
        spoken += f" and {len(hello.protocol_versions) - MAX_SHOWN} others"
    return f"the referee speaks protocol version {PROTOCOL_VERSION}, the bot {spoken}"


def clock_mismatch(hello: seat_pb2.Hello, per_decision_ms: int) -> str:
    """Return a sentence if the clock of the run is too fast for the bot, or ""."""
    needed = hello.capabilities.min_decision_ms
    if needed <= per_decision_ms:
        return ""
    return f"the bot needs at least {needed} ms for each decision, and the clock of this run gives {per_decision_ms} ms"


def required_features(games: Iterable[tuple[str, Mapping[str, OptionValue]]]) -> tuple[str, ...]:
    """Return the features that every bot needs in these games, each a variant with its options."""
    rules = [rules_of(variant).rules(options) for variant, options in games]
    offered = {word for each in rules for action in each.every_action() for word in (action.kind, action.suit)}
    offered |= {stage for each in rules for stage in each.stages()}
    return tuple(word for word in NEW_WORDS if word in offered)


def feature_mismatch(hello: seat_pb2.Hello, required: Sequence[str]) -> str:
    """Return a sentence about the words of the run's games that the bot does not know, or ""."""
    missing = [feature for feature in required if feature not in hello.capabilities.features]
    if not missing:
        return ""
    words = " and ".join(f'"{feature}"' for feature in missing)
    return f"the bot does not know {words}, which this run's games say: its Hello must name the features"


def capabilities_of(message: seat_pb2.Capabilities, tables: int, *, may_ponder: bool = True) -> Capabilities:
    """Return the capabilities in a Hello, limited to `tables` tables at once.

    may_ponder: whether its process runs while none of its decisions is open.
    """
    granted = [feature for feature in FEATURES if may_ponder or feature != PONDER]
    features = tuple(feature for feature in granted if feature in message.features)
    return Capabilities(
        tables=min(tables, message.max_tables or 1),
        batch=message.max_batch or 1,
        wants_events=message.wants_events or EVENTS_ONLY in features,
        wants_forced=message.wants_forced,
        features=features,
    )


def welcome_of(capabilities: Capabilities, startup_ms: int | None, secret: str = "", resume_ms: int = 0) -> bytes:
    """Return the Welcome of a bot with these capabilities (see `messages.welcome`)."""
    return welcome(
        version=PROTOCOL_VERSION,
        max_tables=capabilities.tables,
        max_batch=capabilities.batch,
        features=capabilities.features,
        startup_ms=startup_ms,
        session_secret=secret,
        resume_ms=resume_ms,
    )
