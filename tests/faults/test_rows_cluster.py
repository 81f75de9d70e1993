"""A stranger listens at the address of a cluster's scheduler (faults.md row 66)."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from bowerbird.harness.extras.cluster import connection as connection_module
from bowerbird.harness.extras.cluster.address import parse_address
from bowerbird.harness.extras.cluster.connection import ClusterConnection
from bowerbird.harness.records.quoting import LONGEST_SENTENCE
from bowerbird.harness.tournament.errors import MachinesError
from tests.support.deadline import DEADLINE_S
from tests.support.referee.fault_matrix import Seen

pytestmark = pytest.mark.usefixtures("processes")


def framed(*frames: bytes) -> bytes:
    """Return frames as Dask's plain TCP sends them: the total length, the number of frames, their lengths, the
    frames."""
    numbers = (len(frames), *map(len, frames))
    body = b"".join(number.to_bytes(8, "little") for number in numbers) + b"".join(frames)
    return len(body).to_bytes(8, "little") + body


IMPOSTORS = {
    "nothing": b"",
    "another protocol": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "a message of 2^60 bytes": (1 << 60).to_bytes(8, "little"),
    "2^60 frames": (16).to_bytes(8, "little") + (1 << 60).to_bytes(8, "little") * 2,
    "a frame of 2^60 bytes": (16).to_bytes(8, "little") + (1).to_bytes(8, "little") + (1 << 60).to_bytes(8, "little"),
    "what cannot be decoded": framed(b"\xc1" * 100),
    "a number for a greeting": framed(b"\x07"),
    "brackets in brackets": framed(b"\x91" * 100_000),
}


@contextmanager
def impostor(says: bytes) -> Iterator[int]:
    """Yield the port of a listener that says this to whoever connects, and reads what it is told."""
    met: list[socket.socket] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def answer(one: socket.socket) -> None:
        with suppress(OSError):
            one.sendall(says)
            while one.recv(65536):
                pass

    def accept() -> None:
        with suppress(OSError):
            while True:
                one, _ = listener.accept()
                met.append(one)
                threading.Thread(target=answer, args=(one,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for one in met:
            one.close()


@pytest.mark.row(66)
@pytest.mark.parametrize("how", IMPOSTORS)
def test_a_stranger_at_the_address_of_a_scheduler_is_refused_in_one_sentence(
    how: str, seen: Seen, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(connection_module, "OPEN_S", 1.0 if how == "nothing" else DEADLINE_S)
    with impostor(IMPOSTORS[how]) as port:
        connection = ClusterConnection(parse_address(f"tcp://127.0.0.1:{port}"))
        with pytest.raises(MachinesError) as refused:
            connection.open()
    said = str(refused.value)
    assert "\n" not in said
    assert len(said) <= LONGEST_SENTENCE
    assert "no Dask scheduler answers there" in said
    assert "Traceback" not in capfd.readouterr().err, "what a stranger says is no defect"
    seen(f"{how}: {said.partition(': ')[2][:80]}")
