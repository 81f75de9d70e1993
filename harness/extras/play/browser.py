"""The browser face: pages on this machine, under an address that holds a secret.

It is bound to 127.0.0.1. A request without the secret or with another Host is refused, and so
is a change from another Origin. Any number of tabs show the same game; the first answer to a decision counts.
"""

from __future__ import annotations

import secrets
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState

from bowerbird.harness.extras.play.browser_pages import ADDRESS, Pages
from bowerbird.harness.extras.play.browser_table import BrowserFace, BrowserTable
from bowerbird.harness.extras.play.terminal import unwrapped
from bowerbird.harness.extras.serve.connections import BoundedListener
from bowerbird.harness.extras.serve.limits import Limits

SECRET_BYTES = 24


def play_in_browser(
    face: BrowserFace, listening: socket.socket, on_ready: Callable[[str], None], *, until_stdin_ends: bool = False
) -> None:
    """Show games in the browser until SIGINT, SIGTERM or SIGHUP, or where that is asked for until stdin ends.

    `on_ready` gets the address. Raises PlayError.
    """
    with unwrapped():
        trio.run(partial(_play, face, listening, on_ready, until_stdin_ends=until_stdin_ends))


async def _play(
    face: BrowserFace, listening: socket.socket, on_ready: Callable[[str], None], *, until_stdin_ends: bool
) -> None:
    port = listening.getsockname()[1]
    secret = secrets.token_urlsafe(SECRET_BYTES)
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async with trio.open_nursery() as nursery:
            table = BrowserTable(face, nursery)
            pages = Pages(table, secret, port)
            listener = BoundedListener(listening, Limits(), is_behind_proxy=False)
            wrapped = ASGIWrapper(pages.asgi)  # type: ignore[arg-type]  # Starlette's type of a scope is wider
            handler = partial(TCPServer, wrapped, _config(), WorkerContext(None), ConnectionState({}))
            nursery.start_soon(trio.serve_listeners, handler, [listener])
            nursery.start_soon(table.run)
            if until_stdin_ends:
                nursery.start_soon(_until_stdin_ends, nursery.cancel_scope.cancel)
            on_ready(f"http://{ADDRESS}:{port}/{secret}/")
            async for _ in signals:
                break
            nursery.cancel_scope.cancel()


async def _until_stdin_ends(stop: Callable[[], None]) -> None:
    """Wait until the process that started this one closes the pipe, or is gone."""
    await trio.to_thread.run_sync(sys.stdin.buffer.read, abandon_on_cancel=True)
    stop()


def _config() -> Config:
    config = Config()
    config.include_server_header = False
    config.errorlog = None
    config.accesslog = None
    return config
