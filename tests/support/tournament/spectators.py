"""Spectators who ask a run for everything they can and keep every byte that they get."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import Message

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.run import COMMON, GameId, SetKey
from bowerbird.harness.watch.address import WatchAddress, running
from bowerbird.watch.v1 import watch_pb2
from tests.support.deadline import DEADLINE_S

SERVICE = "/bowerbird.watch.v1.WatchService"
MOST_TABLES = 10
LOOK_S = 0.05

SIGNS = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}
CARD = re.compile(r"(?<![A-Za-z0-9])([AKQJT2-9])([shdc♠♥♦♣])(?![A-Za-z0-9])|(?<![A-Za-z0-9])(X[123rb]?)(?![A-Za-z0-9])")

RESPONSES: Mapping[str, type[Message]] = {
    "ListRuns": watch_pb2.ListRunsResponse,
    "GetStandings": watch_pb2.GetStandingsResponse,
    "ListTables": watch_pb2.ListTablesResponse,
    "WatchRun": watch_pb2.WatchRunResponse,
    "WatchTable": watch_pb2.WatchTableResponse,
}


def running_address(process: subprocess.Popen[str] | None = None) -> WatchAddress:
    """Wait until a run can be watched; return where. Fail if its process ends before."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        if found := running():
            return found[0]
        assert process is None or process.poll() is None, f"the run ended unseen: {process.communicate()}"
        time.sleep(LOOK_S)  # nothing to wait on: the run is another process
    raise AssertionError("no run can be watched")


class Spectators:
    """Threads that watch a run, up to `MOST_TABLES` of its tables at once, and every game known to them, to its end.

    received: every message, as its method and bytes. refusals: the sentences with which tables were refused. records:
    by game, the record when it was first given. early: by game whose record was given, a deal set that was dealt its
    packs and was not stored yet.
    """

    def __init__(self, address: WatchAddress, database: Path, packs: str) -> None:
        self.received: list[tuple[str, str, bytes]] = []
        self.refusals: list[str] = []
        self.records: dict[str, str] = {}
        self.early: dict[str, SetKey] = {}
        self._database = database
        self._packs = packs
        self._channel = grpc.insecure_channel(address.target, [("grpc.use_local_subchannel_pool", 1)])
        self._watched: set[str] = set()
        self._known: set[str] = set()
        self._threads = [threading.Thread(target=self._look), threading.Thread(target=self._watch_run)]
        for thread in self._threads:
            thread.start()

    def until_end(self) -> None:
        """Wait until the run ends and every thread with it."""
        for thread in list(self._threads):
            thread.join(DEADLINE_S)
            assert not thread.is_alive(), "a spectator waits for ever"
        self._channel.close()

    def until(self, enough: Callable[[Spectators], bool]) -> None:
        """Wait until what came is enough."""
        deadline = time.monotonic() + DEADLINE_S
        while not enough(self):
            came = f"{len(self.received)} messages, {len(self.refusals)} refusals, {len(self.records)} records"
            assert time.monotonic() < deadline, f"not enough came: {came}"
            time.sleep(LOOK_S)  # nothing to wait on: any of the threads may be the one

    # What came

    def texts(self) -> Iterator[tuple[str, str, Message, list[str]]]:
        """Yield each message with its method, its game, and all texts in it. A string is all that can hold a card."""
        for method, game, data in self.received:
            message = RESPONSES[method].FromString(data)
            again = RESPONSES[method].FromString(message.SerializeToString())
            assert (message, message.ByteSize()) == (again, len(data)), (
                f"{method}: bytes that no field of ours explains"
            )
            yield method, game, message, list(_texts(message))

    # Threads

    def _look(self) -> None:
        with suppress(grpc.RpcError):
            while True:
                for method in ("ListRuns", "GetStandings"):
                    self._keep(method, "", self._call(method, b""))
                listed = self._call("ListTables", b"")
                self._keep("ListTables", "", listed)
                for table in watch_pb2.ListTablesResponse.FromString(listed).tables:
                    self._known.add(table.game)
                    living = sum(thread.is_alive() for thread in self._threads)
                    if table.game not in self._watched and living < 2 + MOST_TABLES:
                        self._watched.add(table.game)
                        thread = threading.Thread(target=self._watch_table, args=(table.game,))
                        self._threads.append(thread)
                        thread.start()
                for game in sorted(self._known - self.records.keys()):
                    self._try_record(game)
                time.sleep(LOOK_S)  # spectators who ask without a pause would only be slower

    def _try_record(self, game: str) -> None:
        try:
            answer = self._call("GetGame", watch_pb2.GetGameRequest(game=game).SerializeToString())
        except grpc.RpcError as error:
            if _code(error) not in (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.NOT_FOUND):
                raise
            return
        self.records[game] = watch_pb2.GetGameResponse.FromString(answer).record
        with Store.open(self._database) as store:
            run = store.run(None)
            if run.row.ended is not None:
                return
            missing = self._dealt_the_same(game) - run.stored_sets()
        if missing:
            self.early[game] = min(missing)

    def _dealt_the_same(self, game: str) -> set[SetKey]:
        """Return the deal sets that are dealt the packs of a game, among the sets of which a table was seen."""
        key = GameId.parse(game).set_key
        known = {GameId.parse(one).set_key for one in self._known}
        same = {one for one in known if (one.entry, one.number) == (key.entry, key.number)}
        return same if self._packs == COMMON else {key}

    def _watch_run(self) -> None:
        with suppress(grpc.RpcError):
            for data in self._stream("WatchRun", b""):
                self._keep("WatchRun", "", data)

    def _watch_table(self, game: str) -> None:
        try:
            for data in self._stream("WatchTable", watch_pb2.WatchTableRequest(game=game).SerializeToString()):
                self._keep("WatchTable", game, data)
        except grpc.RpcError as error:
            if _code(error) == grpc.StatusCode.FAILED_PRECONDITION:
                self.refusals.append(str(_details(error)))

    def _call(self, method: str, request: bytes) -> bytes:
        call: Callable[..., bytes] = self._channel.unary_unary(f"{SERVICE}/{method}")
        return call(request, timeout=DEADLINE_S)

    def _stream(self, method: str, request: bytes) -> Iterator[bytes]:
        call: Callable[..., Iterator[bytes]] = self._channel.unary_stream(f"{SERVICE}/{method}")
        return call(request, timeout=DEADLINE_S)

    def _keep(self, method: str, game: str, data: bytes) -> None:
        self.received.append((method, game, data))


@contextmanager
def spectators(address: WatchAddress, database: Path, packs: str) -> Iterator[Spectators]:
    """Watch everything of a run; leave after its end."""
    watching = Spectators(address, database, packs)
    try:
        yield watching
    finally:
        watching.until_end()


def cards_in(texts: list[str]) -> set[str]:
    """Return every card that texts name, in either notation."""
    found = (match for text in texts for match in CARD.finditer(text))
    return {match[3] or match[1] + SIGNS.get(match[2], match[2]) for match in found}


def _texts(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        values = _values(value)
        for one in values:
            if isinstance(one, Message):
                yield from _texts(one)
            elif isinstance(one, str):
                yield one
            else:
                assert isinstance(one, int | float), f"{field.full_name}: {type(one)} can hold anything"


def _values(value: Any) -> list[Any]:
    if hasattr(value, "items"):  # a map
        return [part for pair in value.items() for part in pair]
    if isinstance(value, Message | str | int | float):
        return [value]
    return list(value)


def _code(error: grpc.RpcError) -> grpc.StatusCode:
    assert isinstance(error, grpc.Call)
    return error.code()


def _details(error: grpc.RpcError) -> str | None:
    assert isinstance(error, grpc.Call)
    return error.details()
