#!/usr/bin/env bash
# mcp 2.3.0 (Python). One would guess that slots=True changes nothing about a dataclass as structured output. Without
# slots it has a schema and structured content. With slots it has neither, and nothing warns about it. Exits with 1 if
# that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "mcp==2.3.0" || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
from dataclasses import dataclass

import anyio
from mcp.client.client import Client
from mcp.server.mcpserver import MCPServer

server = MCPServer("surprise", log_level="CRITICAL")


@dataclass
class Plain:
    seat: int


@dataclass(slots=True)
class Slots:
    seat: int


@server.tool()
async def plain() -> Plain:
    return Plain(1)


@server.tool()
async def slots() -> Slots:
    return Slots(1)


async def main() -> dict[str, tuple[bool, object]]:
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        called = {tool.name: await client.call_tool(tool.name, {}) for tool in tools}
        return {tool.name: (tool.output_schema is not None, called[tool.name].structured_content) for tool in tools}


seen = anyio.run(main)
print("schema, structured content:", seen)
raise SystemExit(seen != {"plain": (True, {"seat": 1}), "slots": (False, None)})
PYTHON
