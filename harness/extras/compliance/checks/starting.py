"""Checks of the beginning of a session: start, Hello, Welcome, Ready, Ping, and the protocol version."""

from __future__ import annotations

import time

from bowerbird.engine import counted
from bowerbird.harness.extras.compliance.driver.bot_under_test import BotUnderTest
from bowerbird.harness.extras.compliance.driver.connection import BotConnection, Disconnected, StreamRefused, Transport
from bowerbird.harness.extras.compliance.results import CheckFailedError, NotReachedError
from bowerbird.harness.referee.connection.endpoint import PROTOCOL_VERSION
from bowerbird.harness.referee.connection.stream import Malformed, Received, Refusal

NO_SUCH_VERSION = 99
"""A protocol version that no bot can support."""

NO_NETWORK = "a sandbox has no network; use --isolation limits to check it"


async def says_hello(bot: BotUnderTest) -> str:
    """Wait for the Hello. The next check looks at its token."""
    begin = time.monotonic()
    connection = bot.main = await bot.start()
    match await connection.next_event(bot.timeouts.startup):
        case Received():
            pass
        case StreamRefused(why=why, has_hello=has_hello):
            if not has_hello:
                raise CheckFailedError(f"its stream was refused: {why}")
            bot.refused = why
        case Disconnected(how=how):
            raise CheckFailedError(f"{how}; expected its Hello")
        case Malformed(why=why):
            raise CheckFailedError(f"it sent {why}; expected its Hello")
        case None:
            raise CheckFailedError(f"no Hello came within {bot.timeouts.startup:g} s")
    return f"after {_ms(begin)}"


async def sends_the_token(bot: BotUnderTest) -> str:
    """Check that the server accepted the token."""
    if bot.refused:
        raise CheckFailedError(f"its stream was refused: {bot.refused}")
    return ""


async def names_the_version(bot: BotUnderTest) -> str:
    """Look for version 1 in Hello.protocol_versions."""
    versions = list(_main(bot).hello.protocol_versions)
    if PROTOCOL_VERSION not in versions:
        raise CheckFailedError(f"protocol_versions of its Hello is {versions}, without {PROTOCOL_VERSION}")
    return ""


async def gets_ready(bot: BotUnderTest) -> str:
    """Send Welcome; the next message must be Ready."""
    begin = time.monotonic()
    connection = _main(bot)
    connection.send(connection.welcome(bot.timeouts.startup))
    await connection.receive_kind("ready", "its Ready", bot.timeouts.startup)
    able = connection.hello.capabilities
    wants = [name for name in ("wants_events", "wants_forced", "resume") if getattr(able, name)]
    says = f"{counted(bot.tables(connection), 'table')}, {counted(bot.batch(connection), 'decision')} a message"
    return f"after {_ms(begin)}; it says: {', '.join((says, *wants))}"


async def answers_a_ping(bot: BotUnderTest) -> str:
    """Send two Pings, since a single one would not reveal a constant id."""
    connection = await bot.connected()
    for _ in range(2):
        before = await bot.ping(connection)
        if before:
            raise CheckFailedError(f"it sent {', '.join(before)} unasked")
    bot.answers_pings = True
    return ""


async def dials_tcp(bot: BotUnderTest) -> str:
    """Play a game over a TCP address (host and port)."""
    if bot.is_sandboxed:
        raise NotReachedError(NO_NETWORK)
    bot.tcp = await bot.ready(await bot.start(transport=Transport.TCP))
    await bot.runner(bot.tcp).play(bot.strong_scenarios(1), bot.limits())
    return ""


async def finds_its_version(bot: BotUnderTest) -> str:
    """List several versions in BOWERBIRD_PROTOCOLS, as a later referee will."""
    protocols = f"{PROTOCOL_VERSION},{NO_SUCH_VERSION}"
    bot.several_versions = await bot.ready(await bot.start(protocols=protocols))
    return f"BOWERBIRD_PROTOCOLS={protocols}"


async def refuses_a_version(bot: BotUnderTest) -> str:
    """Offer only an unknown version. The process must exit, at once or after a fatal Error."""
    connection = await bot.start(protocols=str(NO_SUCH_VERSION))
    process = connection.process
    assert process is not None, "`start` has returned"
    after = ""
    match await connection.next_event(bot.timeouts.startup):
        case Received(request=request):
            if NO_SUCH_VERSION in request.hello.protocol_versions:
                raise CheckFailedError(f"its Hello claims version {NO_SUCH_VERSION}, which does not exist")
            connection.refuse(Refusal("VERSION", f"the referee speaks protocol version {NO_SUCH_VERSION}"))
            after = " after the Error"
        case None:
            raise CheckFailedError(f"it neither sent a Hello nor exited within {bot.timeouts.startup:g} s")
    await connection.wait_exit(bot.timeouts.exit)
    assert process.exit_status is not None, "`wait_exit` has returned"
    if process.exit_status.status < 0:
        raise CheckFailedError(f"it ended with {process.exit_status}; it should say why it cannot play, and exit")
    return f"{process.exit_status}{after}"


def _main(bot: BotUnderTest) -> BotConnection:
    """Return the main process, which an earlier check has started."""
    assert bot.main is not None, "the check needs requirement 1, which sets it"
    return bot.main


def _ms(begin: float) -> str:
    return f"{(time.monotonic() - begin) * 1000:.0f} ms"
