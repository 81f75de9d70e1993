#!/usr/bin/env bash
# mcp 2.3.0 (Python). One would guess that the model gets the text of an exception that a tool raises, as it did in
# 1.30. It gets only the text of a ToolError: ValueError("you must follow suit") arrives as "Error executing tool".
# Exits with 1 if that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "mcp==2.3.0" || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
import anyio
from mcp.client.client import Client
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("surprise", log_level="CRITICAL")


@server.tool()
async def value_error() -> str:
    raise ValueError("you must follow suit")


@server.tool()
async def tool_error() -> str:
    raise ToolError("you must follow suit")


async def main() -> list[str]:
    async with Client(server) as client:
        return [(await client.call_tool(tool, {})).content[0].text for tool in ("value_error", "tool_error")]


texts = anyio.run(main)
print(texts)
raise SystemExit("follow suit" in texts[0] or "follow suit" not in texts[1])
PYTHON
