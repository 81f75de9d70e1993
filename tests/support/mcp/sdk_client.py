"""The SDK's own client as an agent that plays at random."""

from __future__ import annotations

import random
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.deadline import DEADLINE_S


@dataclass
class Played:
    """What an agent saw: every decision's structured content, every text."""

    decisions: list[dict[str, Any]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def started(bowerbird: Bowerbird, *arguments: str) -> Any:
    """Return the transport to `bowerbird mcp` with these arguments, started in the test's folder."""
    return stdio_client(
        StdioServerParameters(
            command=str(COMMAND),
            args=["mcp", *arguments],
            env=bowerbird.environment(),
            cwd=bowerbird.folder,
        )
    )


def text_of(result: CallToolResult) -> str:
    """Return the text of a reply."""
    [block] = result.content
    assert isinstance(block, TextContent)
    return block.text


async def called(client: Client, tool: str, **arguments: object) -> CallToolResult:
    """Call a tool, which must work."""
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    assert not result.is_error, text_of(result)
    return result


async def refused(client: Client, tool: str, **arguments: object) -> str:
    """Call a tool, which must refuse; return what it says."""
    result = await client.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    assert result.is_error
    return text_of(result)


async def next_decision(client: Client, wait_s: float = 20) -> dict[str, Any]:
    """Return the structured content of the next reply of `next_decision` that is not a "wait"."""
    while True:
        shown: dict[str, Any] | None = (await called(client, "next_decision", wait_s=wait_s)).structured_content
        assert shown is not None
        if shown["state"] != "wait":
            return shown


async def play_out(
    client: Client, rng: random.Random, look: Callable[[dict[str, Any]], None] = lambda shown: None
) -> Played:
    """Play until all games are over."""
    played = Played()
    while True:
        result = await called(client, "next_decision", wait_s=20)
        shown = result.structured_content
        assert shown is not None
        played.texts.append(text_of(result))
        look(shown)
        if shown["state"] == "over":
            assert not shown["problem"], shown["problem"]
            return played
        if shown["state"] == "decide":
            played.decisions.append(shown)
            chosen = rng.choice(shown["legal"])
            action = rng.choice((chosen["number"], chosen["action"]))
            await called(client, "act", decision=shown["decision"], action=action)


@contextmanager
def listening(bowerbird: Bowerbird, *arguments: str) -> Iterator[tuple[str, str]]:
    """Run `bowerbird mcp --listen`; yield its address and the token of its first agent. End it on leaving."""
    process = bowerbird.start("mcp", "--listen", "127.0.0.1:0", *arguments)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "agents connect to" in line, process.stderr and process.stderr.read()
        [token_line, *_] = (bowerbird.folder / "agents.tokens").read_text().splitlines()
        yield line.split()[-1], token_line.split()[1]
    finally:
        process.terminate()
        process.communicate(timeout=DEADLINE_S)


def over_http(address: str, token: str, trust: Path | None = None) -> Any:
    """Return the transport to a server with a token. trust: the PEM file of its certificate, if it speaks TLS."""
    verify = ssl.create_default_context(cafile=trust) if trust is not None else True
    client = httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=DEADLINE_S, verify=verify)
    return streamable_http_client(address, http_client=client)
