"""Serves one agent over stdin and stdout, as most clients start a server. Ends when stdin ends, or at a signal."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from typing import cast

import anyio
import trio
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server

from bowerbird.harness.extras.mcp.place import open_places
from bowerbird.harness.extras.mcp.runs import Source
from bowerbird.harness.extras.mcp.tools import server_of

LONGEST_REQUEST = 1 << 20
"""The maximum length of a client's line in bytes."""


def serve_stdio(source: Source) -> None:
    """Serve the client on stdin and stdout until it leaves."""
    trio.run(_serve, source)


async def _serve(source: Source) -> None:
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async with open_places(source) as [place], trio.open_nursery() as nursery:
            nursery.start_soon(_stop_on, signals, nursery.cancel_scope)
            await _speak(server_of(place))
            nursery.cancel_scope.cancel()


async def _stop_on(signals: AsyncIterator[int], scope: trio.CancelScope) -> None:
    async for _ in signals:
        scope.cancel()
        return


async def _speak(server: MCPServer[object]) -> None:
    """Serve MCP until stdin ends.

    The SDK's own reader waits in a thread that only the end of stdin can stop, so a signal would not end it, and it
    accepts lines of any length.
    """
    inner = server._lowlevel_server
    stdin = cast("anyio.AsyncFile[str]", _requests())
    async with stdio_server(stdin=stdin) as (read, write):
        await inner.run(read, write, inner.create_initialization_options())


async def _requests() -> AsyncIterator[str]:
    """Yield the lines of stdin. Stops at a line that is too long."""
    waiting = b""
    async with trio.lowlevel.FdStream(os.dup(0)) as stream:
        async for piece in stream:
            *lines, waiting = (waiting + piece).split(b"\n")
            for line in lines:
                yield line.decode(errors="replace")
            if len(waiting) > LONGEST_REQUEST:
                return
