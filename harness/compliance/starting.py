"""Checks of the beginning: start, Hello, Welcome, Ready, Ping; and of the protocol's version."""

from __future__ import annotations

import time

from harness.compliance.bench import Bench
from harness.compliance.connection import TCP, Connection, Gone, Refused
from harness.compliance.verdict import FailedError, NotTriedError, counted
from harness.referee import messages
from harness.referee.doorstep import PROTOCOL_VERSION
from harness.referee.server import Malformed, Said

NO_SUCH_VERSION = 99
"""A protocol version that no bot can speak."""


async def says_hello(bench: Bench) -> str:
    """The first message is a Hello; whether its token is right is the next check's."""
    begin = time.monotonic()
    connection = bench.main = await bench.start()
    match await connection.next(bench.patience.startup):
        case Said():
            pass
        case Refused(why=why, hello=hello):
            if not hello:
                raise FailedError(f"its stream was refused: {why}")
            bench.refused = why
        case Gone(how=how):
            raise FailedError(f"{how}; its Hello was due")
        case Malformed(why=why):
            raise FailedError(f"it sent {why}; its Hello was due")
        case None:
            raise FailedError(f"no Hello came in {bench.patience.startup:g} s")
    return f"after {_ms(begin)}"


async def sends_the_token(bench: Bench) -> str:
    """The server has judged it already."""
    if bench.refused:
        raise FailedError(f"its stream was refused: {bench.refused}")
    return ""


async def names_the_version(bench: Bench) -> str:
    """Hello.protocol_versions holds ours."""
    versions = list(_main(bench).hello.protocol_versions)
    if PROTOCOL_VERSION not in versions:
        raise FailedError(f"protocol_versions of its Hello is {versions}, and {PROTOCOL_VERSION} is not in it")
    return ""


async def gets_ready(bench: Bench) -> str:
    """Ready comes, and nothing before it."""
    begin = time.monotonic()
    connection = _main(bench)
    connection.say(connection.welcome(bench.patience.startup))
    await connection.hear_a("ready", "its Ready", bench.patience.startup)
    able = connection.hello.capabilities
    wants = [name for name in ("wants_events", "wants_forced", "resume") if getattr(able, name)]
    says = f"{counted(bench.tables(connection), 'table')}, {counted(bench.batch(connection), 'decision')} a message"
    return f"after {_ms(begin)}; it says: {', '.join((says, *wants))}"


async def answers_a_ping(bench: Bench) -> str:
    """Twice, so that an id that never changes shows."""
    connection = await bench.connected()
    for _ in range(2):
        before = await bench.ping(connection)
        if before:
            raise FailedError(f"it said {', '.join(before)} without having been asked")
    bench.pings = True
    return ""


async def dials_tcp(bench: Bench) -> str:
    """A host and a port as the address."""
    if bench.is_sandboxed:
        raise NotTriedError("a sandbox has no network; --isolation limits tries it")
    bench.tcp = await bench.ready(await bench.start(transport=TCP))
    await bench.player(bench.tcp).play(bench.deals(1), bench.pace())
    return ""


async def finds_its_version(bench: Bench) -> str:
    """BOWERBIRD_PROTOCOLS is a list: a later referee speaks more than one."""
    protocols = f"{PROTOCOL_VERSION},{NO_SUCH_VERSION}"
    bench.several_versions = await bench.ready(await bench.start(protocols=protocols))
    return f"BOWERBIRD_PROTOCOLS={protocols}"


async def refuses_a_version(bench: Bench) -> str:
    """It ends by itself: at once, or when it is told in an Error that is fatal."""
    connection = await bench.start(protocols=str(NO_SUCH_VERSION))
    process = connection.process
    assert process is not None
    told = ""
    match await connection.next(bench.patience.startup):
        case Said(request=request):
            if NO_SUCH_VERSION in request.hello.protocol_versions:
                raise FailedError(f"its Hello says that it speaks version {NO_SUCH_VERSION}, which does not exist")
            sentence = f"the referee speaks protocol version {NO_SUCH_VERSION}"
            connection.say(messages.error("VERSION", sentence, fatal=True))
            connection.finish()
            told = " after the Error"
        case None:
            raise FailedError(f"it neither said Hello nor ended in {bench.patience.startup:g} s")
    await connection.left(bench.patience.exit)
    assert process.how is not None
    if process.how.status < 0:
        raise FailedError(f"it ended with {process.how}; it should say why it cannot play, and exit")
    return f"{process.how}{told}"


def _main(bench: Bench) -> Connection:
    """The process that the checks before have brought so far."""
    assert bench.main is not None
    return bench.main


def _ms(begin: float) -> str:
    return f"{(time.monotonic() - begin) * 1000:.0f} ms"
