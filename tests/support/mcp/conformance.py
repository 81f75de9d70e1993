"""The protocol's own conformance tests, npm's package, run against `bowerbird mcp --listen`."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.command.bowerbird_command import Bowerbird

PACKAGE = "@modelcontextprotocol/conformance@0.1.16"
NODE = "node@22"
"""The version of Node.js that the package needs, which comes from npm, too."""

CHUNK = 65536
REQUEST = re.compile(rb"\A(?:GET|POST|DELETE|OPTIONS) \S+ HTTP/1\.1\r\n")
RESULT = re.compile(r"(?P<mark>[✓✗]) (?P<scenario>[a-z0-9-]+): (?P<passed>\d+) passed, (?P<failed>\d+) failed")


@contextmanager
def with_token(address: str, token: str) -> Iterator[str]:
    """Pass requests on to a server with a token in front of them, which the package cannot send. Yield the address."""
    parts = urlsplit(address)
    assert parts.port is not None
    target = (parts.hostname, parts.port)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):  # closed below
            while True:
                client, _ = listener.accept()
                server = socket.create_connection(target)
                threading.Thread(target=_carry, args=(client, server, token), daemon=True).start()
                threading.Thread(target=_carry, args=(server, client, ""), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}{parts.path}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _carry(source: socket.socket, sink: socket.socket, token: str) -> None:
    with suppress(OSError):
        while data := source.recv(CHUNK):
            found = REQUEST.match(data) if token else None
            if found is not None:
                end = found.end()
                data = data[:end] + f"Authorization: Bearer {token}\r\n".encode() + data[end:]
            sink.sendall(data)
    for one in (source, sink):
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()


def install(folder: Path) -> None:
    """Install the package and its Node.js into a folder."""
    done = Bowerbird(folder).run("npm", "install", "--no-audit", "--no-fund", PACKAGE, NODE)
    assert done.returncode == 0, done.stderr


def outcomes(folder: Path, address: str) -> dict[str, tuple[int, int]]:
    """Run every scenario for servers; return the checks that passed and failed, by scenario."""
    modules = folder / "node_modules"
    program = modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    done = Bowerbird(folder).run(
        modules / ".bin" / "node", program, "server", "--suite", "all", "--url", address, NO_COLOR="1"
    )
    found = {one["scenario"]: (int(one["passed"]), int(one["failed"])) for one in RESULT.finditer(done.stdout)}
    assert found, done.stdout + done.stderr
    return found
