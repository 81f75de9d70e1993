"""What the checks share: the connected bot, and what is known of it so far."""

from __future__ import annotations

from dataclasses import replace

from engine import rules_of, variant_names
from harness.compliance.connection import UNIX, Connection
from harness.compliance.game import Deal, Manner
from harness.compliance.playing import Change, Pace, Player, unchanged
from harness.compliance.verdict import Evidence, FailedError
from harness.compliance.yard import Yard
from harness.referee.doorstep import PROTOCOL_VERSION
from harness.referee.isolation import SANDBOX
from harness.referee.launcher import Process
from harness.referee.spec import BotSpec
from harness.v1 import seat_pb2

SEVERAL = 8
"""How many tables or decisions "several" are."""

CALM_MS = 100
"""What a decision may take, where that is not what is tried. A bot that searches as long as it may loses no time."""


def claimed_variants(bot: BotSpec) -> tuple[str, ...]:
    """The variants that its bot.toml names, in the order of the rule book."""
    return tuple(name for name in variant_names() if "*" in bot.variants or name in bot.variants)


class Bench:
    """A bot under test. `main` is the process that most checks talk to; a check that fails costs it its place.

    `pings` says whether the bot answers a Ping, so that a check can know that nothing more is on its way.
    """

    def __init__(self, yard: Yard) -> None:
        """Nothing was started yet."""
        self.yard = yard
        self.patience = yard.trial.patience
        self.pings = False
        self.main: Connection | None = None
        self.tcp: Connection | None = None
        self.several_versions: Connection | None = None
        self.left_by_goodbye: Process | None = None
        self.refused = ""
        self._used: Connection | None = None
        self.first_game: tuple[Player, FailedError | None] | None = None
        self.tables_tried = 1
        self.batch_tried = 1

    @property
    def bot(self) -> BotSpec:
        """What its bot.toml says."""
        return self.yard.trial.bot

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants that it says it plays, in the order of the rule book."""
        return claimed_variants(self.bot)

    @property
    def is_sandboxed(self) -> bool:
        """Whether its processes have no network, and none of them can be left."""
        return self.yard.trial.isolation == SANDBOX

    async def start(self, *, transport: str = UNIX, protocols: str = str(PROTOCOL_VERSION)) -> Connection:
        """A new process, which has said nothing yet. Raises FailedError if the system cannot start it."""
        self._used = None
        self._used = await self.yard.start(transport=transport, protocols=protocols)
        return self._used

    async def connected(self) -> Connection:
        """The main process, ready to play; a new one where there is none. Raises FailedError."""
        if self.main is None:
            self.main = await self.ready(await self.start())
        self._used = self.main
        return self.main

    async def ready(self, connection: Connection, change: Change = unchanged) -> Connection:
        """See a process that was just started through to Ready. Raises FailedError."""
        patience = self.patience.startup
        await connection.hear_a("hello", "its Hello", patience)
        for message in change(connection.welcome(patience)):
            connection.say(message)
        await connection.hear_a("ready", "its Ready", patience)
        return connection

    async def spare(self, connection: Connection | None) -> Connection:
        """A process of an earlier check, ready to play and not needed there any more; else a new one."""
        if connection is None:
            return await self.ready(await self.start())
        self._used = connection
        return connection

    def tables(self, connection: Connection) -> int:
        """At how many tables it says it can sit at once, in bot.toml and in Hello."""
        return min(self.bot.tables, connection.hello.capabilities.max_tables or 1)

    def batch(self, connection: Connection) -> int:
        """How many decisions of its tables it says one message may carry."""
        return min(connection.hello.capabilities.max_batch or 1, self.tables(connection))

    def player(self, connection: Connection, budget_ms: int = CALM_MS, change: Change = unchanged) -> Player:
        """Somebody to play games with it, asking what it wants to be asked and telling what it wants to be told."""
        able = connection.hello.capabilities
        manner = Manner(able.wants_events, able.wants_forced, budget_ms)
        return Player(connection, manner, change)

    def pace(self, tables: int = 1, batch: int = 1) -> Pace:
        """How to play, with the patience of this check."""
        return Pace(tables, batch, self.patience.answer)

    def deals(self, count: int, hands: int = 1) -> list[Deal]:
        """So many different games of the first variant that it plays, at its seats in turn."""
        variant = self.variants[0]
        seats = rules_of(variant).seats()
        return [Deal(variant, number % seats, hands=hands, number=number) for number in range(count)]

    def sure_deals(self, count: int) -> list[Deal]:
        """The same with hands so strong that it is asked something in every one."""
        return [replace(deal, strong=True) for deal in self.deals(count)]

    async def ping(self, connection: Connection, change: Change = unchanged) -> list[str]:
        """Send a Ping and wait for its Pong; the kinds of what came before it. Raises FailedError."""
        number = len(connection.opened) + 1
        for message in change(seat_pb2.PlayResponse(ping=seat_pb2.Ping(ping_id=number)).SerializeToString()):
            connection.say(message)
        before: list[str] = []
        awaited = f"a Pong with ping_id {number}"
        while True:
            said = (await connection.hear(awaited, self.patience.answer)).request
            if said.WhichOneof("message") != "pong":
                before.append(said.WhichOneof("message") or "nothing known")
            elif said.pong.ping_id == number:
                return before
            else:
                raise FailedError(f"it said Pong with ping_id {said.pong.ping_id}; {awaited} was due")

    async def evidence(self) -> Evidence | None:
        """What happened on the connection that was used last; it is closed, and a new main process will be started."""
        used = self._used or self.yard.latest
        if used is None:
            return None
        evidence = used.evidence
        await self.yard.close()
        self._used = self.main = self.tcp = self.several_versions = None
        return evidence
