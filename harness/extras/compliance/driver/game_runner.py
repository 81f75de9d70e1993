"""Plays games with a bot and checks each answer by the protocol, apart from its time."""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bowerbird.engine import Action
from bowerbird.harness.extras.compliance.driver.answer_clock import AnswerClock
from bowerbird.harness.extras.compliance.driver.connection import BotConnection
from bowerbird.harness.extras.compliance.driver.game import Explorer, SeatGame, SeatSettings
from bowerbird.harness.extras.compliance.driver.mutators import MessageMutator, unchanged
from bowerbird.harness.extras.compliance.results import CheckFailedError, DecisionRule
from bowerbird.harness.extras.compliance.scenarios import Scenario
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.game.table import chosen_action
from bowerbird.harness.referee.table_driver import TABLE_ID_BYTES
from bowerbird.harness.wire.encode import decision_requests, repeated_requests
from bowerbird.seat.v1 import seat_pb2


@dataclass(frozen=True, slots=True)
class PlayLimits:
    """The maximum numbers of tables at once and of decisions in a message, and the timeout of an answer in
    seconds."""

    tables: int
    batch: int
    timeout: float


class GameRunner:
    """A player of games over one connection.

    `answer_times` are the answer times in seconds, measured by `clock` for messages with one decision, and empty
    without a clock. `answers` counts the bot's decisions.
    """

    def __init__(
        self,
        connection: BotConnection,
        settings: SeatSettings,
        mutate: MessageMutator = unchanged,
        *,
        seed: str = "",
        clock: AnswerClock | None = None,
    ) -> None:
        """Create a runner that passes each message through `mutate` before it is sent.

        `seed` is the seed of its games.
        """
        self._clock = clock
        self._seed = seed
        self._connection = connection
        self._settings = settings
        self._mutate = mutate
        self._repeated = ""
        self._unconfirmed: list[bytes] = []
        self._asked_ns = 0
        self.answer_times: list[float] = []
        self.answers = 0

    def open(self, scenario: Scenario, explorer: Explorer) -> SeatGame:
        """Seat the bot at a new table."""
        game = SeatGame(secrets.token_hex(TABLE_ID_BYTES), scenario, self._settings, explorer, seed=self._seed)
        self._connection.table_ids.add(game.table_id)
        self._send(game.table_opened())
        return game

    async def play(self, scenarios: Sequence[Scenario], limits: PlayLimits, explorer: Explorer | None = None) -> None:
        """Play all scenarios to their end within `limits`, taking the tables in turn. Raises CheckFailedError."""
        explorer = explorer or Explorer()
        remaining = iter(scenarios)
        waiting: deque[SeatGame] = deque()
        while True:
            self._fill(waiting, remaining, limits.tables, explorer)
            if not waiting:
                return
            asked = [waiting.popleft() for _ in range(min(limits.batch, len(waiting)))]
            await self.ask(asked, limits.timeout)
            waiting.extend(game for game in asked if self._advance(game))

    def _fill(self, waiting: deque[SeatGame], remaining: Iterator[Scenario], tables: int, explorer: Explorer) -> None:
        while len(waiting) < tables and (scenario := next(remaining, None)) is not None:
            game = self.open(scenario, explorer)
            if self._advance(game):
                waiting.append(game)

    def _advance(self, game: SeatGame) -> bool:
        """Advance to the bot's next decision and return True, or close the game and return False if there is none."""
        more = game.advance()
        for message in game.ended_hands():
            self._send(message)
        if not more and not game.closed:
            self._send(game.table_closed())
        return more

    def abandon(self, game: SeatGame) -> None:
        """Close a table in play. The bot's later answers about it are ignored (seat.proto, Bad messages)."""
        self._connection.abandoned_ids.add(game.table_id)
        self._send(game.table_closed())

    def request(self, games: Iterable[SeatGame]) -> None:
        """Send the next decision of each game in one message. Its deadline has a run's usual margin."""
        requests = [game.request() for game in games]
        time_control = TimeControl(per_decision_ms=self._settings.budget_ms, bank_ms=0)
        deadline_ms = time_control.per_decision_ms * len(requests) + time_control.margin_ms
        self._asked_ns = time.monotonic_ns()
        self._send(decision_requests(requests, deadline_ms=deadline_ms))

    def repeat(self) -> None:
        """Send everything since the last answers again on a new stream, since it may not have arrived.

        An open request has less time left than before.
        """
        elapsed_ms = (time.monotonic_ns() - self._asked_ns) // 1_000_000
        for message in self._unconfirmed:
            is_request = seat_pb2.PlayResponse.FromString(message).WhichOneof("message") == "decision_requests"
            self._connection.send(repeated_requests(message, elapsed_ms) if is_request else message)

    async def ask(self, games: Sequence[SeatGame], timeout: float) -> None:
        """Ask for the next decision of each game in one message and apply all answers. Raises CheckFailedError.

        `timeout` is in seconds and applies to each message of the bot.
        """
        if self._clock is not None:
            self._clock.start()
        self.request(games)
        await self.take_answers(games, timeout)

    async def take_answers(self, games: Sequence[SeatGame], timeout: float) -> None:
        """Receive and apply the answers to the last decisions asked for, one per game. See `ask`."""
        due = {game.table_id: game for game in games}
        while due:
            awaited = f"an answer to decision {', '.join(_decision(game) for game in list(due.values())[:3])}"
            if self._repeated:
                awaited += f" ({self._repeated})"
            received = await self._connection.receive(awaited, timeout)
            match received.request.WhichOneof("message"):
                case "decisions":
                    for decision in received.request.decisions.decisions:
                        self._apply(decision, due)
                case "resign":
                    self._resign(received.request.resign.table_id, due)
                case other:
                    raise CheckFailedError(f"it sent {other or 'an unknown message'}; expected {awaited}")
        if self._repeated:
            raise CheckFailedError(self._repeated, DecisionRule.ONCE)
        if len(games) == 1 and self._clock is not None:
            self.answer_times.append(self._clock.seconds(received.arrival_ns - self._asked_ns))
        self._unconfirmed.clear()

    def _apply(self, decision: seat_pb2.Decision, due: dict[str, SeatGame]) -> None:
        game = due.get(decision.table_id)
        if game is None or decision.decision_id != game.number:
            self._judge_unasked(decision, game)
            return
        kind = decision.WhichOneof("choice")
        legal = game.game.legal_actions()
        action = chosen_action(legal, getattr(decision, kind) if kind is not None else None)
        if not isinstance(action, Action):
            raise CheckFailedError(
                f"it answered {action} to decision {_decision(game)} ({game.scenario.name}); "
                f"legal are {', '.join(f'{number} {one.token!r}' for number, one in enumerate(legal))}",
                DecisionRule.LEGAL,
            )
        del due[decision.table_id]
        game.answer(action)
        self.answers += 1

    def _judge_unasked(self, decision: seat_pb2.Decision, game: SeatGame | None) -> None:
        """Check an answer to a decision that is not open.

        A repeated answer fails the check only in `ask`, once the other answers have arrived.
        """
        table, number = decision.table_id, decision.decision_id
        if table in self._connection.abandoned_ids:
            return
        if table not in self._connection.table_ids:
            raise CheckFailedError(f"it answered at table {table!r}, which does not exist")
        if game is None or number < game.number:
            self._repeated = f"it answered decision {number} of table {table!r} again"
            return
        raise CheckFailedError(f"it answered decision {number} of table {table!r}; decision {game.number} was asked")

    def _resign(self, table_id: str, due: dict[str, SeatGame]) -> None:
        game = due.pop(table_id, None)
        if game is not None:
            self._send(game.table_closed())

    def _send(self, message: bytes) -> None:
        for mutated in self._mutate(message):
            self._unconfirmed.append(mutated)
            self._connection.send(mutated)


def _decision(game: SeatGame) -> str:
    return f"{game.number} of table {game.table_id!r}"
