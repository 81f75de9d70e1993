#!/usr/bin/env bash
# mcp 2.3.0 (Python). One would guess that a NamedTuple, which has names and types, becomes structured output, as a
# dataclass does. It has no schema and no structured content, and nothing warns of it. Exits with 1 if that changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "mcp==2.3.0" || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
from dataclasses import dataclass
from typing import NamedTuple

import anyio
from mcp.client.client import Client
from mcp.server.mcpserver import MCPServer

server = MCPServer("surprise", log_level="CRITICAL")


class Tuple(NamedTuple):
    seat: int


@dataclass
class Data:
    seat: int


@server.tool()
async def named_tuple() -> Tuple:
    return Tuple(1)


@server.tool()
async def data() -> Data:
    return Data(1)


async def main() -> dict[str, tuple[bool, object]]:
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        called = {tool.name: await client.call_tool(tool.name, {}) for tool in tools}
        return {tool.name: (tool.output_schema is not None, called[tool.name].structured_content) for tool in tools}


seen = anyio.run(main)
print("schema, structured content:", seen)
raise SystemExit(seen != {"named_tuple": (False, None), "data": (True, {"seat": 1})})
PYTHON
