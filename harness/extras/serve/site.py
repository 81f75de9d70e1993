"""The pages of a database: from an address to an answer."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Mapping
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
from bowerbird.harness.extras.serve.pages.season_view import season_view
from bowerbird.harness.extras.serve.pages.table_page import table_page
from bowerbird.harness.extras.serve.pages_cache import Answer
from bowerbird.harness.extras.serve.templating import draw, shown_json
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.values.run import GameId

HTML = "text/html; charset=utf-8"
JSON = "application/json"

MakeRun = Callable[[Context, StoredRun], Content]
Make = Callable[[Context], Content]


@dataclass(frozen=True, slots=True)
class Site:
    """The pages of a database. Every method takes a moment; call it in a thread."""

    database: Path
    reports: Reports = field(default_factory=Reports)

    def home(self, live: Mapping[str, Live], addresses: Addresses, *, as_json: bool) -> Answer:
        """Return the page of all leagues and runs."""
        return self._answer(home_page, live, addresses, as_json=as_json)

    def of_run(
        self,
        run: str,
        path: tuple[str, ...],
        query: Mapping[str, str],
        live: Mapping[str, Live],
        addresses: Addresses,
        *,
        as_json: bool,
    ) -> Answer:
        """Return a page of a run: `path` is what follows /runs/RUN, part by part."""

        def make(context: Context) -> Content:
            row = run_pages.run_of(context.store, run)
            found = _page(path, query)
            if found is None:
                raise StoreError("there is no such page")
            return found(context, row)

        return self._answer(make, live, addresses, as_json=as_json)

    def of_league(
        self,
        league: str,
        path: tuple[str, ...],
        query: Mapping[str, str],
        live: Mapping[str, Live],
        addresses: Addresses,
        *,
        as_json: bool,
    ) -> Answer:
        """Return a page of a league: `path` is what follows /leagues/NAME, part by part."""
        return self._answer(_league_page(league, path, query), live, addresses, as_json=as_json)

    def _answer(self, make: Make, live: Mapping[str, Live], addresses: Addresses, *, as_json: bool) -> Answer:
        try:
            with Store.open(self.database) as store, store.snapshot():
                content = make(Context(store, live, addresses, self.reports))
            return _drawn(content, addresses, as_json=as_json)
        except (StoreError, EngineError) as error:
            return refusal(404, self._sentence(error), addresses, as_json=as_json)
        except ValueError as error:
            return refusal(404, f"there is no such page: {error}", addresses, as_json=as_json)
        except Exception:  # one page that cannot be made must not end the server; the organiser sees why
            traceback.print_exc()
            return refusal(500, "this page cannot be made; the server's log says why", addresses, as_json=as_json)

    def _sentence(self, error: Exception) -> str:
        """Return the sentence of an error without the path of the database, which is nobody's business."""
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


_WHOLE: dict[tuple[str, ...], MakeRun] = {
    (): run_pages.run_page,
    ("faults",): run_pages.faults_page,
    ("tables",): run_pages.tables_page,
}
"""The pages of a run whose addresses have no variable part."""


def _league_page(league: str, path: tuple[str, ...], query: Mapping[str, str]) -> Make:
    """Return a function that makes the page at an address below a league; it raises StoreError if there is none."""

    def make(context: Context) -> Content:
        season, rest = None, path
        if path[:1] == ("seasons",) and len(path) > 1 and _is_number(path[1]):
            season, rest = int(path[1]), path[2:]
        view = season_view(context, league, season)
        match rest:
            case ():
                return season_page(context, view, query.get("variant", ""), _page_number(query))
            case ("bots", bot):
                return league_bot_page(context, view, bot)
            case ("schedule",):
                return schedule_page(context, view, None, _page_number(query))
            case ("schedule", number) if _is_number(number):
                return schedule_page(context, view, int(number), _page_number(query))
        raise StoreError("there is no such page")

    return make


def _is_number(text: str) -> bool:
    """Return whether a part of an address is a number of a size that a page or a season may have."""
    return text.isascii() and text.isdecimal() and len(text) < 10


def _page_number(query: Mapping[str, str]) -> int:
    page = query.get("page", "1")
    return int(page) if _is_number(page) else 1


def _page(path: tuple[str, ...], query: Mapping[str, str]) -> MakeRun | None:
    """Return a function that makes the page at an address below a run; None if there is none."""
    match path:
        case ("games",):
            variant, bot = query.get("variant", ""), query.get("bot", "")
            return lambda context, run: run_pages.games_page(context, run, variant, bot, _page_number(query))
        case ("bots", bot):
            return lambda context, run: run_pages.bot_page(context, run, bot)
        case ("pairs", bot, other):
            return lambda context, run: run_pages.pair_page(context, run, bot, other)
        case ("games", _, _, _, _):
            return lambda context, run: run_pages.game_page(context, run, _game(run, path[1:]))
        case ("tables", _, _, _, _):
            return lambda context, run: table_page(context, run, _game(run, path[1:]))
    return _WHOLE.get(path)


def _game(run: StoredRun, parts: tuple[str, ...]) -> GameId:
    """Return the id of a game of a run. Raises ValueError if it has the wrong form."""
    return GameId.parse("/".join((run.fingerprint, *parts)))
