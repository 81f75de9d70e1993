"""A real `bowerbird serve` in a process of its own, and what a client asks it."""

from __future__ import annotations

import json
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic
from typing import Any

from tests.support.deadline import DEADLINE_S

ANSWER_S = 90

ENTRY = "from bowerbird.harness.cli.entry import main; main()"


@dataclass(frozen=True)
class Answer:
    """An answer of the server."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass(frozen=True)
class Served:
    """A running server."""

    process: subprocess.Popen[str]
    host: str
    port: int

    @property
    def url(self) -> str:
        """The address of its first page, without the last slash."""
        return f"http://{self.host}:{self.port}"

    def get(self, path: str, method: str = "GET", **headers: str) -> Answer:
        """Ask for a page on a connection of its own."""
        with closing(HTTPConnection(self.host, self.port, timeout=ANSWER_S)) as connection:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read().decode())

    def json(self, path: str) -> Any:
        """Return the JSON at a path."""
        return json.loads(self.get(path).text)

    def send(self, request: bytes) -> bytes:
        """Send raw bytes and return all that comes back before the server closes, or until it is silent for long."""
        with self.connect() as connection:
            received = b""
            try:
                connection.sendall(request)
                while piece := connection.recv(65536):
                    received += piece
            except (ConnectionError, TimeoutError):
                pass
            return received

    def changes(self) -> Iterator[None]:
        """Follow the pages as a browser does: yield at each event that tells of a change, for at most `ANSWER_S`."""
        end = monotonic() + ANSWER_S
        with closing(HTTPConnection(self.host, self.port, timeout=ANSWER_S)) as connection:
            connection.request("GET", "/events")
            lines = connection.getresponse()
            while (line := lines.readline()) and monotonic() < end:
                if line == b"event: changed\n":
                    yield

    def connect(self) -> socket.socket:
        """Return an open connection."""
        return socket.create_connection((self.host, self.port), timeout=ANSWER_S)


@contextmanager
def served(db: Path, *arguments: str) -> Iterator[Served]:
    """Start a server on a free port; end it with SIGTERM on leaving, which must end it cleanly."""
    command = [sys.executable, "-c", ENTRY, "serve", "--db", str(db), "--listen", "127.0.0.1:0", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, process_group=0)
    try:
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], DEADLINE_S)
        line = process.stdout.readline() if ready else ""
        assert line.startswith("the pages: http://127.0.0.1:"), f"the server did not start: {line!r}"
        port = int(line.removeprefix("the pages: http://127.0.0.1:").partition("/")[0])
        yield Served(process, "127.0.0.1", port)
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE_S) == 0, "SIGTERM ends the server cleanly"
    finally:
        process.kill()
        process.wait(DEADLINE_S)
