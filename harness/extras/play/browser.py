"""The browser interface: pages on this machine, under an address that contains a secret.

It is bound to 127.0.0.1. Requests without the secret or with another Host are refused, as are changes from another
Origin. Any number of tabs can show the same game. The first answer to a decision counts.
"""

from __future__ import annotations

import hmac
import secrets
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from bowerbird.harness.extras.play.browser_table import HEADERS, BrowserFace, BrowserTable, refused
from bowerbird.harness.extras.play.terminal import unwrapped
from bowerbird.harness.extras.serve.connections import BoundedListener, http_handler
from bowerbird.harness.extras.serve.limits import Limits
from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.records.text.bounded_json import load_json
from bowerbird.harness.report.replay_page import TABLE_SCRIPTS, TABLE_STYLES
from bowerbird.harness.report.templating import OURS, Page, render

LONGEST_BODY = 4096
"""The maximum number of bytes that a page may send: the token of an action, or the bots of a table."""

ADDRESS = "127.0.0.1"


class Pages:
    """The application under the address with the secret."""

    def __init__(self, table: BrowserTable, secret: str, port: int) -> None:
        """Create the application for a table, for readers who know the secret."""
        self._table = table
        self._secret = secret.encode()
        self._hosts = {f"{ADDRESS}:{port}", f"localhost:{port}"}
        posts = {
            "choose": table.choose,
            "resign": table.resign,
            "hint": table.hint,
            "another": table.another,
            "begin": table.begin,
        }
        self.asgi = Starlette(
            routes=[
                Route("/{secret}/", self._page, methods=["GET"]),
                Route("/{secret}/table", self._set_table, methods=["GET"]),
                Route("/{secret}/events", self._stream, methods=["GET"]),
                *(Route(f"/{{secret}}/{name}", self._post(do), methods=["POST"]) for name, do in posts.items()),
            ]
        )

    def _refusal(self, request: Request) -> Response | None:
        if request.headers.get("host", "") not in self._hosts:
            return refused(421, "this page is only for the browser of this machine")
        if not hmac.compare_digest(utf8(request.path_params["secret"]), self._secret):
            return refused(404, "there is no such page")
        origin = request.headers.get("origin")
        if (origin is not None or request.method == "POST") and origin not in {f"http://{one}" for one in self._hosts}:
            return refused(403, "only its own page may change the game")
        return None

    async def _page(self, request: Request) -> Response:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        drawing = self._table.drawing()
        if drawing is None:
            return RedirectResponse("table", 303, headers=HEADERS)
        return _shown(
            render(
                "play.html",
                {"data": drawing},
                (*TABLE_STYLES, "play.css"),
                (*TABLE_SCRIPTS, "play.js"),
                (*OURS, "bowerbird.harness.extras.play"),
                connect=True,
            )
        )

    async def _set_table(self, request: Request) -> Response:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        values = {"data": await trio.to_thread.run_sync(self._table.lobby)}
        packages = (*OURS, "bowerbird.harness.extras.play")
        return _shown(
            render("lobby.html", values, ("page.css", "lobby.css"), ("page.js", "lobby.js"), packages, connect=True)
        )

    async def _stream(self, request: Request) -> Response:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        if self._table.is_full:
            return refused(503, "too many tabs show this game already")
        return StreamingResponse(self._table.look(), media_type="text/event-stream", headers=HEADERS)

    def _post(self, do: Callable[[dict[str, object]], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            refusal = self._refusal(request)
            if refusal is not None:
                return refusal
            body = b""
            async for piece in request.stream():
                body += piece
                if len(body) > LONGEST_BODY:
                    return refused(413, "the request is too large")
            wish: object = None
            with suppress(ValueError):
                wish = load_json(body)
            return await do(wish) if isinstance(wish, dict) else refused(400, "must be a JSON object")

        return answer


def _shown(page: Page) -> Response:
    policy = f"{page.policy}; frame-ancestors 'none'"
    return HTMLResponse(page.text, headers={**HEADERS, "content-security-policy": policy})


SECRET_BYTES = 24


def play_in_browser(
    face: BrowserFace, listening: socket.socket, on_ready: Callable[[str], None], *, until_stdin_ends: bool = False
) -> None:
    """Show games in the browser until SIGINT, SIGTERM or SIGHUP or, on request, until stdin ends.

    `on_ready` receives the address. Raises PlayError.
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
            limits = Limits()
            listener = BoundedListener(listening, limits, is_behind_proxy=False)
            nursery.start_soon(trio.serve_listeners, http_handler(pages.asgi, limits), [listener])
            nursery.start_soon(table.run)
            if until_stdin_ends:
                nursery.start_soon(_until_stdin_ends, nursery.cancel_scope.cancel)
            on_ready(f"http://{ADDRESS}:{port}/{secret}/")
            async for _ in signals:
                break
            nursery.cancel_scope.cancel()


async def _until_stdin_ends(stop: Callable[[], None]) -> None:
    """Wait until the process that started this one closes the pipe or ends."""
    await trio.to_thread.run_sync(sys.stdin.buffer.read, abandon_on_cancel=True)
    stop()
