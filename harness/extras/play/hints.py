"""Hints: asks a bot of the person's choice for the same decision, over the seat protocol and in its own process."""

from __future__ import annotations

import trio

from bowerbird.harness.extras.compliance.config import CheckConfig
from bowerbird.harness.extras.compliance.driver.connection import BotConnection
from bowerbird.harness.extras.compliance.driver.process_host import ProcessHost, open_process_host
from bowerbird.harness.extras.compliance.results import CheckFailedError
from bowerbird.harness.extras.play.person_game import OpenDecision, PersonGame
from bowerbird.harness.wire.encode import decision_requests

DEADLINE_MARGIN_MS = 1000


class Adviser:
    """The bot that gives hints. It starts at the first question. A bot that fails is restarted at the next one."""

    def __init__(self, config: CheckConfig, host: ProcessHost) -> None:
        """Use `run_adviser`."""
        self.name = config.bot.name
        self._timeouts = config.timeouts
        self._host = host
        self._connection: BotConnection | None = None
        self._table = ""
        self._missed: list[OpenDecision] = []
        self._asked = -1

    def note(self, decision: OpenDecision) -> None:
        """Keep a decision for a bot that wants events, since it must get all of them."""
        self._missed.append(decision)

    async def ask(self, game: PersonGame, decision: OpenDecision) -> str:
        """Return the token that the bot would choose, or a sentence that says why there is no hint."""
        try:
            return await self._token(game, decision)
        except CheckFailedError as error:
            await self._forget()
            return f"{self.name} gives no hint: {error}"

    async def _token(self, game: PersonGame, decision: OpenDecision) -> str:
        assert game.table_opened is not None  # a decision is open
        connection = await self._connected()
        if self._table != game.table_opened.table_opened.table_id:
            self._table = game.table_opened.table_opened.table_id
            self._asked = -1
            connection.send(game.table_opened.SerializeToString())
        due = self._missed if connection.hello.capabilities.wants_events else [decision]
        choice = ""
        for one in due if decision in due else [*due, decision]:
            if one.number > self._asked:
                self._asked = one.number
                choice = await self._answer(connection, one)
        self._missed = []
        return choice

    async def _answer(self, connection: BotConnection, decision: OpenDecision) -> str:
        budget_ms = decision.request.budget_ms
        connection.send(decision_requests([decision.request.SerializeToString()], budget_ms + DEADLINE_MARGIN_MS))
        timeout = self._timeouts.answer + budget_ms / 1000
        received = await connection.receive_kind("decisions", "its hint", timeout)
        answer = received.request.decisions.decisions[0] if received.request.decisions.decisions else None
        if answer is None:
            raise CheckFailedError("it sent an empty answer")
        if answer.WhichOneof("choice") == "action_index" and answer.action_index < len(decision.legal):
            return decision.legal[answer.action_index]
        if answer.action in decision.legal:
            return answer.action
        raise CheckFailedError("it chose an illegal action")

    async def _connected(self) -> BotConnection:
        if self._connection is None:
            connection = await self._host.start()
            startup = self._timeouts.startup
            await connection.receive_kind("hello", "its Hello", startup)
            connection.send(connection.welcome(startup))
            await connection.receive_kind("ready", "its Ready", startup)
            self._connection, self._table = connection, ""
        return self._connection

    async def _forget(self) -> None:
        connection, self._connection, self._missed = self._connection, None, []
        if connection is not None:
            with trio.CancelScope(shield=True):
                await connection.close()


async def run_adviser(config: CheckConfig, *, task_status: trio.TaskStatus[Adviser]) -> None:
    """Run an adviser until this task is cancelled, then end its process. Call it with `nursery.start`."""
    async with open_process_host(config) as host:
        task_status.started(Adviser(config, host))
        await trio.sleep_forever()
