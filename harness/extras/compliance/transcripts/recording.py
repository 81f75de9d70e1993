"""Records a short game: one bot at one seat, the other seats played at random."""

from __future__ import annotations

import hashlib
import random
import time
from dataclasses import dataclass

import trio

from bowerbird.engine import Action
from bowerbird.harness.extras.compliance.config import CheckConfig
from bowerbird.harness.extras.compliance.driver.connection import BotConnection, Disconnected, message_of
from bowerbird.harness.extras.compliance.driver.game import Explorer, SeatGame, SeatSettings
from bowerbird.harness.extras.compliance.driver.process_host import open_process_host
from bowerbird.harness.extras.compliance.results import CheckFailedError, Evidence
from bowerbird.harness.extras.compliance.scenarios import Scenario
from bowerbird.harness.extras.compliance.transcripts import transcript_file
from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.participant import EVENTS_ONLY, capabilities_of
from bowerbird.harness.referee.connection.stream import Malformed, Outgoing, Received
from bowerbird.harness.referee.game.clock import NS_PER_MS, MessageClock, Pace
from bowerbird.harness.referee.game.table import chosen_action
from bowerbird.harness.referee.table_driver import TABLE_ID_BYTES
from bowerbird.harness.wire.encode import decision_requests
from bowerbird.seat.v1 import seat_pb2

TIME = TimeControl()
"""The clock of the game: the default of a tournament file."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded game.

    `failure` says why it is incomplete, or is "". If it is not "", `evidence` is the bot's output.
    """

    transcript: transcript_file.Transcript
    failure: str
    evidence: Evidence | None


class RandomPolicy(Explorer):
    """The policy of the other seats: any legal action, each equally likely."""

    def choose(self, legal: tuple[Action, ...], rng: random.Random) -> Action:
        """Return a random action."""
        return rng.choice(legal)


def record(config: CheckConfig, *, variant: str, seat: int, hands: int, seed: str) -> Recording:
    """Play one game of at most `hands` hands with the bot at `seat`, and return its messages.

    The same `seed` (a string) gives the same cards, the same seed for the bot, and the same choices of the other seats.
    """
    return trio.run(
        _record, config, transcript_file.Head(config.bot.name, config.bot.version, variant, seat, hands, seed)
    )


async def _record(config: CheckConfig, head: transcript_file.Head) -> Recording:
    async with open_process_host(config) as host:
        tape = _Tape(time.monotonic_ns())
        failure, evidence = await host.failure_of(lambda connection: _Recorder(connection, tape, config).play(head))
        if failure:
            tape.add_note(f"the recording ends here: {failure}")
    return Recording(transcript_file.Transcript(head, tape.entries()), failure, evidence)


class _Tape:
    """The messages and notes so far, with their times on the monotonic clock."""

    def __init__(self, begin_ns: int) -> None:
        self._begin_ns = begin_ns
        self._items: list[tuple[int, Received | Outgoing | str]] = []

    def add_received(self, received: Received) -> None:
        self._items.append((received.arrival_ns, received))

    def add_sent(self, outgoing: Outgoing) -> None:
        self._items.append((time.monotonic_ns(), outgoing))

    def add_note(self, text: str) -> None:
        self._items.append((time.monotonic_ns(), text))

    def entries(self) -> tuple[transcript_file.Entry, ...]:
        """Return the entries in order of time. A message that the check never received keeps its place in the queue."""
        timed = [(_time_of(at, item), item) for at, item in self._items]
        timed.sort(key=lambda pair: pair[0])
        return tuple(self._entry(at, item) for at, item in timed)

    def _entry(self, at: int, item: Received | Outgoing | str) -> transcript_file.Entry:
        ms = max(0, at - self._begin_ns) // NS_PER_MS
        match item:
            case Received(data=data):
                return transcript_file.Message(ms, transcript_file.BOT, data)
            case Outgoing(data=data):
                return transcript_file.Message(ms, transcript_file.REFEREE, data)
            case str():
                return transcript_file.Note(ms, item)


def _time_of(at: int, item: Received | Outgoing | str) -> int:
    return item.handed_over_ns or at if isinstance(item, Outgoing) else at


class _Recorder:
    """The referee of a game."""

    def __init__(self, connection: BotConnection, tape: _Tape, config: CheckConfig) -> None:
        self._connection = connection
        self._tape = tape
        self._timeouts = config.timeouts
        self._tables = config.bot.tables

    async def play(self, head: transcript_file.Head) -> None:
        """Play from Hello to the end of the process. Raises CheckFailedError."""
        await self._receive_kind("hello", "its Hello", self._timeouts.startup)
        self._send(self._connection.welcome(self._timeouts.startup))
        await self._receive_kind("ready", "its Ready", self._timeouts.startup)
        game = self._game(head)
        self._send(game.table_opened())
        while game.advance():
            self._send_all(game.ended_hands())
            await self._ask(game)
        self._send_all(game.ended_hands())
        if not game.closed:
            self._send(game.table_closed())
        await self._say_goodbye()

    def _game(self, head: transcript_file.Head) -> SeatGame:
        able = capabilities_of(self._connection.hello.capabilities, self._tables)
        settings = SeatSettings(
            wants_events=able.wants_events,
            wants_forced=able.wants_forced,
            budget_ms=TIME.per_decision_ms,
            bank_ms=TIME.bank_ms,
            events_only=EVENTS_ONLY in able.features,
        )
        digest = hashlib.sha256(utf8(head.seed)).digest()
        number = int.from_bytes(digest[:8])
        scenario = Scenario(head.variant, head.seat, hands=head.hands, number=number)
        return SeatGame(digest[-TABLE_ID_BYTES:].hex(), scenario, settings, RandomPolicy())

    async def _ask(self, game: SeatGame) -> None:
        """Ask for the next decision and apply the answer. Raises CheckFailedError if it is late, illegal or missing."""
        clock = MessageClock(Pace.of(TIME), [game.bank], time.monotonic_ns())
        outgoing = self._send(decision_requests([game.request()], deadline_ms=clock.limit // NS_PER_MS))
        awaited = f"an answer to decision {game.number} of table {game.table_id!r}"
        while True:
            left_ns = clock.deadline - time.monotonic_ns()
            received = await self._receive(awaited, max(0, left_ns) / 1e9)
            clock.begin(outgoing.handed_over_ns)
            request = received.request
            match request.WhichOneof("message"):
                case "decisions":
                    for decision in request.decisions.decisions:
                        if (decision.table_id, decision.decision_id) == (game.table_id, game.number):
                            self._apply(game, decision, clock.part(1, received.arrival_ns))
                            return
                case "resign" if request.resign.table_id == game.table_id:
                    self._send(game.resign())
                    return
                case "hello" | "ready" as kind:
                    raise CheckFailedError(f"it sent {kind}; expected {awaited}")

    def _apply(self, game: SeatGame, decision: seat_pb2.Decision, charge_ns: int) -> None:
        if not game.bank.charge(charge_ns):
            raise CheckFailedError(
                f"its answer to decision {game.number} came after {charge_ns // NS_PER_MS} ms, too late"
            )
        kind = decision.WhichOneof("choice")
        action = chosen_action(game.game.legal_actions(), getattr(decision, kind) if kind is not None else None)
        if not isinstance(action, Action):
            raise CheckFailedError(f"its answer to decision {game.number} is illegal: {action}")
        game.answer(action)

    async def _say_goodbye(self) -> None:
        """Send Goodbye and wait for the end of the process, recording further messages. Raises CheckFailedError."""
        self._send(messages.goodbye("FINISHED", grace_ms=int(self._timeouts.exit * 1000)))
        self._connection.end_stream()
        with trio.move_on_after(self._timeouts.exit):
            while True:
                match await self._connection.next_event(self._timeouts.exit):
                    case Received() as received:
                        self._tape.add_received(received)
                    case Malformed(why=why):
                        self._tape.add_note(f"the bot sent {why}")
                    case Disconnected():
                        break
        await self._connection.wait_exit(self._timeouts.exit)
        assert self._connection.process is not None, "`wait_exit` has returned"
        self._tape.add_note(f"the process ended: {self._connection.process.exit_status}")

    def _send(self, data: bytes) -> Outgoing:
        outgoing = self._connection.send(data)
        self._tape.add_sent(outgoing)
        return outgoing

    def _send_all(self, data: list[bytes]) -> None:
        for message in data:
            self._send(message)

    async def _receive(self, awaited: str, timeout: float) -> Received:
        """Return the next message and record it. Raises CheckFailedError like `BotConnection.receive`."""
        event = await self._connection.next_event(timeout)
        if isinstance(event, Received):
            self._tape.add_received(event)
        return message_of(event, awaited, timeout)

    async def _receive_kind(self, kind: str, awaited: str, timeout: float) -> None:
        found = (await self._receive(awaited, timeout)).request.WhichOneof("message")
        if found != kind:
            raise CheckFailedError(f"it sent {found or 'an unknown message'}; expected {awaited}")
