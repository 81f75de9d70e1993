"""What finds a flood: the budget of calls, and the watch over what waits in connections."""

from __future__ import annotations

import os
import resource
import socket
from pathlib import Path

import pytest
import trio

from bowerbird.harness.referee.connection import unread as unread_module
from bowerbird.harness.referee.connection.endpoint import Endpoint
from bowerbird.harness.referee.connection.flood_watch import LITTLE, MAX_OVERHEAD, OVERHEAD_FACTOR, FloodWatch
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.unread import OpenSockets, Unread
from bowerbird.harness.referee.process.open_files import raise_open_files, restore_open_files

PATH = "/tmp/seat"


class WatchedEndpoint(Endpoint):
    """An endpoint without a server, which counts how often it is blamed."""

    def __init__(self, received: int = 0, target: str = f"unix:{PATH}") -> None:
        self.blames: list[str] = []
        self._received = received
        self._at = target

    @property
    def target(self) -> str:
        return self._at

    @property
    def received_bytes(self) -> int:
        return self._received

    def blame(self, why: str) -> None:
        self.blames.append(why)


def looks(endpoint: Endpoint, *seen: tuple[Unread, ...]) -> list[bool]:
    """Let a watch see these connections, one look after another. Return what each look said."""
    coming = iter(seen)
    watch = FloodWatch(lambda: next(coming))
    watch.add(endpoint)
    return [watch.look() for _ in seen]


def test_bytes_that_were_read_and_belong_to_no_message_are_a_flood_told_once() -> None:
    endpoint = WatchedEndpoint()
    full, empty = (Unread(PATH, 1, MAX_OVERHEAD // 2 + 1),), (Unread(PATH, 1, 0),)
    looks(endpoint, full, empty, full)
    assert endpoint.blames == [], "half of it was read"
    looks(endpoint, *(full, empty) * 5)
    assert len(endpoint.blames) == 1


def test_what_waits_because_the_referee_does_not_read_is_no_flood() -> None:
    endpoint = WatchedEndpoint()
    looks(endpoint, *((Unread(PATH, 1, 65_535),) for _ in range(1000)))
    assert endpoint.blames == []


def test_what_a_closed_connection_held_is_not_counted() -> None:
    endpoint = WatchedEndpoint()
    looks(endpoint, *((Unread(PATH, number, 65_535),) for number in range(1000)))
    assert endpoint.blames == []


def test_a_bot_may_send_frames_for_its_messages() -> None:
    endpoint = WatchedEndpoint(received=10 * MAX_OVERHEAD)
    full, empty = (Unread(PATH, 1, MAX_OVERHEAD),), (Unread(PATH, 1, 0),)
    looks(endpoint, *(full, empty) * (10 * OVERHEAD_FACTOR))
    assert endpoint.blames == []
    looks(endpoint, *(full, empty) * (10 * OVERHEAD_FACTOR + 2))
    assert len(endpoint.blames) == 1


def test_the_watch_looks_often_only_while_much_waits() -> None:
    said = looks(WatchedEndpoint(), (), (Unread(PATH, 1, LITTLE),), (Unread(PATH, 1, LITTLE + 1),), ())
    assert said == [True, True, False, True]


def test_what_waits_in_an_accepted_connection_is_seen_under_the_path_of_its_socket(tmp_path: Path) -> None:
    path = str(tmp_path / "seat")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as client:
        listener.bind(path)
        listener.listen()
        client.connect(path)
        accepted, _ = listener.accept()
        with accepted:
            client.sendall(b"x" * 5000)
            sockets = OpenSockets()
            for _ in range(2):
                assert [one.waiting for one in sockets.unread() if one.path == path] == [5000]
            accepted.recv(2000)
            assert [one.waiting for one in sockets.unread() if one.path == path] == [3000]
    assert [one for one in sockets.unread() if one.path == path] == []


def test_each_open_socket_is_asked_for_its_path_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection over the network has no path, and it need not be asked for one at each look."""
    asked: list[int] = []
    path_of = unread_module._path_of

    def count(number: int) -> str:
        asked.append(number)
        return path_of(number)

    monkeypatch.setattr(unread_module, "_path_of", count)
    sockets = OpenSockets()
    with socket.socket() as remote:
        for _ in range(3):
            sockets.unread()
        assert asked.count(remote.fileno()) == 1
        number = remote.fileno()
    asked.clear()
    with socket.socket() as another:
        assert another.fileno() == number, "the test needs the same number again"
        sockets.unread()
        assert asked.count(number) == 1, "another socket has another inode"


def test_a_descriptor_that_is_no_socket_any_more_costs_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two calls another thread may close a socket and open a file, which gets its number."""
    copies: list[int] = []
    dup = os.dup

    def remember(number: int) -> int:
        copies.append(dup(number))
        return copies[-1]

    monkeypatch.setattr(os, "dup", remember)
    with (tmp_path / "file").open("wb") as file, pytest.raises(OSError, match="non-socket"):
        unread_module._path_of(file.fileno())
    [copy] = copies
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(copy)


async def test_a_server_that_is_not_private_blames_nobody(tmp_path: Path) -> None:
    for is_private, count in ((False, 0), (True, 1)):
        endpoint = Endpoint(f"unix:{tmp_path}/{is_private}", Mailbox().open(), 5, is_private=is_private)
        endpoint.blame("flooded")
        await endpoint.stop()
        await trio.lowlevel.checkpoint()
        assert len(endpoint.inbox.events) == count
        assert endpoint.refused == ("flooded" if is_private else "")


def test_the_limit_of_open_files_is_raised_to_the_hard_limit_and_given_back() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lower = min(soft, 256)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lower, hard))
    try:
        assert raise_open_files() == lower
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
        restore_open_files(lower)
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (lower, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
