"""Starts a bot and asks it for one decision of a recorded game, once or several times."""

from __future__ import annotations

import time
from dataclasses import dataclass

import trio

from bowerbird.engine import Action
from bowerbird.harness.extras.compliance.asking.messages import Question, RecordedTable, Wishes
from bowerbird.harness.extras.compliance.config import CheckConfig
from bowerbird.harness.extras.compliance.driver.connection import BotConnection
from bowerbird.harness.extras.compliance.driver.process_host import open_process_host
from bowerbird.harness.extras.compliance.results import CheckFailedError, Evidence
from bowerbird.harness.records.replay.positions import Position
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.participant import capabilities_of
from bowerbird.harness.referee.game.clock import whole_ms
from bowerbird.harness.referee.game.table import chosen_action
from bowerbird.seat.v1 import seat_pb2

RESIGNED = "resign"
"""The token of an answer that resigns the game."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How to ask: how many times, with which seed for the bot, and whether to ask the seat's earlier decisions first.

    `times` tables are opened one after another, each with its own seed, which follows from `seed`.
    """

    times: int = 1
    seed: str = "1"
    from_start: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one decision.

    token: the legal action, RESIGNED, or "". illegal: a description of an illegal answer, or "". ms: the time from the
        request to the answer. limit_ms: how long the recorded clock would have waited. note: the bot's note.
    """

    recorded: str
    token: str
    illegal: str
    ms: int
    limit_ms: int
    note: str

    @property
    def is_legal(self) -> bool:
        """Whether the answer is a legal action."""
        return not self.illegal and self.token != RESIGNED

    @property
    def is_late(self) -> bool:
        """Whether the answer is too late by the recorded clock."""
        return self.ms > self.limit_ms


@dataclass(frozen=True, slots=True)
class Answers:
    """A bot's answers: to the decision, one for each time, and to the earlier decisions of its seat.

    `failure` says why answers are missing, or is "". If it is not "", `evidence` is the bot's output.
    """

    answers: tuple[Answer, ...]
    earlier: tuple[Answer, ...]
    failure: str
    evidence: Evidence | None

    @property
    def is_legal(self) -> bool:
        """Whether every decision has a legal answer."""
        return not self.failure and all(answer.is_legal for answer in (*self.answers, *self.earlier))

    @property
    def is_exact(self) -> bool:
        """Whether every answer to the decision is the recorded one."""
        return self.is_legal and all(answer.token == answer.recorded for answer in self.answers)


def ask(config: CheckConfig, record: GameRecord, position: Position, asking: Asking) -> Answers:
    """Start the bot and ask it for the decision at `position`."""
    return trio.run(_ask, config, record, position, asking)


async def _ask(config: CheckConfig, record: GameRecord, position: Position, asking: Asking) -> Answers:
    asker = _Asker(config)

    async def converse(connection: BotConnection) -> None:
        await asker.start(connection)
        for number in range(asking.times):
            seed = asking.seed if number == 0 else f"{asking.seed} {number}"
            await asker.ask(RecordedTable(record, position, seed), asking.from_start)
        await asker.say_goodbye()

    async with open_process_host(config) as host:
        failure, evidence = await host.failure_of(converse)
    return Answers(tuple(asker.answers), tuple(asker.earlier), failure, evidence)


class _Asker:
    """The referee's side of the conversation."""

    def __init__(self, config: CheckConfig) -> None:
        self._timeouts = config.timeouts
        self._most_tables = config.bot.tables
        self.answers: list[Answer] = []
        self.earlier: list[Answer] = []

    async def start(self, connection: BotConnection) -> None:
        """Bring the process from Hello to Ready. Raises CheckFailedError."""
        self._connection = connection
        startup = self._timeouts.startup
        await connection.receive_kind("hello", "its Hello", startup)
        connection.send(connection.welcome(startup))
        await connection.receive_kind("ready", "its Ready", startup)
        able = capabilities_of(connection.hello.capabilities, self._most_tables)
        self._wishes = Wishes(able.wants_events, able.wants_forced)

    async def ask(self, table: RecordedTable, from_start: bool) -> None:
        """Open the table, ask for its decisions and close it. Raises CheckFailedError."""
        asked: list[Answer] = []
        for message in table.messages(self._wishes, from_start=from_start):
            began_ns = time.monotonic_ns()
            self._connection.send(message.data)
            if message.question is not None:
                self.earlier += asked
                asked = [await self._answer(table.table_id, message.question, began_ns)]
        self.answers += asked
        self._connection.send(table.closed())

    async def _answer(self, table_id: str, question: Question, began_ns: int) -> Answer:
        awaited = f"an answer to decision {question.number} of table {table_id!r}"
        received = await self._connection.receive(awaited, self._timeouts.answer)
        ms = whole_ms(max(0, received.arrival_ns - began_ns))
        request = received.request
        match request.WhichOneof("message"):
            case "decisions":
                for decision in request.decisions.decisions:
                    if (decision.table_id, decision.decision_id) == (table_id, question.number):
                        return _judged(question, decision, ms)
                raise CheckFailedError(f"it answered another decision; expected {awaited}")
            case "resign" if request.resign.table_id == table_id:
                return Answer(question.recorded, RESIGNED, "", ms, question.limit_ms, "")
            case other:
                raise CheckFailedError(f"it sent {other or 'an unknown message'}; expected {awaited}")

    async def say_goodbye(self) -> None:
        """Send Goodbye, and give the process a moment to exit."""
        self._connection.send(messages.goodbye("FINISHED", grace_ms=int(self._timeouts.exit * 1000)))
        self._connection.end_stream()
        assert self._connection.process is not None, "`start` has returned"
        with trio.move_on_after(self._timeouts.exit):
            await self._connection.process.ended.wait()


def _judged(question: Question, decision: seat_pb2.Decision, ms: int) -> Answer:
    kind = decision.WhichOneof("choice")
    chosen = chosen_action(question.legal, getattr(decision, kind) if kind is not None else None)
    token, illegal = (str(chosen), "") if isinstance(chosen, Action) else ("", chosen)
    return Answer(question.recorded, token, illegal, ms, question.limit_ms, decision.note)
