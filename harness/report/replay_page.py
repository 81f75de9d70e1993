"""The replay page: one file that a browser opens, with the game inside (CLI.md, Pages)."""

from __future__ import annotations

from harness.records.record import GameRecord
from harness.report.replay_data import replay_data
from harness.report.templating import render_page, source


def replay_page(record: GameRecord, seat: int | None = None) -> str:
    """The page of a game; with `seat` it holds only what that seat knew.

    Raises RecordError where the game has no such seat, or its record does not follow the rules.
    """
    data = replay_data(record, seat)
    return render_page(
        "replay.html", data=data, style=source("page.css") + source("replay.css"), script=source("replay.js")
    )
