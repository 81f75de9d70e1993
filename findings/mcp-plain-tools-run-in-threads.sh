#!/usr/bin/env bash
# mcp 2.3.0 (Python). One would guess that the tools of one session run one after another, and that a call cancelled by
# the client has no effect. A tool written as plain `def` runs in a worker thread: two calls overlap, and a cancelled
# call takes effect all the same. A tool written as `async def` is stopped. Exits with 1 if that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "mcp==2.3.0" || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
import threading
import time

import anyio
from mcp.client.client import Client
from mcp.server.mcpserver import MCPServer

server = MCPServer("surprise", log_level="CRITICAL")
acted = []
threads = set()


@server.tool()
def plain(name: str) -> str:
    threads.add(threading.current_thread().name)
    time.sleep(0.5)
    acted.append(name)
    return "done"


@server.tool()
async def awaited(name: str) -> str:
    await anyio.sleep(0.5)
    acted.append(name)
    return "done"


async def main() -> None:
    async with Client(server, mode="legacy") as client:
        for tool in ("plain", "awaited"):
            with anyio.move_on_after(0.1):
                await client.call_tool(tool, {"name": tool})
        await anyio.sleep(1)
        async with anyio.create_task_group() as group:
            for name in ("first", "second"):
                group.start_soon(client.call_tool, "plain", {"name": name})


anyio.run(main)
print("acted, though both calls were cancelled:", acted[:1], "; threads:", sorted(threads))
raise SystemExit("plain" not in acted or "awaited" in acted or threading.main_thread().name in threads)
PYTHON
