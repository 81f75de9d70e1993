"""Feeds the referee's messages of a transcript to a bot, and compares its answers with the recorded ones.

The referee's messages are always the recorded ones, so no game is played: a bot that chooses differently still gets the
recorded bot's next decision. There is no clock, only a timeout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import trio

from bowerbird.harness.extras.compliance.config import CheckConfig
from bowerbird.harness.extras.compliance.driver.connection import BotConnection
from bowerbird.harness.extras.compliance.driver.process_host import open_process_host
from bowerbird.harness.extras.compliance.results import CheckFailedError, Evidence
from bowerbird.harness.extras.compliance.transcripts.transcript_file import BOT, Message, Transcript
from bowerbird.seat.v1 import seat_pb2

RESIGNED = "resign"
"""The token of an answer that resigns the game."""

DecisionKey = tuple[str, int]
"""The table_id and the decision_id of a decision."""


class Comparison(StrEnum):
    """How the bot's answer to a decision compares with the recorded one."""

    SAME = "same"
    OTHER = "other legal action"
    ILLEGAL = "illegal"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """The answer to one decision. `recorded` and `answer` are tokens, or "" if there is none.

    For an illegal answer, `answer` describes it.
    """

    table_id: str
    decision_id: int
    comparison: Comparison
    recorded: str
    answer: str


@dataclass(frozen=True, slots=True)
class Playback:
    """A bot's answers to a transcript: every decision of the file, in order.

    `failure` says why the bot did not reach the end of the file, or is "". If it is not "", `evidence` is the bot's
    output. `remarks` are unrequested answers, which a referee ignores.
    """

    answers: tuple[ComparedAnswer, ...]
    remarks: tuple[str, ...]
    failure: str
    evidence: Evidence | None

    @property
    def is_legal(self) -> bool:
        """Whether the bot reached the end and answered every decision with a legal action."""
        legal = (Comparison.SAME, Comparison.OTHER)
        return not self.failure and all(answer.comparison in legal for answer in self.answers)

    @property
    def is_exact(self) -> bool:
        """Whether the bot also gave all the recorded answers."""
        return self.is_legal and all(answer.comparison is Comparison.SAME for answer in self.answers)


def play(config: CheckConfig, transcript: Transcript) -> Playback:
    """Start the bot and feed it the referee's messages of a transcript, in order."""
    return trio.run(_play, config, transcript)


async def _play(config: CheckConfig, transcript: Transcript) -> Playback:
    player = _Player(transcript, config)
    async with open_process_host(config) as host:
        failure, evidence = await host.failure_of(player.play)
    return Playback(player.answers(), tuple(player.remarks), failure, evidence)


class _Player:
    """The referee's side of a recorded stream."""

    def __init__(self, transcript: Transcript, config: CheckConfig) -> None:
        self._messages = [message for _, message in transcript.messages()]
        self._timeouts = config.timeouts
        self._asked = dict(_requests(self._messages))
        self._recorded = _recorded_answers(self._messages, self._asked)
        self._open: set[DecisionKey] = set()
        self._judged: dict[DecisionKey, ComparedAnswer] = {}
        self._closed: set[DecisionKey] = set()
        self._pongs: set[int] = set()
        self._awaits_ready = False
        self._is_ready = False
        self._is_over = False
        self.remarks: list[str] = []

    def answers(self) -> tuple[ComparedAnswer, ...]:
        """Return all decisions of the file except those whose table closes without an answer."""
        missing = Comparison.MISSING
        return tuple(
            self._judged.get(key) or ComparedAnswer(*key, missing, self._recorded.get(key, ""), "")
            for key in self._asked
            if key not in self._closed
        )

    async def play(self, connection: BotConnection) -> None:
        """Play the whole file. Raises CheckFailedError if the bot does not reach the end."""
        self._connection = connection
        await connection.receive_kind("hello", "its Hello", self._timeouts.startup)
        for message in self._messages[1:]:
            if message.sender == BOT:
                await self._await_same(message)
            else:
                await self._send(message)
        await self._await_answers()
        if self._is_over:
            await connection.wait_exit(self._timeouts.exit)

    async def _await_same(self, message: Message) -> None:
        """Wait until the bot has sent the contents of `message`, in one message or in several."""
        request = message.request
        match message.kind:
            case "decisions":
                keys = {(one.table_id, one.decision_id) for one in request.decisions.decisions}
                await self._await_answers(keys)
            case "resign":
                table = request.resign.table_id
                await self._await_answers({key for key in self._open if key[0] == table})
            case "pong":
                ping_id = request.pong.ping_id
                await self._until(
                    lambda: ping_id in self._pongs, f"a Pong with ping_id {ping_id}", self._timeouts.answer
                )

    async def _await_answers(self, keys: set[DecisionKey] | None = None) -> None:
        """Wait until these decisions are answered; None for all."""
        due = self._open if keys is None else self._open & keys
        if due:
            number = min(due, key=list(self._asked).index)
            awaited = f"an answer to decision {number[1]} of table {number[0]!r}"
            await self._until(
                lambda: not (self._open if keys is None else self._open & keys), awaited, self._timeouts.answer
            )

    async def _send(self, message: Message) -> None:
        response = message.response
        if self._awaits_ready:
            await self._until(lambda: self._is_ready, "its Ready", self._timeouts.startup)
        if message.kind in ("decision_requests", "ping", "goodbye"):
            await self._await_answers()  # a referee never sends these while a decision is open
        self._connection.send(message.data)
        match message.kind:
            case "welcome":
                self._awaits_ready = response.welcome.awaits_ready
            case "decision_requests":
                self._open.update((one.table_id, one.decision_id) for one in response.decision_requests.requests)
            case "table_closed":
                closed = {key for key in self._open if key[0] == response.table_closed.table_id}
                self._open -= closed
                self._closed |= closed
            case "goodbye":
                self._end_stream()
            case "error" if response.error.fatal:
                self._end_stream()

    def _end_stream(self) -> None:
        self._connection.end_stream()
        self._is_over = True

    async def _until(self, is_done: Callable[[], bool], awaited: str, timeout: float) -> None:
        """Receive messages until `is_done`.

        Raises CheckFailedError for a wrong one, or if none comes within `timeout` s.
        """
        while not is_done():
            self._take((await self._connection.receive(awaited, timeout)).request, awaited)

    def _take(self, request: seat_pb2.PlayRequest, awaited: str) -> None:
        match request.WhichOneof("message"):
            case "ready" if not self._is_ready:
                self._is_ready = True
            case "decisions":
                for decision in request.decisions.decisions:
                    self._judge(decision)
            case "resign":
                for key in [key for key in self._open if key[0] == request.resign.table_id]:
                    self._close(key, RESIGNED, is_legal=self._recorded.get(key) == RESIGNED)
            case "pong":
                self._pongs.add(request.pong.ping_id)
            case other:
                raise CheckFailedError(f"it sent {other or 'an unknown message'}; expected {awaited}")

    def _judge(self, decision: seat_pb2.Decision) -> None:
        key = (decision.table_id, decision.decision_id)
        if key not in self._open:
            self.remarks.append(f"it answered decision {key[1]} of table {key[0]!r}, which was not open")
            return
        token, problem = _token(self._asked[key], decision)
        self._close(key, problem or token, is_legal=not problem)

    def _close(self, key: DecisionKey, answer: str, *, is_legal: bool) -> None:
        recorded = self._recorded.get(key, "")
        legal = Comparison.SAME if answer == recorded else Comparison.OTHER
        comparison = legal if is_legal else Comparison.ILLEGAL
        self._judged[key] = ComparedAnswer(*key, comparison, recorded, answer)
        self._open.discard(key)


def _requests(messages: list[Message]) -> Iterator[tuple[DecisionKey, seat_pb2.DecisionRequest]]:
    for message in messages:
        if message.kind == "decision_requests" and message.sender != BOT:
            for request in message.response.decision_requests.requests:
                yield (request.table_id, request.decision_id), request


def _recorded_answers(
    messages: list[Message], asked: dict[DecisionKey, seat_pb2.DecisionRequest]
) -> dict[DecisionKey, str]:
    """Return the token chosen for each decision, with RESIGNED for the last one of a resigned game.

    Illegal answers are left out.
    """
    answers: dict[DecisionKey, str] = {}
    for message in messages:
        if message.sender != BOT:
            continue
        if message.kind == "resign":
            table = message.request.resign.table_id
            last = max((number for one, number in asked if one == table), default=None)
            if last is not None:
                answers[table, last] = RESIGNED
        for decision in message.request.decisions.decisions:
            key = (decision.table_id, decision.decision_id)
            if key in asked and key not in answers:
                token, problem = _token(asked[key], decision)
                if not problem:
                    answers[key] = token
    return answers


def _token(request: seat_pb2.DecisionRequest, decision: seat_pb2.Decision) -> tuple[str, str]:
    """Return the token that a Decision chooses, or "" and why it is illegal."""
    tokens = [action.token for action in request.legal_actions]
    match decision.WhichOneof("choice"):
        case "action_index" if decision.action_index < len(tokens):
            return tokens[decision.action_index], ""
        case "action_index":
            return "", f"action_index {decision.action_index} of {len(tokens)} legal actions"
        case "action" if decision.action in tokens:
            return decision.action, ""
        case "action":
            return "", f"action {decision.action!r}"
    return "", "neither action_index nor action"
