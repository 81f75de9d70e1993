"""The Unix socket over which a bot of ours passes its decisions to the program that shows them.

Input: a path in the program's own folder. Output: a listener, the lines of a connection, and whether the first line is
the secret.
"""

from __future__ import annotations

import hmac
import os
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import trio

from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.records.text.bounded_json import load_json

LONGEST_LINE = 1 << 20
"""The maximum length of the bot's line in bytes. A decision of a game with ten seats has about 20,000."""

HELLO_S = 10.0
"""How long a connection may take to send the secret."""

SECRET_BYTES = 32


def listen(path: Path, backlog: int) -> trio.SocketListener:
    """Listen at `path`, in a folder that only its owner may enter.

    If bots have their own users, as under root, they must be able to reach it. Then the secret keeps others out.
    """
    own = socket.socket(socket.AF_UNIX)
    own.bind(str(path))
    path.chmod(0o600)
    if os.geteuid() == 0:
        path.chmod(0o666)
        path.parent.chmod(0o711)
    own.listen(backlog)
    return trio.SocketListener(trio.socket.from_stdlib_socket(own))


def says(line: bytes, secret: str) -> bool:
    """Return whether the first line of a connection is the secret."""
    try:
        said = load_json(line)
    except ValueError:
        return False
    return isinstance(said, dict) and hmac.compare_digest(utf8(str(said.get("secret"))), utf8(secret))


async def lines_of(stream: trio.abc.ReceiveStream) -> AsyncIterator[bytes]:
    """Yield the lines of a stream. Stops at a line longer than LONGEST_LINE."""
    waiting = b""
    async for piece in stream:
        *lines, waiting = (waiting + piece).split(b"\n")
        for line in lines:
            yield line
        if len(waiting) > LONGEST_LINE:
            return
