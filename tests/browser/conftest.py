"""Fixtures of the browser tests: pages of real games with 2, 4 and 7 seats."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.report.replay_page import replay_page
from bowerbird.harness.report.report_page import write_report
from tests.support.records.played_games import after, game
from tests.support.records.stored_runs import store_run

GAMES = {2: "two-handed-straw-men", 4: "buck", 7: "seven-handed"}
"""A variant for each number of seats that is tested."""


def record_of(seats: int) -> GameRecord:
    """Return a game with this number of seats.

    In the four-seat game one seat faults and the referee plays on for it.
    """
    misbehave = after(20, None, "TIMEOUT") if seats == 4 else None
    return game(GAMES[seats], 5, misbehave=misbehave, options={"max_hands": 3})


@pytest.fixture(scope="session")
def replays(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Return the replay page of a game by its number of seats."""
    folder = tmp_path_factory.mktemp("replays")
    pages = {seats: folder / f"{seats}.html" for seats in GAMES}
    for seats, page in pages.items():
        page.write_text(replay_page(record_of(seats)), encoding="utf-8")
    return pages


@pytest.fixture(scope="session")
def seat_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of the four-seat game that holds only what seat 1 knew."""
    page = tmp_path_factory.mktemp("seat") / "seat.html"
    page.write_text(replay_page(record_of(4), 1), encoding="utf-8")
    return page


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of a run with 2, 4 and 7 seats, with its games beside it."""
    folder = tmp_path_factory.mktemp("report")
    run = store_run(folder / "x.db", sets=range(2), variants=tuple(GAMES.values()))
    with Store.open(folder / "x.db") as store:
        write_report(store.run(run), folder / "report.html", replays=12)
    return folder / "report.html"
