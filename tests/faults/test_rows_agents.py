"""An agent's server is killed in the middle of a game (row 65)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess

import pytest

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.referee.fault_matrix import Seen

BRIEF = ("euchre", "--games", "1", "--option", "max_hands=1", "--isolation", "none", "--db", "x.db")

FIRST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "row 65", "version": "1"},
    },
}
THEN = {"jsonrpc": "2.0", "method": "notifications/initialized"}
ASK = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "next_decision", "arguments": {"wait_s": 20}},
}


async def killed_in_play(bowerbird: Bowerbird) -> None:
    """Ask for a decision, and kill the server when it has one."""
    process = await asyncio.create_subprocess_exec(
        COMMAND,
        "mcp",
        *BRIEF,
        cwd=bowerbird.folder,
        env=bowerbird.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        limit=1 << 24,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    async with asyncio.timeout(DEADLINE_S):
        for message, answered in ((FIRST, True), (THEN, False), (ASK, True)):
            process.stdin.write(json.dumps(message).encode() + b"\n")
            await process.stdin.drain()
            while answered and json.loads(await process.stdout.readline()).get("id") != message["id"]:
                pass
        os.kill(process.pid, signal.SIGKILL)
        assert await process.wait() == -signal.SIGKILL


@pytest.mark.row(65)
def test_a_server_of_an_agent_that_is_killed_leaves_no_process_and_no_half_game(
    bowerbird: Bowerbird, seen: Seen
) -> None:
    for _ in range(2):
        asyncio.run(killed_in_play(bowerbird))
        assert bowerbird.wait_until_gone() == [], "processes are left"
        assert bowerbird.json("runs", "--db", "x.db") == [], "a game that was not played to its end is not stored"
    seen("killed twice with a decision open: no process is left, nothing is stored, the next server plays")
