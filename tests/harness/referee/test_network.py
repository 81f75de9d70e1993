"""The broker carries a bot's connections to the host it is granted, and nowhere else."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from bowerbird.harness.referee.network.broker import broker
from bowerbird.harness.referee.network.broker_main import MOST_CONNECTIONS
from bowerbird.harness.referee.network.target import Target, TargetError, addresses_of, is_public, read_target
from bowerbird.harness.referee.process.procfs import children_of, command_line_of
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT


@contextmanager
def echo() -> Iterator[Target]:
    """Serve a host on loopback that echoes what it hears, and ends when it hears the end."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve(connection: socket.socket) -> None:
            with connection:
                while data := connection.recv(1 << 16):
                    connection.sendall(data)

        def accept() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return  # the test is over
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield Target("127.0.0.1", listening.getsockname()[1])
        listening.shutdown(socket.SHUT_RDWR)


def connected(path: Path) -> socket.socket:
    """Return a connection to a broker."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(DEADLINE_S)
    connection.connect(str(path))
    return connection


def say(connection: socket.socket, data: bytes) -> None:
    """Send data and its end."""
    with suppress(OSError):  # the other side has closed
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)


def answer_to(path: Path, data: bytes) -> bytes:
    """Send data and its end; return all that comes back."""
    with closing(connected(path)) as connection:
        sender = threading.Thread(target=say, args=(connection, data))
        sender.start()
        try:
            return b"".join(iter(lambda: connection.recv(1 << 16), b""))
        except ConnectionResetError:  # closed before all was read
            return b""
        finally:
            sender.join(DEADLINE_S)


def brokers_of(path: Path) -> list[int]:
    """Return the broker processes of this process that have the socket at `path`: each child running our program."""
    return [pid for pid in children_of(os.getpid()) if "broker_main" in command_line_of(pid)]


@pytest.mark.usefixtures("processes")
def test_a_connection_reaches_the_host_and_ends_with_it(tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    with echo() as target, broker(target, tmp_path / "log") as path:
        assert answer_to(path, data) == data
        assert answer_to(path, b"again") == b"again"
    assert not path.exists(), "the socket outlives the run"
    assert (tmp_path / "log").read_bytes() == b""


@pytest.mark.usefixtures("processes")
@pytest.mark.skipif(not Path(f"/proc/{os.getpid()}/task").is_dir(), reason="finds the process in /proc")
def test_a_broker_that_is_killed_is_replaced(tmp_path: Path) -> None:
    with echo() as target, broker(target, tmp_path / "log") as path:
        assert answer_to(path, b"before") == b"before"
        [pid] = brokers_of(path)
        os.kill(pid, signal.SIGKILL)
        assert answer_to(path, b"after") == b"after", "a connection waits in the socket for the next process"
        assert brokers_of(path) != [pid]
    assert brokers_of(path) == []


HELD = """
import sys, time
from pathlib import Path
from bowerbird.harness.referee.network.broker import broker
from bowerbird.harness.referee.network.target import Target
with broker(Target("127.0.0.1", 1), Path(sys.argv[1])) as path:
    print(path, flush=True)
    time.sleep(600)
"""
"""A program that keeps a broker until it is killed."""


@pytest.mark.usefixtures("processes")
def test_a_killed_run_leaves_no_broker_and_no_folder(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HELD, str(tmp_path / "log")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        assert path.is_socket()
        process.kill()
    deadline = time.monotonic() + DEADLINE_S
    while path.parent.exists():
        assert time.monotonic() < deadline, f"{path.parent} is left"
        time.sleep(0.02)  # nothing to wait on: the broker is not a child of this process


@pytest.mark.usefixtures("processes")
def test_a_host_that_does_not_answer_ends_the_connection_and_is_named_in_the_log(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        target = Target("127.0.0.1", closed.getsockname()[1])
    with broker(target, tmp_path / "log") as path:
        assert answer_to(path, b"") == b""
    said = (tmp_path / "log").read_text()
    assert said.startswith(f"{target} cannot be reached: 127.0.0.1: Connect")
    assert len(said.splitlines()) == 1


@pytest.mark.usefixtures("processes")
def test_one_connection_too_many_is_closed_and_the_others_live_on(tmp_path: Path) -> None:
    with echo() as target, broker(target, tmp_path / "log") as path:
        held = []
        for _ in range(MOST_CONNECTIONS):
            held.append(connected(path))
            held[-1].sendall(b"x")
            assert held[-1].recv(1) == b"x"
        with closing(connected(path)) as refused:
            assert refused.recv(1) == b""
        held[0].sendall(b"y")
        assert held[0].recv(1) == b"y"
        for connection in held:
            connection.close()
        deadline = time.monotonic() + DEADLINE_S
        while answer_to(path, b"z") != b"z":
            assert time.monotonic() < deadline, "the places of closed connections stay taken"
    assert f"more than {MOST_CONNECTIONS} connections" in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("written", "host", "port"),
    [
        ("models.example.org:443", "models.example.org", 443),
        ("Models.Example.ORG:1", "models.example.org", 1),
        ("127.0.0.1:65535", "127.0.0.1", 65535),
        ("[2001:db8::1]:443", "2001:db8::1", 443),
    ],
)
def test_a_target_is_a_host_and_a_port(written: str, host: str, port: int) -> None:
    target = read_target(written)
    assert (target.host, target.port) == (host, port)
    assert read_target(str(target)) == target


@pytest.mark.parametrize(
    "written",
    ["", "host", "host:", ":443", "host:0", "host:65536", "host:443/path", "https://host:443", "a b:1", "[x]:1"],
)
def test_anything_else_is_no_target(written: str) -> None:
    with pytest.raises(TargetError, match="; must be a host and a port such as"):
        read_target(written)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1"),
        *("224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b:1::1", "64:ff9b::7f00:1"),
    ],
)
def test_an_address_of_this_machine_or_its_neighbours_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111"])
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


def resolver(*addresses: str) -> Any:
    return lambda host, port, **_: [(0, 0, 0, "", (address, port)) for address in addresses]


def test_a_name_that_leads_to_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", resolver("1.1.1.1", "10.0.0.7"))
    with pytest.raises(TargetError, match=r"resolves to 10\.0\.0\.7, which is not a public address"):
        addresses_of(Target("models.example.org", 443))
    monkeypatch.setattr(socket, "getaddrinfo", resolver("1.1.1.1", "1.1.1.1"))
    assert addresses_of(Target("models.example.org", 443)) == ["1.1.1.1"]


def test_a_private_address_that_is_written_out_is_allowed() -> None:
    assert addresses_of(Target("127.0.0.1", 80)) == ["127.0.0.1"]
    assert set(addresses_of(Target("localhost", 80))) <= {"127.0.0.1", "::1"}


def test_a_name_without_an_address_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(TargetError, match=r"nowhere\.example has no address: Name or service not known"):
        addresses_of(Target("nowhere.example", 443))


@pytest.mark.usefixtures("processes")
def test_the_path_of_the_socket_fits_whatever_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("deep" * 25)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with echo() as target, broker(target, tmp_path / "log") as path:
        assert answer_to(path, b"word") == b"word"
