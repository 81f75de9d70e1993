"""Checks of broken connections, for bots that resume their session (seat.proto, "When the connection breaks").

Such bots can also run on other machines, so one check uses TLS.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps

from bowerbird.harness.extras.compliance.checks.leaving import half_a_game, how_it_ended
from bowerbird.harness.extras.compliance.checks.starting import NO_NETWORK
from bowerbird.harness.extras.compliance.driver.bot_under_test import BotUnderTest
from bowerbird.harness.extras.compliance.driver.connection import BotConnection, Disconnected, StreamRefused, Transport
from bowerbird.harness.extras.compliance.driver.game import Explorer, SeatGame
from bowerbird.harness.extras.compliance.driver.game_runner import GameRunner
from bowerbird.harness.extras.compliance.results import CheckFailedError, NotReachedError
from bowerbird.harness.extras.compliance.scenarios import Scenario
from bowerbird.harness.referee.connection.stream import Received, Refusal

RETRY_AFTER_MS = 1500
"""How long a bot is told to wait, which is longer than bots wait without being told."""

EARLY_MS = 20
"""How much too early a timer may fire."""

DOES_NOT_CLAIM = "not claimed"
NEXT_HELLO = "a Hello with the session_secret of its last Welcome"

Check = Callable[[BotUnderTest], Awaitable[str]]


def _if_it_resumes(check: Check) -> Check:
    """Pass every bot that does not set Capabilities.resume, since the check does not apply to it."""

    @wraps(check)
    async def checked(bot: BotUnderTest) -> str:
        if not await _claims_to_resume(bot):
            return DOES_NOT_CLAIM
        found = await check(bot)
        await bot.close_used()  # each of these checks starts its own process
        return found

    return checked


@_if_it_resumes
async def resumes(bot: BotUnderTest) -> str:
    """Break the connection while a decision is open. The bot must return with its secret and answer again."""
    connection = await _begin(bot)
    runner, game = _ask_first(bot, connection)
    connection.lose_stream()
    hello = (await _welcome_back(bot, connection)).request.hello
    if hello.token:
        raise CheckFailedError("its Hello has its token, too; a Hello with a session_secret must not have one")
    runner.repeat()
    await runner.take_answers([game], bot.timeouts.answer)
    return ""


@_if_it_resumes
async def sends_the_latest_secret(bot: BotUnderTest) -> str:
    """Break only the bot's side, twice. The first secret is invalid once the bot has returned."""
    connection = await _begin(bot, Transport.RELAYED)
    runner = bot.runner(connection)
    for scenario in bot.strong_scenarios(2):
        await _return_half_open(bot, connection, runner, scenario)
    return ""


@_if_it_resumes
async def says_ready_again(bot: BotUnderTest) -> str:
    """Lose the bot's Ready with its stream, so that the second Welcome awaits another."""
    connection = await _begin(bot)
    connection.passed_over = frozenset()
    connection.lose_stream()
    await _welcome_back(bot, connection, startup=bot.timeouts.startup)
    await connection.receive_kind(
        "ready", "a second Ready, which its second Welcome awaits (awaits_ready)", bot.timeouts.startup
    )
    await half_a_game(bot, connection)
    return ""


@_if_it_resumes
async def says_ready_once(bot: BotUnderTest) -> str:
    """Break the connection after Ready has arrived, so that the second Welcome does not await another."""
    connection = await _begin(bot)
    connection.passed_over = frozenset()
    connection.lose_stream()
    await _welcome_back(bot, connection)
    await half_a_game(bot, connection)
    more = await bot.ping(connection) if bot.answers_pings else []
    if more:
        raise CheckFailedError(f"it sent {', '.join(more)} after its answer, on a stream that awaits no Ready")
    return ""


@_if_it_resumes
async def returns_again_at_once(bot: BotUnderTest) -> str:
    """Break the stream again before its Welcome is sent, and again right after that."""
    connection = await _begin(bot)
    runner, game = _ask_first(bot, connection)
    connection.lose_stream()
    await connection.receive_kind("hello", NEXT_HELLO, bot.timeouts.answer)
    connection.lose_stream()
    await _welcome_back(bot, connection)
    connection.lose_stream()
    await _welcome_back(bot, connection)
    runner.repeat()
    await runner.take_answers([game], bot.timeouts.answer)
    return ""


@_if_it_resumes
async def waits_when_told(bot: BotUnderTest) -> str:
    """Refuse the stream that resumes the session, with a time to wait. The next stream must not come sooner."""
    connection = await _begin(bot)
    runner, game = _ask_first(bot, connection)
    sentence = f"this is a test: come again in {RETRY_AFTER_MS} ms"
    connection.refuse_next(Refusal("BUSY", sentence, RETRY_AFTER_MS))
    connection.lose_stream()
    refused = await _refused(bot, connection)
    if refused.code != "BUSY":
        raise CheckFailedError(f"its stream was refused: {refused.why}")
    waited_ms = ((await _welcome_back(bot, connection)).arrival_ns - refused.at_ns) // 1_000_000
    found = f"after {waited_ms} ms of {RETRY_AFTER_MS} ms"
    if waited_ms < RETRY_AFTER_MS - EARLY_MS:
        raise CheckFailedError(f"it came again {found} (Error.retry_after_ms)")
    runner.repeat()
    await runner.take_answers([game], bot.timeouts.answer)
    return found


async def ends_when_refused(bot: BotUnderTest) -> str:
    """End the session: while the connection is broken if the bot resumes, or else in the middle of a game."""
    timeout = bot.timeouts.exit
    if not await _claims_to_resume(bot):
        connection = await bot.ready(await bot.start())
        await half_a_game(bot, connection)
        connection.refuse(Refusal("REFEREE", "this is a test: the referee ends the session"))
        return how_it_ended(connection, await connection.wait_exit(timeout, 1))
    connection = await _begin(bot)
    _ask_first(bot, connection)
    connection.end_session()
    connection.lose_stream()
    await _refused(bot, connection)
    if isinstance(await connection.next_event(timeout), StreamRefused):
        raise CheckFailedError("it reconnected after an Error SESSION_OVER, which is fatal and not retryable")
    return how_it_ended(connection, await connection.wait_exit(timeout, 1))


@_if_it_resumes
async def plays_over_tls(bot: BotUnderTest) -> str:
    """Play over TLS with our own certificate, and break the bot's side of the connection once.

    Only bots that resume are checked, since they are made for other machines. Other bots may lack TLS.
    """
    if bot.is_sandboxed:
        raise NotReachedError(NO_NETWORK)
    connection = await _begin(bot, Transport.TLS)
    await _return_half_open(bot, connection, bot.runner(connection), bot.strong_scenarios(1)[0])
    return ""


@_if_it_resumes
async def dials_again_over_tls(bot: BotUnderTest) -> str:
    """Break the first stream before its Welcome, when the token is not used up and the bot has no secret."""
    if bot.is_sandboxed:
        raise NotReachedError(NO_NETWORK)
    connection = await bot.start(transport=Transport.TLS)
    await connection.receive_kind("hello", "its Hello", bot.timeouts.startup)
    connection.lose_stream(half_open=True)
    await connection.receive_kind("hello", "a second Hello with its token", bot.timeouts.answer)
    connection.send(connection.welcome(bot.timeouts.startup, resume=bot.timeouts.answer))
    await connection.receive_kind("ready", "its Ready", bot.timeouts.startup)
    await half_a_game(bot, connection)
    return ""


async def _claims_to_resume(bot: BotUnderTest) -> bool:
    return (await bot.connected()).hello.capabilities.resume


async def _begin(bot: BotUnderTest, transport: Transport = Transport.UNIX) -> BotConnection:
    """Start a process and bring it to Ready, with a secret. Another check is about a second Ready."""
    connection = await bot.start(transport=transport)
    await connection.receive_kind("hello", "its Hello", bot.timeouts.startup)
    connection.send(connection.welcome(bot.timeouts.startup, resume=bot.timeouts.answer))
    await connection.receive_kind("ready", "its Ready", bot.timeouts.startup)
    connection.passed_over = frozenset({"ready"})
    return connection


async def _welcome_back(bot: BotUnderTest, connection: BotConnection, startup: float | None = None) -> Received:
    """Wait for the bot to return, send a Welcome, and return its Hello. `startup` is set if Ready is awaited."""
    hello = await connection.receive_kind("hello", NEXT_HELLO, bot.timeouts.answer)
    connection.send(connection.welcome(startup, resume=bot.timeouts.answer))
    return hello


async def _refused(bot: BotUnderTest, connection: BotConnection) -> StreamRefused:
    """Wait for the bot to return, and return its refusal. Raises CheckFailedError if the bot does not come."""
    match await connection.next_event(bot.timeouts.answer):
        case StreamRefused() as refused:
            return refused
        case Disconnected(how=how):
            raise CheckFailedError(f"{how}; expected {NEXT_HELLO}")
    raise CheckFailedError(f"no Hello came within {bot.timeouts.answer:g} s; expected {NEXT_HELLO}")


def _ask_first(bot: BotUnderTest, connection: BotConnection) -> tuple[GameRunner, SeatGame]:
    """Open a game and ask for its first decision."""
    runner = bot.runner(connection)
    game = runner.open(bot.strong_scenarios(1)[0], Explorer())
    game.advance()
    runner.request([game])
    return runner, game


async def _return_half_open(
    bot: BotUnderTest, connection: BotConnection, runner: GameRunner, scenario: Scenario
) -> None:
    """Break the bot's side of the connection while a decision is open, and close the table once it is answered."""
    game = runner.open(scenario, Explorer())
    game.advance()
    runner.request([game])
    connection.lose_stream(half_open=True)
    await _welcome_back(bot, connection)
    runner.repeat()
    await runner.take_answers([game], bot.timeouts.answer)
    runner.abandon(game)
