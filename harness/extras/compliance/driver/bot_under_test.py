"""The bot under test: its connected processes, and the findings of earlier checks."""

from __future__ import annotations

from dataclasses import replace

from bowerbird.engine import rules_of, variant_names
from bowerbird.harness.extras.compliance.driver.answer_clock import AnswerClock
from bowerbird.harness.extras.compliance.driver.connection import BotConnection, Transport
from bowerbird.harness.extras.compliance.driver.game import SeatSettings
from bowerbird.harness.extras.compliance.driver.game_runner import GameRunner, PlayLimits
from bowerbird.harness.extras.compliance.driver.mutators import MessageMutator, unchanged
from bowerbird.harness.extras.compliance.driver.process_host import ProcessHost
from bowerbird.harness.extras.compliance.results import CheckFailedError, Evidence
from bowerbird.harness.extras.compliance.scenarios import Scenario
from bowerbird.harness.records.values.game_record import SANDBOX
from bowerbird.harness.referee.connection.endpoint import PROTOCOL_VERSION
from bowerbird.harness.referee.connection.participant import capabilities_of
from bowerbird.harness.referee.process.supervisor import Process
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.seat.v1 import seat_pb2

SEVERAL = 8
"""How many tables or decisions the checks of several at once use."""

BUDGET_MS = 100
"""The budget of a decision in checks that are not about time. It is small, since some bots use their whole budget."""


def claimed_variants(bot: BotSpec) -> tuple[str, ...]:
    """Return the variants that its bot.toml names, in the order of the rule book."""
    return tuple(name for name in variant_names() if "*" in bot.variants or name in bot.variants)


class BotUnderTest:
    """A bot, shared by the checks. `main` is the process that most checks talk to.

    A failed check discards it. `tcp` and `several_versions` are processes of earlier checks that later ones can use.
    `answers_pings` is whether a Ping can show that no more messages are on their way.
    """

    def __init__(self, host: ProcessHost) -> None:
        """Create a bot without processes."""
        self.host = host
        self.timeouts = host.config.timeouts
        self.answers_pings = False
        self.main: BotConnection | None = None
        self.tcp: BotConnection | None = None
        self.several_versions: BotConnection | None = None
        self.left_by_goodbye: Process | None = None
        self.refused = ""
        self._used: BotConnection | None = None
        self.first_game: tuple[GameRunner, CheckFailedError | None] | None = None
        self.tables_tried = 1
        self.batch_tried = 1

    @property
    def spec(self) -> BotSpec:
        """The bot as its bot.toml describes it."""
        return self.host.config.bot

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants that the bot claims, in the order of the rule book."""
        return claimed_variants(self.spec)

    @property
    def is_sandboxed(self) -> bool:
        """Whether its processes have no network and cannot outlive the bot."""
        return self.host.config.isolation == SANDBOX

    async def start(
        self, *, transport: Transport = Transport.UNIX, protocols: str = str(PROTOCOL_VERSION)
    ) -> BotConnection:
        """Start a process. Raises the errors of `BotConnection.start`."""
        self._used = None
        self._used = await self.host.start(transport=transport, protocols=protocols)
        return self._used

    async def connected(self) -> BotConnection:
        """Return the main process, ready to play, or a new one if there is none. Raises CheckFailedError."""
        if self.main is None:
            self.main = await self.ready(await self.start())
        self._used = self.main
        return self.main

    async def ready(self, connection: BotConnection, mutate: MessageMutator = unchanged) -> BotConnection:
        """Bring a newly started process from Hello to Ready. Raises CheckFailedError."""
        startup = self.timeouts.startup
        await connection.receive_kind("hello", "its Hello", startup)
        for message in mutate(connection.welcome(startup)):
            connection.send(message)
        await connection.receive_kind("ready", "its Ready", startup)
        return connection

    async def reuse(self, connection: BotConnection | None) -> BotConnection:
        """Return the process of an earlier check, ready to play, or a new one if it is None."""
        if connection is None:
            return await self.ready(await self.start())
        self._used = connection
        return connection

    def tables(self, connection: BotConnection) -> int:
        """Return the maximum number of tables at once, from the bot's bot.toml and Hello."""
        return min(self.spec.tables, connection.hello.capabilities.max_tables or 1)

    def batch(self, connection: BotConnection) -> int:
        """Return the maximum number of decisions in one message, from the bot's Hello and its tables."""
        return min(connection.hello.capabilities.max_batch or 1, self.tables(connection))

    def runner(
        self,
        connection: BotConnection,
        budget_ms: int = BUDGET_MS,
        mutate: MessageMutator = unchanged,
        clock: AnswerClock | None = None,
    ) -> GameRunner:
        """Return a runner of games for a connection, with the capabilities of its Hello. `clock` times its answers."""
        able = connection.hello.capabilities
        granted = capabilities_of(able, self.spec.tables)
        settings = SeatSettings(granted.wants_events, granted.wants_forced, granted.events_only, budget_ms)
        return GameRunner(connection, settings, mutate, seed=self.host.config.seed, clock=clock)

    def limits(self, tables: int = 1, batch: int = 1) -> PlayLimits:
        """Return limits with this check's timeout for answers."""
        return PlayLimits(tables, batch, self.timeouts.answer)

    def scenarios(self, count: int, hands: int = 1) -> list[Scenario]:
        """Return `count` different games of the bot's first variant, at its seats in turn."""
        variant = self.variants[0]
        seats = rules_of(variant).seats()
        return [Scenario(variant, number % seats, hands=hands, number=number) for number in range(count)]

    def strong_scenarios(self, count: int) -> list[Scenario]:
        """Return such games with strong hands, so that each asks the bot for a decision."""
        return [replace(scenario, strong=True) for scenario in self.scenarios(count)]

    async def ping(self, connection: BotConnection, mutate: MessageMutator = unchanged) -> list[str]:
        """Send a Ping and wait for its Pong. Return the kinds of earlier messages. Raises CheckFailedError."""
        number = len(connection.table_ids) + 1
        for message in mutate(seat_pb2.PlayResponse(ping=seat_pb2.Ping(ping_id=number)).SerializeToString()):
            connection.send(message)
        before: list[str] = []
        awaited = f"a Pong with ping_id {number}"
        while True:
            request = (await connection.receive(awaited, self.timeouts.answer)).request
            if request.WhichOneof("message") != "pong":
                before.append(request.WhichOneof("message") or "an unknown message")
            elif request.pong.ping_id == number:
                return before
            else:
                raise CheckFailedError(f"it sent a Pong with ping_id {request.pong.ping_id}; expected {awaited}")

    async def close_used(self) -> None:
        """End the last used process and its connection."""
        if self._used is not None:
            await self._used.close()

    async def collect_evidence(self) -> Evidence | None:
        """Return what happened on the last used connection, and close all connections.

        The next check starts a new process.
        """
        used = self._used or self.host.latest
        if used is None:
            return None
        evidence = await used.collect_evidence()
        await self.host.close()
        self._used = self.main = self.tcp = self.several_versions = None
        return evidence
