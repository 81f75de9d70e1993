"""Checks of several tables at once, and of what a referee may say between decisions."""

from __future__ import annotations

from collections.abc import Iterable

from harness.compliance.bench import SEVERAL, Bench
from harness.compliance.game import Explorer
from harness.compliance.strange import with_messages
from harness.compliance.verdict import counted
from harness.referee import messages
from harness.v1 import seat_pb2


async def keeps_tables_apart(bench: Bench) -> str:
    """Several games, one decision at a time, the tables in turn; new ones open while others are in play."""
    connection = await bench.connected()
    tables = min(SEVERAL, bench.tables(connection))
    await bench.player(connection).play(bench.deals(tables + tables // 2), bench.pace(tables))
    bench.tables_tried = tables
    return f"{tables} tables" if tables > 1 else "it says that it sits at one table at a time"


async def answers_several(bench: Bench) -> str:
    """The same with several decisions in each message."""
    connection = await bench.connected()
    batch = min(SEVERAL, bench.batch(connection))
    await bench.player(connection).play(bench.deals(batch + batch // 2), bench.pace(batch, batch))
    bench.batch_tried = batch
    return f"{batch} decisions" if batch > 1 else "it says that it takes one decision at a time"


async def answers_the_most(bench: Bench) -> str:
    """As many tables as it says, and then as many decisions in one message; the games are broken off after it."""
    connection = await bench.connected()
    tables, batch = bench.tables(connection), bench.batch(connection)
    player = bench.player(connection)
    explorer = Explorer()
    games = [player.open(deal, explorer) for deal in bench.sure_deals(tables)]
    waiting = [game for game in games if game.advance()]
    asked = waiting[-batch:]
    await player.ask(asked, bench.patience.answer)
    for game in games:
        player.abandon(game)
    return f"{counted(len(asked), 'decision')} in a message, {counted(tables, 'table')}"


async def bears_a_table_that_closes(bench: Bench) -> str:
    """A game is broken off while its decision is open; its answer may come, and is ignored."""
    connection = await bench.connected()
    player = bench.player(connection)
    for deal in bench.sure_deals(3):
        game = player.open(deal, Explorer())
        game.advance()
        player.request([game])
        player.abandon(game)
    await player.play(bench.deals(1), bench.pace())
    return ""


async def bears_an_error(bench: Bench) -> str:
    """An Error about a table at which it plays, not fatal."""
    await bench.player(await bench.connected(), change=_with_an_error).play(bench.deals(1), bench.pace())
    return ""


def _with_an_error(message: bytes) -> Iterable[bytes]:
    response = seat_pb2.PlayResponse.FromString(message)
    if response.WhichOneof("message") != "table_opened":
        return (message,)
    table = response.table_opened.table_id
    return (message, messages.error("ILLEGAL", "this is a try, nothing was wrong", table_id=table))


async def ignores_messages(bench: Bench) -> str:
    """Before and after everything that is said in a game."""
    connection = await bench.connected()
    await bench.player(connection, change=with_messages).play(bench.deals(2), bench.pace(bench.tables_tried))
    return ""


async def plays_on_after_output(bench: Bench) -> str:
    """What it has written so far was drained; it still answers."""
    connection = await bench.connected()
    await bench.player(connection).play(bench.deals(1), bench.pace())
    written = connection.written
    return f"it wrote {written} bytes" if written else "it wrote nothing"
