"""Serves the pages with hypercorn's HTTP over trio, behind a listener that limits connections.

hypercorn's own `serve` accepts any number of connections and waits for slow readers forever, so this module puts its
protocol on guarded streams (`connections`).
"""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Callable
from functools import partial

import trio
from hypercorn.trio.worker_context import WorkerContext

from bowerbird.harness.extras.serve.app import Application
from bowerbird.harness.extras.serve.connections import BoundedListener, http_handler
from bowerbird.harness.extras.serve.guard import Guard, Served
from bowerbird.harness.extras.serve.settings import Settings

BACKLOG = 256
GRACE_S = 20.0
"""How long pages served beside a run can outlive it, so that browsers get the last events."""

STOP_S = 2.0
"""How long the server waits for current answers when it stops."""


def bound(address: str, port: int) -> socket.socket:
    """Return a listening socket. Raises OSError if the address is taken or is not an address of this machine."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address, port))
        listening.listen(BACKLOG)
    except BaseException:
        listening.close()
        raise
    return listening


def serve(settings: Settings, listening: socket.socket, *, until_stdin_ends: bool = False) -> None:
    """Serve until SIGINT or SIGTERM or, on request, until stdin ends and the browsers have the last events."""
    trio.run(partial(_serve, settings, listening, until_stdin_ends=until_stdin_ends))


async def _serve(settings: Settings, listening: socket.socket, *, until_stdin_ends: bool) -> None:
    listener = BoundedListener(listening, settings.limits, is_behind_proxy=settings.is_behind_proxy)
    served = Served()
    context = WorkerContext(None)
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as background, trio.open_nursery() as answering:
            application = Application(settings, background, listener.counts, served)
            guard = Guard(
                application.asgi,
                settings.limits,
                hosts=settings.hosts,
                is_behind_proxy=settings.is_behind_proxy,
                prefix=settings.prefix,
                served=served,
            )
            handler = http_handler(guard, settings.limits, context)
            background.start_soon(partial(trio.serve_listeners, handler, [listener], handler_nursery=answering))
            if until_stdin_ends:
                background.start_soon(_until_stdin_ends, application, background.cancel_scope.cancel)
            answering.start_soon(_stop_on, signals, background, answering, context)


async def _stop_on(signals: object, background: trio.Nursery, answering: trio.Nursery, context: WorkerContext) -> None:
    async for _ in signals:  # type: ignore[attr-defined]  # trio's receiver has no public type
        break
    await context.terminated.set()
    background.cancel_scope.cancel()
    answering.cancel_scope.deadline = trio.current_time() + STOP_S


async def _until_stdin_ends(application: Application, stop: Callable[[], None]) -> None:
    """Wait until the process that started this one closes the pipe or ends, and the browsers have the last events."""
    await trio.to_thread.run_sync(sys.stdin.buffer.read, abandon_on_cancel=True)
    with trio.move_on_after(GRACE_S):
        await application.settle()
    stop()
