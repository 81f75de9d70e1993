"""The browser face: a page on this machine, under an address that holds a secret.

It is bound to 127.0.0.1. A request without the secret, of another Host, or, where it changes something, of another
Origin gets no answer but a refusal. Any number of tabs show the same game; the first answer to a decision counts.
"""

from __future__ import annotations

import hmac
import json
import secrets
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from harness.compliance.config import CheckConfig
from harness.play import screen
from harness.play.hints import Adviser, run_adviser
from harness.play.person_game import OpenDecision, PersonGame
from harness.play.screen import Look
from harness.play.session import Asked, Lost, Remark, Session, open_session
from harness.play.setup import Setup, new_run
from harness.play.terminal import unwrapped
from harness.play.words import choice, question
from harness.records.quoting import shown
from harness.records.store.store import Store
from harness.report.replay_data import frame_values, trump_marks
from harness.report.replay_page import TABLE_SCRIPTS, TABLE_STYLES
from harness.report.templating import OURS, render
from harness.serve.connections import BoundedListener
from harness.serve.limits import Limits

ADDRESS = "127.0.0.1"
HEARTBEAT_S = 15.0
LONGEST_BODY = 4096
"""Bytes of what a page may send; it sends the token of an action."""

MOST_TABS = 16
QUEUE = 512
SECRET_BYTES = 24

_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}

_LOOK = Look(width=200)


def play_in_browser(
    setup: Setup, db: Path, listening: socket.socket, hint: Callable[[], CheckConfig], on_ready: Callable[[str], None]
) -> None:
    """Show games in the browser until SIGINT, SIGTERM or SIGHUP. `on_ready` gets the address. Raises PlayError."""
    with unwrapped():
        trio.run(_play, setup, db, listening, hint, on_ready)


def bound(port: int) -> socket.socket:
    """Return a listening socket of this machine; port 0 takes a free one. Raises OSError."""
    listening = socket.socket()
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((ADDRESS, port))
        listening.listen(64)
    except BaseException:
        listening.close()
        raise
    return listening


async def _play(
    setup: Setup,
    db: Path,
    listening: socket.socket,
    hint: Callable[[], CheckConfig],
    on_ready: Callable[[str], None],
) -> None:
    port = listening.getsockname()[1]
    secret = secrets.token_urlsafe(SECRET_BYTES)
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async with trio.open_nursery() as nursery:
            table = _BrowserTable(setup, db, hint, nursery)
            pages = _Pages(table, secret, port)
            listener = BoundedListener(listening, Limits(), is_behind_proxy=False)
            wrapped = ASGIWrapper(pages.asgi)  # type: ignore[arg-type]  # Starlette's type of a scope is wider
            handler = partial(TCPServer, wrapped, _config(), WorkerContext(None), ConnectionState({}))
            nursery.start_soon(trio.serve_listeners, handler, [listener])
            nursery.start_soon(table.run)
            on_ready(f"http://{ADDRESS}:{port}/{secret}/")
            async for _ in signals:
                break
            nursery.cancel_scope.cancel()


def _config() -> Config:
    config = Config()
    config.include_server_header = False
    config.errorlog = None
    config.accesslog = None
    return config


class _BrowserTable:
    """The games, one after the other, and the tabs that look at them. For the trio thread alone."""

    def __init__(self, setup: Setup, db: Path, hint: Callable[[], CheckConfig], nursery: trio.Nursery) -> None:
        self._setup = setup
        self._db = db
        self._hint = hint
        self._nursery = nursery
        self._game: PersonGame | None = None
        self._session: Session | None = None
        self._adviser: Adviser | None = None
        self._next = trio.Event()
        self._wish: Setup | None = None
        self._events: list[str] = []
        """What a new tab must know: the game, and what happened in this hand."""
        self._tabs: set[trio.MemorySendChannel[str]] = set()

    async def run(self) -> None:
        """Play games for ever, each when it is asked for."""
        wanted: Setup | None = self._setup
        while wanted is not None:
            self._next = trio.Event()
            with unwrapped():
                await self._one_game(wanted)
            await self._next.wait()
            wanted = self._wish

    async def _one_game(self, setup: Setup) -> None:
        with Store.open(self._db) as store:
            setup, plan = new_run(setup, store)
        self._setup = setup
        game = self._game = PersonGame(setup, plan)
        self._events = []
        self._tell("game", seat=game.seat, title=game.title, lines=screen.opening(game, _LOOK)[2:-1])
        async with open_session(setup, self._db) as session:
            self._session = session
            while game.ended is None:
                message = await session.messages.receive()
                decision = game.decision
                game.take(message)
                if isinstance(message, Lost) and decision is not None:
                    self._tell("answered", number=decision.number, words="")
                if isinstance(message, Remark):
                    self._tell("remark", text=message.text)
                elif isinstance(message, Lost) and game.over is None:
                    self._tell("remark", text="The bot that plays for you has ended; the referee decides what follows.")
                self._show(game)
                if isinstance(message, Asked):
                    self._ask(game)
            self._session = None
        self._end(game)

    def _show(self, game: PersonGame) -> None:
        for frame in game.take_fresh():
            if frame.kind == "deal":
                self._events = self._events[:1]
            self._tell("frame", **{**frame_values(frame), "t": screen.said(game, frame)})
            if frame.kind == "end":
                self._tell("turned", hand=frame.hand, rows=screen.turned_rows(game, game.hands[frame.hand]))

    def _ask(self, game: PersonGame) -> None:
        decision = game.decision
        assert decision is not None  # the last message asked for it
        if self._adviser is not None:
            self._adviser.note(decision)
        self._tell(
            "ask",
            number=decision.number,
            question=question(decision.view.stage),
            choices=[
                {"token": action.token, "card": action.card, "words": choice(action.token, game.names)}
                for action in decision.view.legal
            ],
            last=screen.last_trick(game, _LOOK),
        )

    def _end(self, game: PersonGame) -> None:
        assert game.ended is not None  # `_one_game` waits for it
        if game.ended.why:
            self._tell("over", lines=[f"The game is over: {game.ended.why}."], replay="")
            return
        with Store.open(self._db) as store:
            record = store.record(game.game_id)
        game.scores = record.scores or game.scores
        faults = [(fault.seat, fault.kind, fault.detail) for fault in record.faults]
        lines = screen.result(game, record.result.ranks, record.result.ended, faults)
        self._tell("over", lines=lines, replay=game.game_id)

    def _tell(self, kind: str, **fields: object) -> None:
        text = json.dumps(fields, ensure_ascii=False)
        event = f"event: {kind}\ndata: {text}\n\n"
        self._events.append(event)
        for tab in [*self._tabs]:
            try:
                tab.send_nowait(event)
            except trio.WouldBlock:  # it does not keep up: it comes again and gets all of this hand
                self._tabs.discard(tab)
                tab.close()

    async def look(self) -> AsyncIterator[str]:
        """Yield what happened in this hand, then what happens, for one tab."""
        send, receive = trio.open_memory_channel[str](QUEUE)
        for event in self._events:
            yield event
        yield "event: now\ndata: {}\n\n"
        self._tabs.add(send)
        try:
            while True:
                with trio.move_on_after(HEARTBEAT_S):
                    try:
                        yield await receive.receive()
                    except trio.EndOfChannel:
                        return
                    continue
                yield ": still here\n\n"
        finally:
            self._tabs.discard(send)

    @property
    def is_full(self) -> bool:
        """Whether no more tabs may look."""
        return len(self._tabs) >= MOST_TABS

    def drawing(self) -> dict[str, object]:
        """Return what the drawing of the table must know."""
        game, setup = self._game, self._setup
        assert game is not None  # the game begins before the first request
        return {
            "title": game.title,
            "only": game.seat,
            "variant": setup.variant,
            "seats": [{"bot": name} for name in game.names],
            "seat": game.seat,
            "teams": game.sides is not None,
            "clock": {"decision": 0, "bank": 0},
            "marks": trump_marks(setup.variant, setup.resolved),
            "rules": game.rules.better,
        }

    def _open(self, number: object) -> OpenDecision | None:
        """Return the open decision if it is that of `number`."""
        decision = self._game.decision if self._game is not None else None
        return decision if decision is not None and decision.number == number else None

    async def choose(self, wish: dict[str, object]) -> Response:
        """Answer the open decision."""
        decision = self._open(wish.get("number"))
        token = wish.get("action")
        if decision is None or self._session is None or self._game is None:
            return _refused(409, "this decision is answered already")
        if not isinstance(token, str) or token not in decision.legal:
            return _refused(400, "this is no legal action")
        self._game.choose(token)
        self._tell("answered", number=decision.number, words=choice(token, self._game.names))
        await self._session.answer(decision.number, token)
        return JSONResponse({})

    async def resign(self, wish: dict[str, object]) -> Response:
        """Resign at the open decision."""
        decision = self._open(wish.get("number"))
        if decision is None or self._session is None:
            return _refused(409, "no decision of yours is open")
        self._tell("answered", number=decision.number, words="resign")
        await self._session.resign(decision.number)
        return JSONResponse({})

    async def hint(self, wish: dict[str, object]) -> Response:
        """Ask the adviser."""
        decision, game = self._open(wish.get("number")), self._game
        if decision is None or game is None:
            return _refused(409, "no decision of yours is open")
        if self._adviser is None:
            config = await trio.to_thread.run_sync(self._hint)
            self._adviser = await self._nursery.start(run_adviser, config)
        token = await self._adviser.ask(game, decision)
        if token not in decision.legal:
            return JSONResponse({"text": shown(token, 300), "token": ""})
        return JSONResponse({"text": f"{self._adviser.name} would {choice(token, game.names)}.", "token": token})

    async def another(self, wish: dict[str, object]) -> Response:
        """Begin another game once this one is over."""
        if self._game is None or self._game.ended is None or self._next.is_set():
            return _refused(409, "the game is not over")
        self._wish = self._setup.again() if wish.get("deal") == "same" else self._setup.anew()
        self._next.set()
        return JSONResponse({})


class _Pages:
    """What is answered under the address with the secret."""

    def __init__(self, table: _BrowserTable, secret: str, port: int) -> None:
        self._table = table
        self._secret = secret.encode()
        self._hosts = {f"{ADDRESS}:{port}", f"localhost:{port}"}
        posts = {"choose": table.choose, "resign": table.resign, "hint": table.hint, "another": table.another}
        self.asgi = Starlette(
            routes=[
                Route("/{secret}/", self._page, methods=["GET"]),
                Route("/{secret}/events", self._stream, methods=["GET"]),
                *(Route(f"/{{secret}}/{name}", self._post(do), methods=["POST"]) for name, do in posts.items()),
            ]
        )

    def _refusal(self, request: Request) -> Response | None:
        if request.headers.get("host", "") not in self._hosts:
            return _refused(421, "this page is only for the browser of this machine")
        if not hmac.compare_digest(request.path_params["secret"].encode(), self._secret):
            return _refused(404, "there is no such page")
        origin = request.headers.get("origin")
        if (origin is not None or request.method == "POST") and origin not in {f"http://{one}" for one in self._hosts}:
            return _refused(403, "only its own page may change the game")
        return None

    async def _page(self, request: Request) -> Response:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        page = render(
            "play.html",
            {"data": self._table.drawing()},
            (*TABLE_STYLES, "play.css"),
            (*TABLE_SCRIPTS, "play.js"),
            (*OURS, "harness.play"),
            connect=True,
        )
        policy = f"{page.policy}; frame-ancestors 'none'"
        return HTMLResponse(page.text, headers={**_HEADERS, "content-security-policy": policy})

    async def _stream(self, request: Request) -> Response:
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        if self._table.is_full:
            return _refused(503, "too many tabs show this game already")
        return StreamingResponse(self._table.look(), media_type="text/event-stream", headers=_HEADERS)

    def _post(self, do: Callable[[dict[str, object]], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            refusal = self._refusal(request)
            if refusal is not None:
                return refusal
            body = b""
            async for piece in request.stream():
                body += piece
                if len(body) > LONGEST_BODY:
                    return _refused(413, "a page does not send that much")
            wish: object = None
            with suppress(ValueError):
                wish = json.loads(body)
            return await do(wish) if isinstance(wish, dict) else _refused(400, "a JSON object is wanted")

        return answer


def _refused(status: int, sentence: str) -> Response:
    return PlainTextResponse(f"{sentence[:1].upper()}{sentence[1:]}.\n", status, headers=_HEADERS)
