"""The pages of a database: turns an address into an answer."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bowerbird.engine import EngineError
from bowerbird.harness.extras.serve.addresses import Addresses
from bowerbird.harness.extras.serve.pages import run_pages
from bowerbird.harness.extras.serve.pages.home_page import home_page
from bowerbird.harness.extras.serve.pages.league_bot_page import league_bot_page
from bowerbird.harness.extras.serve.pages.league_pages import schedule_page, season_page
from bowerbird.harness.extras.serve.pages.reports import Reports
from bowerbird.harness.extras.serve.pages.run_pages import Content, Context, Live
from bowerbird.harness.extras.serve.pages.season_view import SeasonView, season_view
from bowerbird.harness.extras.serve.pages.table_page import table_page
from bowerbird.harness.extras.serve.pages_cache import Answer
from bowerbird.harness.extras.serve.templating import draw, shown_json
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.values.run import GameId

HTML = "text/html; charset=utf-8"
JSON = "application/json"

GAME_PARTS = 4
"""The parts of a game's id that follow the id of its run."""


@dataclass(frozen=True, slots=True)
class Site:
    """The pages of a database. Every method takes a moment, so call it in a thread."""

    database: Path
    reports: Reports = field(default_factory=Reports)

    def answer(
        self,
        path: tuple[str, ...],
        query: Mapping[str, str],
        live: Mapping[str, Live],
        addresses: Addresses,
        *,
        as_json: bool,
    ) -> Answer:
        """Return the page at an address, given as its parts.

        The parts are () for all leagues and runs, ("runs", RUN, …) for a page of a run, ("leagues", NAME, …) for a page
        of a league.
        """
        try:
            with Store.open(self.database) as store, store.snapshot():
                content = _content(Context(store, live, addresses, self.reports), path, query)
            return _drawn(content, addresses, as_json=as_json)
        except (StoreError, EngineError) as error:
            return refusal(404, self._sentence(error), addresses, as_json=as_json)
        except ValueError as error:
            return refusal(404, f"there is no such page: {error}", addresses, as_json=as_json)
        except Exception:  # a page that cannot be drawn must not end the server; the organiser sees why in the log
            traceback.print_exc()
            return refusal(500, "this page cannot be shown; the server's log says why", addresses, as_json=as_json)

    def _sentence(self, error: Exception) -> str:
        """Return an error's sentence without the path of the database, which readers must not learn."""
        return str(error).replace(f"{self.database}: ", "").replace(str(self.database), self.database.name)


def _drawn(content: Content, addresses: Addresses, *, as_json: bool) -> Answer:
    if as_json:
        return Answer(content.status, f"{shown_json(content.data)}\n".encode(), JSON)
    page = draw(content, addresses)
    return Answer(content.status, page.text.encode(), HTML, page.policy)


def refusal(status: int, sentence: str, addresses: Addresses, *, as_json: bool) -> Answer:
    """Return an answer that says why there is no page."""
    if as_json:
        return Answer(status, f"{json.dumps({'error': sentence})}\n".encode(), JSON)
    content = Content("message.html", "Not here", {}, {"sentence": sentence[:1].upper() + sentence[1:]})
    page = draw(content, addresses)
    return Answer(status, page.text.encode(), HTML, page.policy)


def _content(context: Context, path: tuple[str, ...], query: Mapping[str, str]) -> Content:
    """Return the page at an address. Raises StoreError if there is none, ValueError if an id of a game is malformed."""
    match path:
        case ():
            return home_page(context)
        case ("runs", run, *rest):
            return _run_page(context, run_pages.run_of(context.store, run), rest, query)
        case ("leagues", league, "seasons", number, *rest) if _is_number(number):
            return _league_page(context, season_view(context, league, int(number)), rest, query)
        case ("leagues", league, *rest):
            return _league_page(context, season_view(context, league), rest, query)
    raise StoreError("there is no such page")


_WHOLE: dict[tuple[str, ...], Callable[[Context, StoredRun], Content]] = {
    (): run_pages.run_page,
    ("faults",): run_pages.faults_page,
    ("tables",): run_pages.tables_page,
}
"""The pages of a run whose addresses have no variable part."""


def _run_page(context: Context, run: StoredRun, path: Sequence[str], query: Mapping[str, str]) -> Content:
    if whole := _WHOLE.get(tuple(path)):
        return whole(context, run)
    match path:
        case ("games",):
            variant, bot = query.get("variant", ""), query.get("bot", "")
            return run_pages.games_page(context, run, variant, bot, _page_number(query))
        case ("bots", bot):
            return run_pages.bot_page(context, run, bot)
        case ("pairs", bot, other):
            return run_pages.pair_page(context, run, bot, other)
        case ("games", *game) if len(game) == GAME_PARTS:
            return run_pages.game_page(context, run, GameId.parse("/".join((run.fingerprint, *game))))
        case ("tables", *game) if len(game) == GAME_PARTS:
            return table_page(context, run, GameId.parse("/".join((run.fingerprint, *game))))
    raise StoreError("there is no such page")


def _league_page(context: Context, view: SeasonView, path: Sequence[str], query: Mapping[str, str]) -> Content:
    match path:
        case ():
            return season_page(context, view, query.get("variant", ""), _page_number(query))
        case ("bots", bot):
            return league_bot_page(context, view, bot)
        case ("schedule",):
            return schedule_page(context, view, None, _page_number(query))
        case ("schedule", number) if _is_number(number):
            return schedule_page(context, view, int(number), _page_number(query))
    raise StoreError("there is no such page")


def _is_number(text: str) -> bool:
    """Return whether a part of an address is a plausible number of a page or season."""
    return text.isascii() and text.isdecimal() and len(text) < 10


def _page_number(query: Mapping[str, str]) -> int:
    page = query.get("page", "1")
    return int(page) if _is_number(page) else 1
