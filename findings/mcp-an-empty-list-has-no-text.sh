#!/usr/bin/env bash
# mcp 2.3.0 (Python). One would guess that when a tool returns an empty list, the model is told so, as "[]". The reply
# has no content at all: a model that reads text sees nothing. Exits with 1 if that changed.
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


@server.tool()
async def games() -> list[str]:
    return []


async def main() -> object:
    async with Client(server) as client:
        return await client.call_tool("games", {})


result = anyio.run(main)
print("content:", result.content, "structured:", result.structured_content)
raise SystemExit(result.content != [])
PYTHON
