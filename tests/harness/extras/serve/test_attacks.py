"""What a stranger may try with the pages, and what happens then: limits hold, one sentence, nobody else notices."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import trio

from bowerbird.harness.extras.serve.connections import BoundedListener
from bowerbird.harness.extras.serve.limits import Limits
from bowerbird.harness.extras.serve.server import bound
from tests.support.deadline import DEADLINE_S
from tests.support.records.stored_runs import store_run
from tests.support.serving import ENTRY, Served, served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, processes: None) -> Iterator[Served]:
    db = tmp_path_factory.mktemp("attacks") / "x.db"
    store_run(db, variants=("euchre",))
    with served(db) as found:
        yield found


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"])
def test_pages_can_only_be_read(server: Served, method: str) -> None:
    answer = server.get("/", method)
    assert answer.status == 405
    assert answer.text == "These pages are read-only.\n"


@pytest.mark.parametrize(
    "path",
    [
        "/../../../etc/passwd",
        "/runs/../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/runs/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/runs/autumn/bots/..%2f..%2f..%2fetc%2fpasswd",
        "/runs/autumn/games/..%2f..%2fx/y/0/0",
        "/runs/autumn/games/euchre-0/ann+bob/0/-1",
        "/runs/autumn/games/euchre-0/ann+bob/999999999999999999999999/0",
        "/runs/autumn/bots/%00",
        "/runs/autumn/bots/%ff%fe",
        "/runs/'%20OR%201=1--",
        "/runs/autumn/games?bot=nobody&variant=%27",
        "//evil.example/",
        "/harness/serve/app.py",
        "/static/page.css",
    ],
)
def test_addresses_lead_to_pages_and_nowhere_else(server: Served, path: str) -> None:
    answer = server.get(path)
    assert answer.status == 404
    assert "root:x:" not in answer.text
    assert "Traceback" not in answer.text


def test_markup_in_an_address_is_text_on_the_page(server: Served) -> None:
    answer = server.get("/runs/autumn/bots/%3Cscript%3Ealert(1)%3C%2Fscript%3E")
    assert answer.status == 404
    assert "<script>alert" not in answer.text


def test_a_long_address_is_refused(server: Served) -> None:
    assert server.get("/runs/" + "x" * 2000).status == 414


def test_a_body_is_refused_before_it_is_read(server: Served) -> None:
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
    assert server.send(head + b"x" * 1000).startswith(b"HTTP/1.1 413")


def test_a_megabyte_of_headers_is_cut_off(server: Served) -> None:
    received = server.send(b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X-Y: " + b"z" * 1_000_000 + b"\r\n\r\n")
    assert received == b"" or received.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4"))
    assert server.get("/health").status == 200


@pytest.mark.parametrize(
    "request_",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x00" * 5000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n"
        b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
    ],
)
def test_what_is_no_request_is_cut_off_and_the_server_goes_on(server: Served, request_: bytes) -> None:
    received = server.send(request_)
    assert b"HTTP/1.1 200" not in received
    assert server.get("/health").status == 200


@pytest.mark.parametrize("pieces", [(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",), (b"P", b"RI", b" * HTTP/2.0\r\n\r\n")])
async def test_a_connection_in_http_2_is_closed_at_once(pieces: tuple[bytes, ...]) -> None:
    """hypercorn has no deadline for a client that says nothing more."""
    async with BoundedListener(bound("127.0.0.1", 0), Limits(), is_behind_proxy=False) as listener:
        client = await trio.open_tcp_stream("127.0.0.1", listener.port)
        stream = await listener.accept()
        async with trio.open_nursery() as nursery:

            async def send() -> None:
                for piece in pieces:
                    await client.send_all(piece)

            nursery.start_soon(send)
            assert await stream.receive_some() == b""
        assert listener.counts.open == 0


def test_a_connection_that_would_go_over_to_http_2_is_closed_at_once(server: Served) -> None:
    """hypercorn has no deadline for it either."""
    asked = b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n"
    received = server.send(asked + b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n")
    assert received.startswith(b"HTTP/1.1 505 ")
    assert received.endswith(b"\r\n\r\nThis server speaks HTTP/1.1 only\n")


@pytest.mark.parametrize("pieces", [(b"GET / HTTP/1.1",), (b"P", b"OST / HTTP/1.1"), (b"PRI", b"NT")])
async def test_no_byte_of_another_request_is_lost(pieces: tuple[bytes, ...]) -> None:
    async with BoundedListener(bound("127.0.0.1", 0), Limits(), is_behind_proxy=False) as listener:
        client = await trio.open_tcp_stream("127.0.0.1", listener.port)
        stream = await listener.accept()
        received = b""
        for piece in pieces:
            await client.send_all(piece)
        while len(received) < len(b"".join(pieces)):
            received += await stream.receive_some()
        assert received == b"".join(pieces)


def test_another_site_cannot_read_the_pages_through_a_name_of_its_own(server: Served) -> None:
    """DNS rebinding: a name that a stranger points at 127.0.0.1."""
    assert server.get("/", Host="evil.example").status == 421
    assert server.get("/", Host="localhost:4712").status == 200


def test_a_thousand_idle_connections_leave_room_for_a_browser(server: Served) -> None:
    with ExitStack() as opened:
        for _ in range(1000):
            opened.enter_context(server.connect())
        assert server.get("/runs/autumn").status == 200
    metrics = server.get("/metrics").text
    displaced = [line for line in metrics.splitlines() if 'what="displaced"' in line]
    assert displaced
    assert int(displaced[0].rpartition(" ")[2]) > 0


def test_half_a_request_is_not_waited_for_for_ever(server: Served) -> None:
    with server.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: local")
        assert connection.recv(100) == b"", "it is closed after idle_s"


async def test_a_reader_that_takes_nothing_is_cut_off() -> None:
    listener = BoundedListener(bound("127.0.0.1", 0), Limits(send_s=0.05, least_rate=1e9), is_behind_proxy=False)
    async with listener:
        port = listener.port
        client = await trio.open_tcp_stream("127.0.0.1", port)
        stream = await listener.accept()
        with pytest.raises(trio.BrokenResourceError):
            await stream.send_all(bytes(50_000_000))
        assert (listener.counts.cut, listener.counts.open) == (1, 0)
        await client.aclose()


async def test_a_full_listener_turns_away_and_displaces_only_the_silent() -> None:
    limits = Limits(connections=2)
    async with BoundedListener(bound("127.0.0.1", 0), limits, is_behind_proxy=False) as listener:
        clients = [await trio.open_tcp_stream("127.0.0.1", listener.port) for _ in range(2)]
        streams = [await listener.accept() for _ in range(2)]
        await clients[0].send_all(b"GET")
        assert await streams[0].receive_some() == b"GET"
        clients.append(await trio.open_tcp_stream("127.0.0.1", listener.port))
        third = await listener.accept()
        assert listener.counts.displaced == 1
        assert streams[1].socket.fileno() < 0, "the one that had not asked for anything had to go"
        await clients[2].send_all(b"GET")
        await third.receive_some()
        late = await trio.open_tcp_stream("127.0.0.1", listener.port)
        with trio.move_on_after(0.5):
            await listener.accept()
        assert listener.counts.refused == 1
        assert bytes(await late.receive_some()).startswith(b"HTTP/1.1 503")
        for one in (*clients, late, streams[0], third):
            await one.aclose()
        assert listener.counts.open == 0


def serve_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", ENTRY, "serve", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=DEADLINE_S, check=False)


@pytest.mark.usefixtures("processes")
def test_a_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    store_run(tmp_path / "x.db", variants=("euchre",))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = serve_in(tmp_path, "--db", "x.db", "--listen", address)
    assert done.returncode == 2
    assert f"--listen {address}: another program listens there" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--db", "nothing.db"), "there is no database here"),
        (("--db", "foreign.db"), "foreign.db"),
        (("--listen", "everywhere"), "is not of the form ADDRESS:PORT"),
        (("--listen", "203.0.113.7:1"), "must be an address of this machine"),
        (("--prefix", "euchre/../x"), "must be a path such as /euchre"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    (tmp_path / "foreign.db").write_bytes(b"not a database " * 100)
    done = serve_in(tmp_path, "--listen", "127.0.0.1:0", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
