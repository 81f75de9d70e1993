"""Checks of the end of a session: Goodbye, the end of the stream, a broken connection, processes left behind."""

from __future__ import annotations

from bowerbird.harness.extras.compliance.driver.bot_under_test import BotUnderTest
from bowerbird.harness.extras.compliance.driver.connection import BotConnection
from bowerbird.harness.extras.compliance.driver.game import Explorer
from bowerbird.harness.extras.compliance.driver.mutators import (
    MessageMutator,
    add_unknown_fields,
    set_unknown_values,
    unchanged,
)
from bowerbird.harness.extras.compliance.results import CheckFailedError, NotReachedError
from bowerbird.harness.referee.connection import messages


async def exits_on_goodbye(bot: BotUnderTest) -> str:
    """Send Goodbye; the process must exit."""
    connection = await bot.connected()
    bot.left_by_goodbye = connection.process
    bot.main = None
    return await _say_goodbye(bot, connection)


async def leaves_no_process(bot: BotUnderTest) -> str:
    """Check that the supervisor saw no processes after the bot's process had ended."""
    if bot.is_sandboxed:
        raise NotReachedError("a sandbox ends all its processes; use --isolation limits to check it")
    process = bot.left_by_goodbye
    assert process is not None, "the check needs requirement 17, which sets it"
    if process.left_running:
        raise CheckFailedError(f"it exited and left these processes running: {', '.join(process.left_running)}")
    return ""


async def exits_at_the_end(bot: BotUnderTest) -> str:
    """End the stream in the middle of a game."""
    connection, bot.tcp = await bot.reuse(bot.tcp), None
    await half_a_game(bot, connection)
    connection.end_stream()
    return how_it_ended(connection, await connection.wait_exit(bot.timeouts.exit, 0))


async def exits_when_cut(bot: BotUnderTest) -> str:
    """Break the connection in the middle of a game."""
    connection, bot.several_versions = await bot.reuse(bot.several_versions), None
    await half_a_game(bot, connection)
    await connection.cut()
    return how_it_ended(connection, await connection.wait_exit(bot.timeouts.exit, 0))


async def ignores_fields(bot: BotUnderTest) -> str:
    """Add unknown fields to all messages from Welcome to Goodbye."""
    connection = await bot.ready(await bot.start(), add_unknown_fields)
    games = bot.strong_scenarios(1) + bot.scenarios(1, hands=2)
    await bot.runner(connection, mutate=add_unknown_fields).play(games, bot.limits())
    for message in add_unknown_fields(messages.error("ILLEGAL", "this is a test, nothing is wrong")):
        connection.send(message)
    if bot.answers_pings:
        await bot.ping(connection, add_unknown_fields)
    await bot.runner(connection, mutate=add_unknown_fields).play(bot.strong_scenarios(1), bot.limits())
    return await _say_goodbye(bot, connection, add_unknown_fields)


async def tolerates_values(bot: BotUnderTest) -> str:
    """Send unknown values of the enums in TableOpened, HandEnded, TableClosed, Error and Goodbye."""
    connection = await bot.ready(await bot.start())
    games = bot.strong_scenarios(1) + bot.scenarios(1)
    await bot.runner(connection, mutate=set_unknown_values).play(games, bot.limits())
    for message in set_unknown_values(messages.error("ILLEGAL", "this is a test, nothing is wrong")):
        connection.send(message)
    await bot.runner(connection, mutate=set_unknown_values).play(bot.strong_scenarios(1), bot.limits())
    return await _say_goodbye(bot, connection, set_unknown_values)


async def half_a_game(bot: BotUnderTest, connection: BotConnection) -> None:
    """Play one decision of a game, and leave the game open."""
    runner = bot.runner(connection)
    game = runner.open(bot.strong_scenarios(1)[0], Explorer())
    game.advance()
    await runner.ask([game], bot.timeouts.answer)


async def _say_goodbye(bot: BotUnderTest, connection: BotConnection, change: MessageMutator = unchanged) -> str:
    """Send Goodbye, end the stream, and wait for the process to exit."""
    for message in change(messages.goodbye("FINISHED", grace_ms=int(bot.timeouts.exit * 1000))):
        connection.send(message)
    connection.end_stream()
    return how_it_ended(connection, await connection.wait_exit(bot.timeouts.exit, 0))


def how_it_ended(connection: BotConnection, seconds: float) -> str:
    """Return how the process ended, and that it took `seconds`."""
    assert connection.process is not None, "`wait_exit` has returned"
    return f"{connection.process.exit_status} after {seconds * 1000:.0f} ms"
