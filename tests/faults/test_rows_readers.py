"""Readers of the pages who try to keep others from them (faults.md rows 53 to 56)."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import NoReturn, cast

import pytest
import trio

from bowerbird.harness.extras.serve.connections import BoundedListener
from bowerbird.harness.extras.serve.limits import Limits
from bowerbird.harness.extras.serve.server import bound
from bowerbird.harness.extras.serve.table_feed import TableFeeds, failure_event
from bowerbird.harness.extras.serve.table_stream import NOT_PLAYED
from bowerbird.harness.extras.watch.server import WatchServer
from bowerbird.harness.extras.watch.service import RunSource
from bowerbird.harness.watch.address import watch_address
from bowerbird.harness.watch.errors import NotFoundError
from bowerbird.harness.watch.feeds import TableFeed
from bowerbird.harness.watch.values import BotInfo, ClockInfo, TableInfo
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.records.live_games import LiveGame
from tests.support.records.stored_runs import store_run
from tests.support.referee.fault_matrix import Seen
from tests.support.serving import Served, served

PIECE = 50_000_000


MOST_WATCHED = 48
"""More than the forty threads that trio shares."""


class SilentTables:
    """The source of a run at whose tables nothing happens, as far as their spectators see."""

    def __init__(self) -> None:
        self.closing = threading.Event()
        self.watched: set[str] = set()

    def enter_table(self, game: str) -> TableFeed:
        self.watched.add(game)
        played = LiveGame("euchre")
        info = TableInfo(
            game, "euchre", {}, (BotInfo("ann", "1"), BotInfo("bob", "1")) * 2, 0, (0, -1, 0, -1), True,
            ClockInfo(1000, 5000, 0, 0),
        )  # fmt: skip
        return TableFeed(info, played.new_game, played.record.clocks, self.closing)

    def leave_table(self, feed: TableFeed) -> None:
        self.watched.discard(feed.info.game)


def no_thread(*_: object, **__: object) -> NoReturn:
    raise AssertionError("a table that is watched took a thread")


@pytest.mark.row(53)
@pytest.mark.usefixtures("runtime_folder")
async def test_watched_tables_take_no_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    """A run is watched over its own socket: each table is shown, and all end when nobody is watching any more."""
    database, run, source = tmp_path / "x.db", "4f1c9a7be2", SilentTables()
    server = WatchServer(cast(RunSource, source))
    server.start(watch_address(database, run))
    monkeypatch.setattr(trio.to_thread, "run_sync", no_thread)
    try:
        with trio.fail_after(DEADLINE_S):
            async with trio.open_nursery() as nursery:
                feeds = TableFeeds(database, nursery)
                async with AsyncExitStack() as looking:
                    for number in range(MOST_WATCHED):
                        updates = await looking.enter_async_context(feeds.look(run, f"game {number}"))
                        assert f"game {number}" in await anext(updates)
                    assert feeds.number == MOST_WATCHED
                while feeds.number:
                    await trio.sleep(0.001)
        while source.watched:  # the service checks at its own pace whether a spectator is there
            time.sleep(0.001)
    finally:
        source.closing.set()
        server.stop()
    seen(f"{MOST_WATCHED} tables watched, no thread taken")


@pytest.mark.row(53)
@pytest.mark.usefixtures("runtime_folder")
async def test_a_table_that_cannot_be_watched_says_why(tmp_path: Path) -> None:
    async with trio.open_nursery() as nursery, TableFeeds(tmp_path / "x.db", nursery).look("4f1c9a7be2", "x") as found:
        assert [event async for event in found] == [failure_event(NotFoundError(NOT_PLAYED))]


@pytest.mark.row(54)
async def test_a_network_of_64_bits_has_the_connections_of_one_reader(
    monkeypatch: pytest.MonkeyPatch, seen: Seen
) -> None:
    hosts = iter([*(f"2001:db8::{number:x}" for number in range(1, 4)), "2001:db8:0:1::1"])
    monkeypatch.setattr("bowerbird.harness.extras.serve.connections._address_of", lambda _stream: next(hosts))
    limits = Limits(connections_each=2)
    async with BoundedListener(bound("127.0.0.1", 0), limits, is_behind_proxy=False) as listener:
        clients = [await trio.open_tcp_stream("127.0.0.1", listener.port) for _ in range(4)]
        taken = [await listener.accept() for _ in range(3)]
        assert [stream.address for stream in taken] == ["2001:db8::/64"] * 2 + ["2001:db8:0:1::/64"]
        assert listener.counts.refused == 1
        for one in (*clients, *taken):
            await one.aclose()
    seen("the third of 2 connections of a /64 is refused, one of another network is not")


@pytest.mark.row(55)
async def test_a_reader_of_a_byte_now_and_then_is_cut_off(seen: Seen) -> None:
    """A second of the row is 5 ms here, and so are the limits of the server that are seconds."""
    limits = Limits(send_s=0.1, least_rate=1e9)
    async with BoundedListener(bound("127.0.0.1", 0), limits, is_behind_proxy=False) as listener:
        client = await trio.open_tcp_stream("127.0.0.1", listener.port)
        stream = await listener.accept()
        async with trio.open_nursery() as nursery:

            async def read() -> None:
                while await client.receive_some(1):
                    await trio.sleep(0.005)

            nursery.start_soon(read)
            with pytest.raises(trio.BrokenResourceError):
                await stream.send_all(bytes(PIECE))
            assert (listener.counts.cut, listener.counts.open) == (1, 0)
            nursery.cancel_scope.cancel()
        await client.aclose()
    seen("cut off; its place is free")


@pytest.mark.row(56)
def test_a_server_that_is_killed_harms_nothing_and_starts_again(bowerbird: Bowerbird, seen: Seen) -> None:
    db = bowerbird.folder / "x.db"
    run = store_run(db, variants=("euchre",))
    for _ in range(3):
        with suppress(AssertionError), served(db) as server:  # that it was killed
            shows(server, run)
            server.process.kill()
            server.process.wait(DEADLINE_S)
        assert server.process.returncode == -signal.SIGKILL
    with served(db) as server:
        shows(server, run)
    done = bowerbird.run(COMMAND, "verify", "--db", db)
    assert "no differences" in done.stdout, done.stderr
    seen("killed three times; it starts again and shows the same, the database is intact")


def shows(server: Served, run: str) -> None:
    answer = server.get("/")
    assert answer.status == 200
    assert run in answer.text
