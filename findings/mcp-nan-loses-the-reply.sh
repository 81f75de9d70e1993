#!/usr/bin/env bash
# mcp 2.3.0 (Python). One would guess that a tool which returns NaN fails, or that the client gets NaN. The server writes
# null, and the SDK's own client refuses the reply, because the schema says number: the call has happened, and its
# result is lost. Exits with 1 if that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "mcp==2.3.0" || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
import anyio
from mcp.client.client import Client
from mcp.server.mcpserver import MCPServer

server = MCPServer("surprise", log_level="CRITICAL")
calls = []


@server.tool()
async def rating() -> float:
    calls.append(1)
    return float("nan")


async def main() -> str:
    async with Client(server) as client:
        await client.list_tools()
        try:
            result = await client.call_tool("rating", {})
            return f"no error: {result.structured_content}"
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:100]}"


seen = anyio.run(main)
print("called", len(calls), "time; the client:", seen)
raise SystemExit(seen.startswith("no error") or len(calls) != 1)
PYTHON
