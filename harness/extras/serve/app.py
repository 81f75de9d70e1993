"""The ASGI application, which answers each address.

| address | answer |
|---|---|
| `/` | all leagues and runs |
| `/leagues/LEAGUE…` | the pages of a league (`site`) |
| `/runs/RUN…` | the pages of a run (`site`) |
| any of these with `.json`, and `/index.json` for the first | the same data for programs |
| `/events`, `/runs/RUN/events` | a stream of notices that something has changed |
| `/runs/RUN/tables/…/events` | the frames of a table in play |
| `/health`, `/metrics`, `/robots.txt` | for monitors and robots |
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, suppress
from functools import partial

import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from bowerbird.harness.extras.serve.addresses import Addresses
from bowerbird.harness.extras.serve.changes import Changes
from bowerbird.harness.extras.serve.connections import Counts
from bowerbird.harness.extras.serve.guard import READER, Served
from bowerbird.harness.extras.serve.limits import Limits, StreamPlaces
from bowerbird.harness.extras.serve.metrics import metrics_text
from bowerbird.harness.extras.serve.pages_cache import Answer, PagesCache, TooBusyError
from bowerbird.harness.extras.serve.settings import Settings
from bowerbird.harness.extras.serve.site import Site, refusal
from bowerbird.harness.extras.serve.table_feed import TableFeeds
from bowerbird.harness.records.values.run import GameId, is_run_id

HEARTBEAT_S = 15.0
"""How often a stream without news sends a sign of life, so that proxies keep it open."""

CHANGES_A_SECOND = 20.0
"""How many browsers are notified of a change each second. Each then fetches its page again."""

GOLDEN_SHARE = 0.618
"""Spreads notices to browsers evenly over time, however many there are."""

LAST_LOOK_S = 3.0
"""After how long without a request every browser is assumed to have the latest page."""

SETTLING_S = 0.1
"""How often to check whether every browser has the latest change."""

RETRY_MS = 3000
"""How long a browser waits before it reconnects when its stream has ended."""

_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]{1,64}){1,8}")

ROBOTS = "User-agent: *\nDisallow: /\n"


class Application:
    """The pages of one database, for one server."""

    def __init__(self, settings: Settings, nursery: trio.Nursery, counts: Counts, served: Served) -> None:
        self._settings = settings
        self._limits: Limits = settings.limits
        self._site = Site(settings.database)
        self._changes = Changes(settings.database)
        self._cache = PagesCache(nursery, on_due=self._changes.tell)
        self._feeds = TableFeeds(settings.database, nursery)
        self._counts = counts
        self._served = served
        limits = settings.limits
        self._streams = StreamPlaces(limits.streams, limits.streams_each)
        self._table_streams = StreamPlaces(limits.tables, limits.tables_each)
        self._told: dict[object, int] = {}
        """For each browser that follows a page, the newest change it was notified of."""
        self._answering = 0
        self._answered = 0.0
        """How many pages are being sent now, and when the last one was sent."""
        nursery.start_soon(self._changes.watch)
        self.asgi = Starlette(
            routes=[
                Route("/robots.txt", self._robots),
                Route("/health", self._health),
                Route("/metrics", self._metrics),
                Route("/events", self._events),
                Route("/runs/{run}/events", self._events),
                Route("/runs/{run}/tables/{entry}/{lineup}/{number}/{rotation}/events", self._table_events),
                Route("/{path:path}", self._page),
            ]
        )

    async def settle(self) -> None:
        """Wait until the browsers have the latest events: first the tables to their last card, then the pages.

        Returns at once if no browser is connected. The caller sets the deadline.
        """
        while self._table_streams.taken:
            await trio.sleep(SETTLING_S)
        if not self._told:
            return
        await self._changes.look_again()
        self._cache.stop_holding_back()
        self._changes.tell()  # some may have been notified of the end and sent a page that was held back
        while any(version != self._changes.version for version in self._told.values()):
            await trio.sleep(SETTLING_S)
        told = trio.current_time()
        while self._answering or trio.current_time() < max(told, self._answered) + LAST_LOOK_S:
            await trio.sleep(SETTLING_S)

    async def _page(self, request: Request) -> Response:
        """Send a page, or tell the browser that it already has it."""
        self._answering += 1
        try:
            return await self._page_of(request)
        finally:
            self._answering -= 1
            self._answered = trio.current_time()

    async def _page_of(self, request: Request) -> Response:
        addresses = self._addresses(request)
        path, as_json = _without_json(request.path_params["path"])
        parts = tuple(path.split("/")) if path else ()
        if parts == ("index",) and as_json:
            parts = ()
        live = await self._changes.now()
        query = {name: value for name, value in request.query_params.items() if name in ("variant", "bot", "page")}
        if parts and not (parts[0] in ("runs", "leagues") and len(parts) > 1 and all(parts)):
            return _response(refusal(404, "there is no such page", addresses, as_json=as_json), request)
        make = partial(self._site.answer, parts, query, live, addresses, as_json=as_json)
        return await self._made(request, make, f"{addresses.prefix} {parts} {as_json} {sorted(query.items())}")

    async def _made(self, request: Request, make: Callable[[], Answer], key: str) -> Response:
        with suppress(TooBusyError), trio.move_on_after(self._limits.build_s):
            return _response(await self._cache.get(key, self._changes.state(), make), request)
        return PlainTextResponse("This page takes too long now. Try again later.\n", 503, {"retry-after": "10"})

    async def _events(self, request: Request) -> Response:
        """Notify a browser of changes: less often when there are many browsers, and not all at the same moment."""
        turn = self._streams.taken * GOLDEN_SHARE % 1

        async def events() -> AsyncIterator[str]:
            version = self._changes.version
            browser = object()
            try:
                yield f"retry: {RETRY_MS}\nevent: changed\ndata: {version}\n\n"
                self._told[browser] = version
                while True:
                    with trio.move_on_after(2 * HEARTBEAT_S):
                        version = await self._changes.next(version)
                        wait = max(1.0, self._streams.taken / CHANGES_A_SECOND)
                        await trio.sleep(turn * wait)
                        yield f"event: changed\ndata: {version}\n\n"
                        self._told[browser] = version
                        await trio.sleep((1 - turn) * wait)
                        continue
                    yield ": still here\n\n"
            finally:
                self._told.pop(browser, None)

        return self._stream(request, events)

    async def _table_events(self, request: Request) -> Response:
        """Send the updates of a table."""
        part = request.path_params
        run = part["run"]
        try:
            game = str(GameId.parse("/".join((run, part["entry"], part["lineup"], part["number"], part["rotation"]))))
        except ValueError:
            return PlainTextResponse("There is no such table.\n", 404)
        if not is_run_id(run):
            return PlainTextResponse("The address of a table must contain the id of its run.\n", 404)

        async def events() -> AsyncIterator[str]:
            yield f"retry: {RETRY_MS}\n\n"
            async with self._feeds.look(run, game) as updates:
                while True:
                    with trio.move_on_after(HEARTBEAT_S):
                        try:
                            event = await anext(updates)
                        except StopAsyncIteration:
                            return
                        yield event
                        continue
                    yield ": still here\n\n"

        return self._stream(request, events, self._table_streams)

    def _stream(self, request: Request, events: Callable[[], AsyncIterator[str]], *further: StreamPlaces) -> Response:
        """Return an event stream that ends after a while, or a refusal if the reader, or all readers, have too many.

        further: the other places that the stream takes.
        """
        reader = request.scope[READER]
        kinds = (self._streams, *further)
        if refusal := next(filter(None, (kind.refusal(reader) for kind in kinds)), ""):
            return PlainTextResponse(f"{refusal}\n", 503, {"retry-after": "30"})

        async def bounded() -> AsyncIterator[str]:
            end = trio.current_time() + self._limits.stream_s
            with ExitStack() as places:
                if not all(places.enter_context(kind.place(reader)) for kind in kinds):
                    return  # others came in between
                async for event in events():
                    yield event
                    if trio.current_time() > end:
                        return

        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(bounded(), media_type="text/event-stream", headers=headers)

    async def _robots(self, _request: Request) -> Response:
        return PlainTextResponse(ROBOTS)

    async def _health(self, _request: Request) -> Response:
        """Answer whether the database can be read."""
        is_there = self._settings.database.is_file()
        return PlainTextResponse("ok\n" if is_there else "the database is missing\n", 200 if is_there else 503)

    async def _metrics(self, _request: Request) -> Response:
        """Answer in the text format of Prometheus."""
        live = await self._changes.now()
        text = metrics_text(live, self._counts, self._served, self._cache, self._streams.taken, self._feeds.number)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    def _addresses(self, request: Request) -> Addresses:
        """Return the addresses as the browser sees them, below the prefix of the server or its proxy."""
        forwarded = request.headers.get("x-forwarded-prefix", "") if self._settings.is_behind_proxy else ""
        return Addresses(forwarded if _PREFIX.fullmatch(forwarded) else self._settings.prefix)


def is_prefix(text: str) -> bool:
    """Return whether a string can be a prefix of addresses, such as "/euchre" or "/games/euchre"."""
    return _PREFIX.fullmatch(text) is not None


def _without_json(path: str) -> tuple[str, bool]:
    """Return the path of a page, and whether the reader wants it as JSON."""
    return (path.removesuffix(".json"), True) if path.endswith(".json") else (path.rstrip("/"), False)


def _response(answer: Answer, request: Request) -> Response:
    headers = {"cache-control": "no-cache", "etag": answer.tag, "vary": "Accept-Encoding"}
    if answer.policy:
        headers["content-security-policy"] = f"{answer.policy}; frame-ancestors 'none'"
    if answer.status == 200 and answer.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(answer.body, answer.status, headers, media_type=answer.kind)
