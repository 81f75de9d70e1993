"""The service over a real socket: what it answers, what it refuses, what a slow spectator loses."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from socket import AF_UNIX, SHUT_WR, socket

import grpc
import pytest

from bowerbird.harness.extras.serve import table_stream
from bowerbird.harness.extras.watch.client import WatchClient, connect_to
from bowerbird.harness.extras.watch.server import WatchServer
from bowerbird.harness.extras.watch.service import MAX_REQUEST, MOST_STREAMS, RunningService, RunSource
from bowerbird.harness.records.replay.frames import Frame
from bowerbird.harness.records.values.live import GONE, LiveEnd, LiveSteps
from bowerbird.harness.referee.remote.certificate import self_signed
from bowerbird.harness.watch.address import is_listening, private_folder, watch_address
from bowerbird.harness.watch.errors import NotFoundError, NotOpenError, RunGoneError, TooManyError, WatchError
from bowerbird.harness.watch.feeds import MOST_ACTIONS, OPEN_S, QUEUE_UPDATES, Budget, RunFeed, TableFeed
from bowerbird.harness.watch.values import (
    BotFailed,
    BotInfo,
    ClockInfo,
    DealSet,
    GameOutcome,
    GamesOpened,
    Lost,
    RoundBegan,
    RunInfo,
    RunOver,
    RunUpdate,
    SetFinished,
    SetVoided,
    Standing,
    Standings,
    TableEnded,
    TableInfo,
)
from bowerbird.watch.v1 import watch_pb2, watch_pb2_grpc
from tests.support.bots.hostile_frames import (
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    RST_STREAM,
    SETTINGS,
    field,
    frame,
    message,
)
from tests.support.deadline import DEADLINE_S
from tests.support.records.live_games import LiveGame
from tests.support.tls_relay import tls_in_front_of

RUN = "4f1c9a7be2"
GAME = f"{RUN}/euchre-0/ann+bob/6/0"

SETS = (DealSet("euchre-0", "ann+bob", 3), DealSet("euchre-0", "ann+bob", 4))
UPDATES: list[RunUpdate] = [
    RoundBegan("final"),
    BotFailed(GAME, "ann", "TIMEOUT"),
    SetFinished(SETS[0], (GameOutcome(GAME, (10, -3, 10, -3), (1,), (1, 2, 1, 2), ("ann", "bob", "ann", "bob")),), 4),
    Standings(4, (Standing("", "ann", 10.5, 8, 1, -4.5, 25.5), Standing("euchre", "ann", 10.5, 8, 1)), is_open=True),
    SetVoided(SETS[1], ("bob",), "a process was lost", is_left_out=True),
    GamesOpened(SETS),
    Lost(3),
]
"""One of each kind except the first and the last."""


class Source:
    """A run that the test plays."""

    def __init__(self) -> None:
        self.closing = threading.Event()
        self.feed = RunFeed(self.closing)
        self.game = LiveGame("euchre")
        self.table = TableInfo(
            GAME, "euchre", {"target": "10"}, (BotInfo("ann", "1"), BotInfo("bob")) * 2, 0, (0, -1, 0, -1), True,
            ClockInfo(1000, 5000, 0, 0),
        )  # fmt: skip
        self.table_feed = TableFeed(self.table, self.game.new_game, self.game.record.clocks, self.closing)
        self.left = threading.Event()

    def info(self) -> RunInfo:
        bots = (BotInfo("ann", "1", "Ann"), BotInfo("bob"))
        return RunInfo(RUN, "cup", bots, ("euchre",), 3, 10, "at most", 6, "own", True, "", "final")

    def standings(self) -> Standings:
        return Standings(4, (Standing("", "ann", 10.5, 8, 1, None, 25.5),), is_open=True)

    def tables(self) -> Sequence[TableInfo]:
        return [self.table]

    def record(self, game: str) -> str:
        if game != GAME:
            raise NotFoundError(f"no game {game!r}")
        raise NotOpenError("later")

    def run_feed(self) -> RunFeed:
        return self.feed

    def enter_table(self, game: str) -> TableFeed:
        if game != GAME:
            raise NotFoundError(f"game {game} is not in play")
        self.table_feed.spectators += 1
        return self.table_feed

    def leave_table(self, feed: TableFeed) -> None:
        self.left.set()


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def client(source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WatchClient]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    server = WatchServer(source)
    server.start(watch_address(tmp_path / "x.db", RUN))
    found = connect_to(tmp_path / "x.db", RUN)
    assert found is not None
    with found:
        yield found
    source.closing.set()
    server.stop()
    assert not watch_address(tmp_path / "x.db", RUN).path.exists(), "the socket goes with its server"
    assert connect_to(tmp_path / "x.db", RUN) is None


def test_every_answer_comes_as_it_was_given(client: WatchClient, source: Source) -> None:
    assert client.run() == source.info()
    assert client.standings() == source.standings()
    assert client.tables() == [source.table]


def test_clients_before_and_after_the_first_that_speaks_are_served(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gRPC takes the place of the socket when a client has sent something. Those that only look whether it is there
    load nothing, and if gRPC cannot start, it starts for the next client.
    """
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    started: list[Path] = []

    def running(source: RunSource, path: Path) -> RunningService:
        started.append(path)
        if len(started) == 1:
            raise OSError("no descriptors left")
        return RunningService(source, path)

    monkeypatch.setattr("bowerbird.harness.extras.watch.service.RunningService", running)
    server = WatchServer(source)
    address = watch_address(tmp_path / "x.db", RUN)
    server.start(address)
    with socket(AF_UNIX) as silent:
        silent.connect(str(address.path))
        assert is_listening(address.path)
        assert started == []
        with socket(AF_UNIX) as unlucky:
            unlucky.connect(str(address.path))
            unlucky.sendall(b"PRI")
            with pytest.raises(ConnectionResetError):
                unlucky.recv(1)
        with WatchClient(address.target) as first, WatchClient(address.target) as second:
            assert first.run() == second.run() == source.info()
            with WatchClient(address.target) as third:
                assert third.run() == source.info()
        assert len(started) == 2
    source.closing.set()
    server.stop()
    assert not address.path.exists()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("watch ")]


def test_a_spectator_of_another_machine_comes_over_tls(client: WatchClient, source: Source, tmp_path: Path) -> None:
    """As watch.md says: a TLS server in front of the socket, and a client that trusts only its certificate."""
    certificate = self_signed(["127.0.0.1"])
    path = watch_address(tmp_path / "x.db", RUN).path
    with tls_in_front_of(path, certificate.server_context()) as target:
        with WatchClient(target, grpc.ssl_channel_credentials(certificate.trust)) as over_tls:
            assert over_tls.run() == client.run()
            with over_tls.watch_run() as stream:
                updates = iter(stream)
                assert next(updates) == source.info()
                source.feed.add(UPDATES[0])
                assert next(updates) == UPDATES[0]
        stranger = self_signed(["127.0.0.1"])
        with WatchClient(target, grpc.ssl_channel_credentials(stranger.trust)) as fooled, pytest.raises(RunGoneError):
            fooled.run()


def test_refusals_are_errors_with_their_sentence(client: WatchClient) -> None:
    with pytest.raises(NotOpenError, match=r"^later$"):
        client.record(GAME)
    with pytest.raises(NotFoundError, match="no game 'x'"):
        client.record("x")
    with pytest.raises(NotFoundError, match="is not in play"):
        list(client.watch_table("x"))


def test_another_run_is_not_found(client: WatchClient, tmp_path: Path) -> None:
    with grpc.insecure_channel(watch_address(tmp_path / "x.db", RUN).target) as channel:
        stub = watch_pb2_grpc.WatchServiceStub(channel)
        with pytest.raises(grpc.RpcError, match=f"this process plays {RUN}"):
            stub.ListTables(watch_pb2.ListTablesRequest(run="0000000000"), timeout=DEADLINE_S)
        with pytest.raises(grpc.RpcError, match=f"this process plays {RUN}"):
            list(stub.WatchRun(watch_pb2.WatchRunRequest(run="0000000000"), timeout=DEADLINE_S))


def test_a_request_of_a_megabyte_is_refused_and_the_next_is_answered(client: WatchClient, source: Source) -> None:
    with pytest.raises(WatchError):
        client.record("x" * (1 << 20))
    assert MAX_REQUEST < 1 << 20
    assert client.run() == source.info()


def test_all_that_happens_in_a_run_is_told_in_order_to_its_end(client: WatchClient, source: Source) -> None:
    with client.watch_run() as stream:
        updates = iter(stream)
        assert next(updates) == source.info()
        for update in [*UPDATES, RunOver("enough", is_complete=False)]:
            source.feed.add(update)
        assert list(updates) == [*UPDATES, RunOver("enough", is_complete=False)]


def test_a_table_is_told_from_its_first_card_to_its_end(client: WatchClient, source: Source) -> None:
    with client.watch_table(GAME) as stream:
        updates = iter(stream)
        assert next(updates) == source.table
        for steps in source.game.steps[:10]:
            source.table_feed.add(steps)
        first = next(updates)
        assert isinstance(first, Frame)
        assert first.kind == "deal"
        for steps in source.game.steps[10:]:
            source.table_feed.add(steps)
        *_, last = updates
    assert isinstance(last, TableEnded)
    assert last.ranks == source.game.record.result.ranks
    assert source.left.wait(DEADLINE_S)


@pytest.mark.parametrize("piece", [7, 65536])
async def test_pages_are_told_a_table_as_other_spectators_are(
    client: WatchClient, source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    """They wait in trio and speak the call themselves; it does not matter how its bytes are cut."""
    monkeypatch.setattr(table_stream, "PIECE", piece)
    for steps in source.game.steps:
        source.table_feed.add(steps)
    async with table_stream.table_updates(tmp_path / "x.db", RUN, GAME) as updates:
        told = [update async for update in updates]
    with client.watch_table(GAME) as stream:
        assert told == list(stream)
    assert isinstance(told[-1], TableEnded)


async def test_pages_are_told_why_a_table_is_not_shown(client: WatchClient, source: Source, tmp_path: Path) -> None:
    async with table_stream.table_updates(tmp_path / "x.db", RUN, "x") as updates:
        with pytest.raises(NotFoundError, match="game x is not in play"):
            await anext(updates)
    async with table_stream.table_updates(tmp_path / "x.db", RUN, GAME) as updates:
        await anext(updates)
        source.closing.set()
        with pytest.raises(RunGoneError):
            [update async for update in updates]
    with pytest.raises(NotFoundError, match="is not being played now"):
        async with table_stream.table_updates(tmp_path / "other.db", RUN, GAME):
            pytest.fail("nobody is there")


@pytest.mark.parametrize(
    ("sent", "error", "why"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n", RunGoneError, "no longer being played"),  # the beginning of a long frame
        (frame(SETTINGS, 0, 0, b"12345"), WatchError, table_stream.NO_MESSAGE),
        (frame(DATA, 0, 1, message(b"\xff")), WatchError, table_stream.NO_MESSAGE),
        (frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xff\xff"), WatchError, table_stream.NO_MESSAGE),
        (frame(RST_STREAM, 0, 1, bytes(4)), RunGoneError, "no longer being played"),
        (frame(HEADERS, END_HEADERS | END_STREAM, 1, field(b"grpc-status", b"5")), NotFoundError, "gRPC status 5"),
    ],
)
async def test_pages_are_told_in_one_sentence_what_a_broken_run_sends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes, error: type[WatchError], why: str
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    private_folder()
    with socket(AF_UNIX) as listening:
        listening.bind(str(watch_address(tmp_path / "x.db", RUN).path))
        listening.listen()
        async with table_stream.table_updates(tmp_path / "x.db", RUN, GAME) as updates:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(sent)
                connection.shutdown(SHUT_WR)
                with pytest.raises(error, match=why) as told:
                    await anext(updates)
            assert type(told.value) is error


def test_a_table_where_nobody_has_acted_shows_its_deal_at_once_and_once(source: Source) -> None:
    feed, stays = source.table_feed, iter([True] * 10)
    updates = feed.updates(Budget(), lambda: next(stays, False))
    assert next(updates) == source.table
    deal = next(updates)  # before anything is told of the table
    assert isinstance(deal, Frame)
    assert (deal.kind, deal.hand) == ("deal", 0)
    add_all(feed, [*source.game.steps[:2], LiveSteps(GAME, end=LiveEnd(GONE))])
    later = list(updates)
    assert isinstance(later[0], Frame)
    assert later[0].kind != "deal", "the deal is shown twice"
    assert later[-1] == TableEnded(GONE)


def test_a_table_in_a_later_hand_does_not_show_its_first_deal(source: Source) -> None:
    feed = TableFeed(replace(source.table, hand=1), source.game.new_game, source.game.record.clocks, source.closing)
    updates = feed.updates(Budget(), lambda: not feed.is_over)
    next(updates)
    source.closing.set()
    with pytest.raises(RunGoneError):
        next(updates)


def updates_of(feed: TableFeed, budget: Budget, meanwhile: Callable[[], None]) -> list[object]:
    """Return the updates of a spectator who does not look again before `meanwhile` has happened."""
    updates = feed.updates(budget, lambda: True)
    seen: list[object] = [next(updates), next(updates)]
    meanwhile()
    return [*seen, *updates]


def add_all(feed: TableFeed, steps: Sequence[LiveSteps]) -> None:
    for one in steps:
        feed.add(one)


def test_a_slow_spectator_loses_frames_and_is_told_how_many(source: Source) -> None:
    steps = source.game.steps
    source.table_feed.add(steps[0])
    seen = updates_of(source.table_feed, Budget(), lambda: add_all(source.table_feed, steps[1:]))
    lost = [update.updates for update in seen if isinstance(update, Lost)]
    assert lost == [sum(len(one.actions) for one in steps[1:]) - MOST_ACTIONS]
    assert isinstance(seen[-1], TableEnded), "the end is never lost"


def test_spectators_without_budget_get_the_end_and_no_frame_before(source: Source) -> None:
    """A table that ends several times a second would otherwise cost its run dearly."""
    steps = source.game.steps
    source.table_feed.add(steps[0])
    spent = Budget(share=0.0, burst_s=1e-9)  # enough for the first look
    seen = updates_of(source.table_feed, spent, lambda: add_all(source.table_feed, steps[1:]))
    assert not spent.is_left
    [lost, end] = [update for update in seen if isinstance(update, (Lost, TableEnded))]
    assert lost == Lost(sum(len(one.actions) for one in steps[1:]))
    assert seen[-2:] == [lost, end]


def test_a_table_that_has_ended_is_told_without_frames_to_a_spectator_without_budget(source: Source) -> None:
    add_all(source.table_feed, source.game.steps)
    spent = Budget(share=0.0, burst_s=0.0)
    info, lost, end = source.table_feed.updates(spent, lambda: True)
    assert info == source.table
    assert lost == Lost(sum(len(one.actions) for one in source.game.steps))
    assert isinstance(end, TableEnded)


def test_a_spectator_that_begins_is_charged_and_waits_for_time(source: Source) -> None:
    budget = Budget(share=0.0, burst_s=OPEN_S * 1.5)
    assert budget.admit(lambda: True)
    assert budget.admit(lambda: True), "half of what it takes was left"
    assert not budget.admit(lambda: False), "it has gone while it waited"


def test_a_slow_spectator_of_a_run_loses_the_oldest_updates_and_is_told_how_many(source: Source) -> None:
    updates = source.feed.updates(lambda: True)
    for number in range(QUEUE_UPDATES + 7):
        source.feed.add(RoundBegan(str(number)))
    source.feed.add(RunOver())
    seen = list(updates)
    assert seen[0] == Lost(8)
    assert seen[1] == RoundBegan("8")
    assert len(seen) == 1 + QUEUE_UPDATES


def test_a_feed_does_not_grow_with_the_run(source: Source) -> None:
    for number in range(10 * QUEUE_UPDATES):
        source.feed.add(RoundBegan(str(number)))
    assert len(source.feed._updates) == QUEUE_UPDATES


def test_one_spectator_too_many_is_refused_and_takes_the_place_of_one_that_left(client: WatchClient) -> None:
    streams = [client.watch_run() for _ in range(MOST_STREAMS)]
    iterators = [iter(stream) for stream in streams]
    for updates in iterators:
        next(updates)
    with pytest.raises(TooManyError, match=f"{MOST_STREAMS} spectators are already watching"):
        next(iter(client.watch_run()))
    assert client.run().id == RUN, "short calls are answered all the same"
    streams[0].close()
    deadline = threading.Event()
    for _ in range(DEADLINE_S * 10):
        try:
            with client.watch_run() as again:
                assert next(iter(again)) == client.run()
                break
        except TooManyError:
            deadline.wait(0.1)  # the service notices within a look that the first has left
    else:
        pytest.fail("the place of a spectator that left stays taken")


def test_a_run_that_ends_without_its_table_ends_the_stream(client: WatchClient, source: Source) -> None:
    with client.watch_table(GAME) as stream:
        updates = iter(stream)
        next(updates)
        source.closing.set()
        with pytest.raises(RunGoneError):
            list(updates)
