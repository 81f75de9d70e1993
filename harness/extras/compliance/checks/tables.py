"""Checks of one variant, of several tables at once, and of messages that a referee may send between decisions."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable

from bowerbird.engine import counted
from bowerbird.harness.extras.compliance.driver.bot_under_test import SEVERAL, BotUnderTest
from bowerbird.harness.extras.compliance.driver.game import Explorer
from bowerbird.harness.extras.compliance.driver.mutators import surround_with_unknown_messages
from bowerbird.harness.extras.compliance.results import NotReachedError
from bowerbird.harness.extras.compliance.scenarios import scenarios_of
from bowerbird.harness.referee.connection import messages
from bowerbird.seat.v1 import seat_pb2

BUDGET_MS = 5
"""The budget of a decision: small, because there are many decisions. No check here times the answers."""


async def plays(variant: str, bot: BotUnderTest) -> str:
    """Play all scenarios of a variant, several at once.

    Games that a slow bot cannot finish in time do not count against it.
    """
    connection = await bot.connected()
    runner = bot.runner(connection, BUDGET_MS)
    explorer = Explorer()
    scenarios = deque(scenarios_of(variant))
    games = len(scenarios)
    end = time.monotonic() + bot.timeouts.variant
    while scenarios:
        if time.monotonic() >= end:
            raise NotReachedError(
                f"{games - len(scenarios)} of {games} games passed within {bot.timeouts.variant:g} s; "
                "the others were not played"
            )
        some = [scenarios.popleft() for _ in range(min(len(scenarios), bot.tables_tried))]
        await runner.play(some, bot.limits(bot.tables_tried, bot.batch_tried), explorer)
    return (
        f"{counted(games, 'game')}, {counted(runner.answers, 'decision')}; asked: {', '.join(sorted(explorer.asked))}"
    )


async def keeps_tables_apart(bot: BotUnderTest) -> str:
    """Play several games, one decision at a time, the tables in turn; open new tables while others are in play."""
    connection = await bot.connected()
    tables = min(SEVERAL, bot.tables(connection))
    await bot.runner(connection).play(bot.scenarios(tables + tables // 2), bot.limits(tables))
    bot.tables_tried = tables
    return f"{tables} tables" if tables > 1 else "it claims only one table at a time"


async def answers_several(bot: BotUnderTest) -> str:
    """Play several games with several decisions in each message."""
    connection = await bot.connected()
    batch = min(SEVERAL, bot.batch(connection))
    await bot.runner(connection).play(bot.scenarios(batch + batch // 2), bot.limits(batch, batch))
    bot.batch_tried = batch
    return f"{batch} decisions" if batch > 1 else "it claims only one decision at a time"


async def answers_the_most(bot: BotUnderTest) -> str:
    """Open as many tables and ask as many decisions in one message as the bot claims, then abandon the games."""
    connection = await bot.connected()
    tables, batch = bot.tables(connection), bot.batch(connection)
    runner = bot.runner(connection)
    explorer = Explorer()
    games = [runner.open(scenario, explorer) for scenario in bot.strong_scenarios(tables)]
    waiting = [game for game in games if game.advance()]
    asked = waiting[-batch:]
    await runner.ask(asked, bot.timeouts.answer)
    for game in games:
        runner.abandon(game)
    return f"{counted(len(asked), 'decision')} in a message, {counted(tables, 'table')}"


async def tolerates_a_closed_table(bot: BotUnderTest) -> str:
    """Abandon games while their decisions are open, and ignore the answers."""
    connection = await bot.connected()
    runner = bot.runner(connection)
    for scenario in bot.strong_scenarios(3):
        game = runner.open(scenario, Explorer())
        game.advance()
        runner.request([game])
        runner.abandon(game)
    await runner.play(bot.strong_scenarios(1), bot.limits())
    return ""


async def tolerates_an_error(bot: BotUnderTest) -> str:
    """Send a non-fatal Error about a table in play."""
    await bot.runner(await bot.connected(), mutate=_with_an_error).play(bot.strong_scenarios(1), bot.limits())
    return ""


def _with_an_error(message: bytes) -> Iterable[bytes]:
    response = seat_pb2.PlayResponse.FromString(message)
    if response.WhichOneof("message") != "table_opened":
        return (message,)
    table = response.table_opened.table_id
    return (message, messages.error("ILLEGAL", "this is a test, nothing is wrong", table_id=table))


async def ignores_messages(bot: BotUnderTest) -> str:
    """Send unknown messages before and after every message of a game."""
    connection = await bot.connected()
    games = bot.strong_scenarios(1) + bot.scenarios(1)
    runner = bot.runner(connection, mutate=surround_with_unknown_messages)
    await runner.play(games, bot.limits(bot.tables_tried))
    return ""


async def plays_on_after_output(bot: BotUnderTest) -> str:
    """Play a game after all the output so far. A bot whose output is not drained would block."""
    connection = await bot.connected()
    await bot.runner(connection).play(bot.strong_scenarios(1), bot.limits())
    written = connection.output_bytes
    return f"it wrote {written} bytes" if written else "it wrote nothing"
