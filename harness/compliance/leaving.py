"""Checks of the end: Goodbye, the end of the stream, a broken connection, and what is left behind."""

from __future__ import annotations

import secrets

from harness.compliance.bench import Bench
from harness.compliance.connection import Connection
from harness.compliance.game import Explorer
from harness.compliance.playing import Change, unchanged
from harness.compliance.strange import with_fields, with_values
from harness.compliance.verdict import FailedError, NotTriedError
from harness.referee import messages


async def exits_on_goodbye(bench: Bench) -> str:
    """The process ends by itself."""
    connection = await bench.connected()
    bench.left_by_goodbye = connection.process
    bench.main = None
    return await _say_goodbye(bench, connection)


async def leaves_no_process(bench: Bench) -> str:
    """The launcher saw what was left when the process ended."""
    if bench.is_sandboxed:
        raise NotTriedError("a sandbox ends with all that is in it; --isolation limits tries it")
    process = bench.left_by_goodbye
    assert process is not None
    if process.left:
        raise FailedError(f"it ended, and left running: {', '.join(process.left)}")
    return ""


async def exits_at_the_end(bench: Bench) -> str:
    """The referee ends the stream in the middle of a game."""
    connection, bench.tcp = await bench.spare(bench.tcp), None
    await _half_a_game(bench, connection)
    connection.finish()
    return _how(connection, await connection.left(bench.patience.exit))


async def exits_when_cut(bench: Bench) -> str:
    """The connection breaks in the middle of a game."""
    connection, bench.several_versions = await bench.spare(bench.several_versions), None
    await _half_a_game(bench, connection)
    await connection.cut()
    return _how(connection, await connection.left(bench.patience.exit))


async def ignores_fields(bench: Bench) -> str:
    """From Welcome to Goodbye."""
    connection = await bench.ready(await bench.start(), with_fields)
    await bench.player(connection, change=with_fields).play(bench.deals(2, hands=2), bench.pace())
    for message in with_fields(messages.error("ILLEGAL", "this is a try, nothing was wrong")):
        connection.say(message)
    if bench.pings:
        await bench.ping(connection, with_fields)
    await bench.player(connection, change=with_fields).play(bench.deals(1), bench.pace())
    return await _say_goodbye(bench, connection, with_fields)


async def bears_values(bench: Bench) -> str:
    """Fault policy, kind of fault, code of an Error, reason of the Goodbye."""
    connection = await bench.ready(await bench.start())
    await bench.player(connection, change=with_values).play(bench.deals(2), bench.pace())
    for message in with_values(messages.error("ILLEGAL", "this is a try, nothing was wrong")):
        connection.say(message)
    await bench.player(connection, change=with_values).play(bench.deals(1), bench.pace())
    return await _say_goodbye(bench, connection, with_values)


async def resumes(bench: Bench) -> str:
    """The connection breaks while a decision is open; it comes back with its secret, and answers when asked again."""
    if not (await bench.connected()).hello.capabilities.resume:
        return "it does not say that it can"
    connection = await bench.start()
    patience = bench.patience.answer
    await connection.hear_a("hello", "its Hello", bench.patience.startup)
    secret = secrets.token_urlsafe(16)
    connection.say(connection.welcome(bench.patience.startup, session_secret=secret, resume=patience))
    await connection.hear_a("ready", "its Ready", bench.patience.startup)
    player = bench.player(connection)
    game = player.open(bench.sure_deals(1)[0], Explorer())
    game.advance()
    player.request([game])
    connection.lose(secret)
    awaited = "a second Hello, with the session_secret of its Welcome"
    await connection.hear_a("hello", awaited, patience, after="decisions")  # a quick bot answered before it was cut
    connection.say(connection.welcome(bench.patience.startup, session_secret=secret, resume=patience))
    connection.say(game.opened())
    await player.ask([game], patience)
    return ""


async def _half_a_game(bench: Bench, connection: Connection) -> None:
    """One decision of a game that is not finished."""
    player = bench.player(connection)
    game = player.open(bench.sure_deals(1)[0], Explorer())
    game.advance()
    await player.ask([game], bench.patience.answer)


async def _say_goodbye(bench: Bench, connection: Connection, change: Change = unchanged) -> str:
    """Say it, end the stream, and see the process end by itself."""
    for message in change(messages.goodbye("FINISHED", grace_ms=int(bench.patience.exit * 1000))):
        connection.say(message)
    connection.finish()
    return _how(connection, await connection.left(bench.patience.exit))


def _how(connection: Connection, seconds: float) -> str:
    assert connection.process is not None
    return f"{connection.process.how} after {seconds * 1000:.0f} ms"
