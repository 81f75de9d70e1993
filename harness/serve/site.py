"""The pages of a database: from an address to an answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine import EngineError
from harness.records.errors import StoreError
from harness.records.store.store import Store
from harness.records.values.query_results import RunRow
from harness.records.values.run import GameId
from harness.serve import run_pages
from harness.serve.addresses import Addresses
from harness.serve.pages_cache import Answer
from harness.serve.run_pages import Content, Live
from harness.serve.table_page import table_page
from harness.serve.templating import draw, shown_json

HTML = "text/html; charset=utf-8"
JSON = "application/json"

Make = Callable[[Store, RunRow, Live | None, Addresses], Content]


@dataclass(frozen=True, slots=True)
class Site:
    """The pages of a database. Every method takes a moment; call it in a thread."""

    database: Path

    def home(self, live: Mapping[str, Live], addresses: Addresses, *, as_json: bool) -> Answer:
        """Return the page of all runs."""
        return self._answer(lambda store: run_pages.home_page(store, live, addresses), addresses, as_json=as_json)

    def of_run(  # noqa: PLR0917 (an address has these parts)
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

        def make(store: Store) -> Content:
            row = run_pages.run_of(store, run)
            found = _page(path, query)
            if found is None:
                raise StoreError("there is no such page")
            return found(store, row, live.get(row.fingerprint), addresses)

        return self._answer(make, addresses, as_json=as_json)

    def _answer(self, make: Callable[[Store], Content], addresses: Addresses, *, as_json: bool) -> Answer:
        try:
            with Store.open(self.database) as store, store.snapshot():
                content = make(store)
        except (StoreError, EngineError) as error:
            return refusal(404, self._sentence(error), addresses, as_json=as_json)
        except ValueError as error:
            return refusal(404, f"there is no such page: {error}", addresses, as_json=as_json)
        if as_json:
            return Answer(content.status, f"{shown_json(content.data)}\n".encode(), JSON)
        page = draw(content, addresses)
        return Answer(content.status, page.text.encode(), HTML, page.policy)

    def _sentence(self, error: Exception) -> str:
        """Return the sentence of an error without the path of the database, which is nobody's business."""
        return str(error).replace(f"{self.database}: ", "").replace(str(self.database), self.database.name)


def refusal(status: int, sentence: str, addresses: Addresses, *, as_json: bool) -> Answer:
    """Return an answer that says why there is no page."""
    if as_json:
        return Answer(status, f"{json.dumps({'error': sentence})}\n".encode(), JSON)
    content = Content("message.html", "Not here", {}, {"sentence": sentence[:1].upper() + sentence[1:]})
    page = draw(content, addresses)
    return Answer(status, page.text.encode(), HTML, page.policy)


def _page(path: tuple[str, ...], query: Mapping[str, str]) -> Make | None:
    """Return what makes the page at an address below a run; None if there is none."""
    match path:
        case ():
            return run_pages.run_page
        case ("faults",):
            return run_pages.faults_page
        case ("tables",):
            return run_pages.tables_page
        case ("games",):
            page = query.get("page", "1")
            number = int(page) if page.isdecimal() and len(page) < 10 else 1
            return lambda store, run, live, addresses: run_pages.games_page(
                store, run, live, addresses, query.get("variant", ""), query.get("bot", ""), number
            )
        case ("bots", bot):
            return lambda store, run, live, addresses: run_pages.bot_page(store, run, live, addresses, bot)
        case ("pairs", bot, other):
            return lambda store, run, live, addresses: run_pages.pair_page(store, run, live, addresses, bot, other)
        case ("games", entry, lineup, number_, rotation):
            return lambda store, run, live, addresses: run_pages.game_page(
                store, run, live, addresses, _game(run, entry, lineup, number_, rotation)
            )
        case ("tables", entry, lineup, number_, rotation):
            return lambda store, run, live, addresses: table_page(
                store, run, live, addresses, _game(run, entry, lineup, number_, rotation)
            )
    return None


def _game(run: RunRow, *parts: str) -> GameId:
    """Return the id of a game of a run. Raises ValueError if it has the wrong form."""
    return GameId.parse("/".join((run.fingerprint, *parts)))
