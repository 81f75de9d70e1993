"""A client written by hand from the specification: JSON-RPC 2.0, a message a line, over a server's stdin and stdout."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.deadline import DEADLINE_S

PROTOCOL = "2025-06-18"


class RawClient:
    """Starts `bowerbird mcp`. Every message of the server must be one that the specification allows."""

    def __init__(self, bowerbird: Bowerbird, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [str(COMMAND), "mcp", *arguments],
            cwd=bowerbird.folder,
            env=bowerbird.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._number = 0
        hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "by hand", "version": "1"}}
        welcome = self.request("initialize", hello)
        assert welcome["protocolVersion"] == PROTOCOL
        assert welcome["capabilities"]["tools"] is not None
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: object) -> None:
        """Send one message; bytes as they are."""
        assert self._process.stdin is not None
        self._process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Return the next message of the server."""
        assert self._process.stdout is not None
        message: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        assert ("result" in message) != ("error" in message) or "method" in message
        return message

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request; return its result, or the error under "error"."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}})
        while "method" in (message := self.receive()):
            pass
        assert message["id"] == self._number
        result: dict[str, Any] = message.get("result", message)
        return result

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool; return its result."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_error: object) -> None:
        """Kill the server if it still runs: a test that failed must not wait for it."""
        self._process.kill()
        self._process.wait(DEADLINE_S)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def close(self) -> int:
        """Close the server's stdin, which ends it; return its exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(DEADLINE_S)
