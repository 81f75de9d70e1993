#!/usr/bin/env bash
# mcp 2.3.0 (Python). One would guess that an argument `seat: int`, whose schema says integer, accepts only whole
# numbers. Unless the type is strict, true becomes 1, and the text "2" becomes 2. Exits with 1 if that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "mcp==2.3.0" || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
import anyio
from mcp.client.client import Client
from mcp.server.mcpserver import MCPServer
from pydantic import StrictInt

server = MCPServer("surprise", log_level="CRITICAL")


@server.tool()
async def sit(seat: int) -> str:
    return f"seat {seat!r}"


@server.tool()
async def sit_strictly(seat: StrictInt) -> str:
    return f"seat {seat!r}"


async def main() -> list[object]:
    async with Client(server) as client:
        loose = [(await client.call_tool("sit", {"seat": seat})).content[0].text for seat in (True, "2")]
        return [*loose, (await client.call_tool("sit_strictly", {"seat": True})).is_error]


seen = anyio.run(main)
print(seen)
raise SystemExit(seen != ["seat 1", "seat 2", True])
PYTHON
