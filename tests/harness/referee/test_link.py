"""One connection over a pair of sockets: what it reads and writes when its client is slow."""

from __future__ import annotations

import socket

import pytest
import trio
import trio.testing

from bowerbird.harness.http2.frames import PING
from bowerbird.harness.referee.connection import link as link_module
from bowerbird.harness.referee.connection.link import Account, Link, Links
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.seat_door import SeatDoor
from tests.support.bots.hostile_frames import ACK, PREFACE, SETTINGS, frame
from tests.support.deadline import DEADLINE_S

ANSWERED = frame(PING, ACK, 0, bytes(8))
MAX_UNSENT = 1 << 15
BUFFER = 1 << 13
"""Few bytes, so that few frames fill them."""


class Lenient(Account):
    """Judges nobody."""

    def judge(self, size: int, frames: int, openings: int, now_ns: int) -> str:
        return ""


def written(client: socket.socket, data: bytes) -> int:
    """Write what a socket takes at once; return how many bytes."""
    try:
        return client.send(data)
    except BlockingIOError:
        return 0


def read(client: socket.socket) -> bytes:
    """Read what has come."""
    try:
        return client.recv(1 << 16)
    except BlockingIOError:
        return b""


async def test_a_client_that_reads_nothing_is_not_read_on_and_goes_on_when_it_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link_module, "MAX_UNSENT", MAX_UNSENT)
    ours, client = socket.socketpair()
    for end in (ours, client):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
    client.setblocking(False)
    door = SeatDoor(
        "token", lambda _stream, _hello: None, lambda _event: None, mailbox=Mailbox().open(), is_private=True
    )
    links = Links(silence_s=DEADLINE_S)
    pings = 30_000
    left = PREFACE + frame(SETTINGS, 0, 0) + frame(PING, 0, 0, bytes(8)) * pings

    async def serve() -> None:
        nonlocal left
        link = Link(ours, links, door, Lenient())
        links.start_soon(link.run)
        with client:
            while size := written(client, left):
                left = left[size:]
                await trio.testing.wait_all_tasks_blocked()
            assert left, "the referee has read everything, and its client nothing"
            assert len(link._unsent) <= 4 * MAX_UNSENT
            received = bytearray()
            with trio.fail_after(DEADLINE_S):
                while len(received) < pings * len(ANSWERED):
                    left = left[written(client, left) :]
                    received += read(client)
                    await trio.testing.wait_all_tasks_blocked()
                while received.count(ANSWERED) < pings:
                    received += read(client)
                    await trio.testing.wait_all_tasks_blocked()

    await links.run(serve)
