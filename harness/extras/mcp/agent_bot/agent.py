"""Plays an agent's decisions: an ordinary bot in front of the MCP server, with the messages of a bridge.

It connects to the Unix socket in AGENT_SOCKET and sends the secret in AGENT_SECRET. Then it sends the messages of
bridges.md, one per line, and reads the answers. For a seat without an agent, the server answers PARTNER and `greedy`
decides, so an agent with one seat never sees its partner's cards.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Mapping

from bowerbird.bots.bridge.bot import Bridge, play
from bowerbird.bots.bridge.messages import MAX_ANSWER_BYTES, LateError, encoded
from bowerbird.bots.greedy.player import choose
from bowerbird.sdk import BotFailedError, Capabilities, Choice, Decision

SOCKET, SECRET = "AGENT_SOCKET", "AGENT_SECRET"
"""The environment variables that the server sets."""

PARTNER = "(partner)"
"""The server's answer for a seat without an agent. It is not the token of any action."""

PARTNER_FIGURE = "partner"
"""The figure, always 1, of a decision that the partner made."""

CHUNK = 65536

CAPABILITIES = Capabilities(max_tables=1, max_batch=1, wants_events=True)
"""One table at a time, since the clocks of others would run while the agent thinks."""


class Server:
    """The connection to the MCP server. Use it in one thread."""

    who = "the MCP server"

    def __init__(self, path: str, secret: str) -> None:
        """Connect to the socket at `path` and send the secret. Raises BotFailedError."""
        self._socket = socket.socket(socket.AF_UNIX)
        self._received = b""
        try:
            self._socket.connect(path)
            self._socket.sendall(json.dumps({"secret": secret}).encode() + b"\n")
        except OSError as error:
            raise BotFailedError(f"no MCP server seats the agent: {error.strerror}") from None

    def ask(self, message: Mapping[str, object], deadline: float, warn_at: float, warning: str) -> bytes:
        """Send a message and return the next line. Raises BotFailedError or LateError."""
        self.tell(message, deadline)
        while b"\n" not in self._received:
            if len(self._received) > MAX_ANSWER_BYTES:
                raise BotFailedError("the MCP server sent a line that is too long")
            now = time.monotonic()
            if warning and now >= warn_at:
                sys.stderr.write(f"{warning}\n")
                sys.stderr.flush()
                warning = ""
            self._receive(min(warn_at, deadline) if warning else deadline)
            if time.monotonic() >= deadline and b"\n" not in self._received:
                raise LateError
        line, _, self._received = self._received.partition(b"\n")
        return line

    def tell(self, message: Mapping[str, object], deadline: float) -> None:
        """Send a message. Raises BotFailedError if the server has gone or does not read."""
        self._socket.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            self._socket.sendall(encoded(message) + b"\n")
        except OSError:
            raise BotFailedError("the MCP server is gone") from None

    def close(self, _deadline: float) -> None:
        """Close the connection."""
        self._socket.close()

    def _receive(self, until: float) -> None:
        """Wait for bytes, at most until `until`."""
        self._socket.settimeout(max(0.001, until - time.monotonic()))
        try:
            data = self._socket.recv(CHUNK)
        except TimeoutError:
            return
        except OSError:
            data = b""
        if not data:
            raise BotFailedError("the MCP server is gone")
        self._received += data


class Agent(Bridge):
    """An agent and its partner."""

    capabilities = CAPABILITIES

    def act(self, decision: Decision) -> Choice:
        """Return the choice of the agent or its partner."""
        choice = super().act(decision)
        if choice != PARTNER:
            return choice
        decision.note = "greedy decided, the agent's partner"
        decision.figures[PARTNER_FIGURE] = 1
        return choose(decision.view)


def main() -> None:
    """Connect to the server, then play."""
    path, secret = os.environ.get(SOCKET), os.environ.get(SECRET, "")
    if path is None:
        sys.exit("this bot plays for an agent, and there is no MCP server for it; start it with: bowerbird mcp")
    play(Agent("agent", lambda: Server(path, secret), is_shared=True))


if __name__ == "__main__":
    main()
