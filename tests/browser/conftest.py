"""What the tests in a browser start from: one Chromium, and pages of real games with 2, 4 and 7 seats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Browser, chromium
from played_games import after, game
from stored_runs import store_run

from harness.records.record import GameRecord
from harness.records.store import Store
from harness.report.replay_page import replay_page
from harness.report.report_page import write_report

GAMES = {2: "two-handed-straw-men", 4: "buck", 7: "seven-handed"}
"""A variant for each number of seats that is tried."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser of all tests."""
    with chromium() as found:
        yield found


def record_of(seats: int) -> GameRecord:
    """A game with so many seats; one of the four is at fault and played for by the referee."""
    misbehave = after(20, None, "TIMEOUT") if seats == 4 else None
    return game(GAMES[seats], 5, misbehave=misbehave, options={"max_hands": 3})


@pytest.fixture(scope="session")
def replays(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The replay page of a game by its number of seats."""
    folder = tmp_path_factory.mktemp("replays")
    pages = {seats: folder / f"{seats}.html" for seats in GAMES}
    for seats, page in pages.items():
        page.write_text(replay_page(record_of(seats)), encoding="utf-8")
    return pages


@pytest.fixture(scope="session")
def seat_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the game with four seats that holds what seat 1 knew."""
    page = tmp_path_factory.mktemp("seat") / "seat.html"
    page.write_text(replay_page(record_of(4), 1), encoding="utf-8")
    return page


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run with 2, 4 and 7 seats, and its games beside it."""
    folder = tmp_path_factory.mktemp("report")
    run = store_run(folder / "x.db", sets=range(2), variants=tuple(GAMES.values()))
    with Store.open(folder / "x.db") as store:
        write_report(store, store.run(run), folder / "report.html", replays=12)
    return folder / "report.html"
