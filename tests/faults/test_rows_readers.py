"""Readers of the pages that would keep others from them (faults.md rows 53 to 56)."""

from __future__ import annotations

import signal
import threading
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest
import trio

from bowerbird.harness.extras.serve import table_feed
from bowerbird.harness.extras.serve.connections import BoundedListener
from bowerbird.harness.extras.serve.limits import Limits
from bowerbird.harness.extras.serve.server import bound
from bowerbird.harness.extras.serve.table_feed import TableFeeds
from bowerbird.harness.watch.errors import RunGoneError
from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.records.stored_runs import store_run
from tests.support.referee.fault_matrix import Seen
from tests.support.serving import Served, served

PIECE = 50_000_000


class SilentRun:
    """A run at whose tables nothing happens until its client is closed."""

    def __init__(self) -> None:
        self.opened = 0
        self.closed = threading.Event()

    def connect_to(self, _database: Path, _run: str) -> SilentRun:
        return self

    def watch_table(self, _game: str) -> SilentRun:
        self.opened += 1
        return self

    def __enter__(self) -> SilentRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed.set()

    def __iter__(self) -> SilentRun:
        return self

    def __next__(self) -> None:
        self.closed.wait()
        raise RunGoneError("closed")


@pytest.mark.row(53)
async def test_watched_tables_take_no_thread_that_pages_share(monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    run = SilentRun()
    monkeypatch.setattr(table_feed, "connect_to", run.connect_to)
    async with trio.open_nursery() as nursery:
        feeds = TableFeeds(Path("x.db"), nursery, 48)
        async with AsyncExitStack() as looking:
            for number in range(48):
                await looking.enter_async_context(feeds.look("run", f"game {number}"))
            while run.opened < 48:
                await trio.sleep(0.001)
            assert feeds.number == 48
            assert trio.to_thread.current_default_thread_limiter().borrowed_tokens == 0
        while feeds.number:  # nobody looks any more: all end, though nothing happens at the tables
            await trio.sleep(0.001)
        nursery.cancel_scope.cancel()
    seen("48 tables watched, no shared thread taken")


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
