"""The replay page of a game (pages.md)."""

from __future__ import annotations

from collections.abc import Sequence

from bowerbird.harness.records.values.annotations import Note
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.query_results import FaultRow
from bowerbird.harness.report.marks import NO_MARKS, GameMarks
from bowerbird.harness.report.replay_data import replay_data
from bowerbird.harness.report.templating import render_page

TABLE_STYLES = ("page.css", "table.css", "beside.css")
"""The style sheets of a page with a table."""

TABLE_SCRIPTS = ("page.js", "cards.js", "layout.js", "table.js", "beside.js")
"""The scripts that draw a table and the panel beside it; `table.js` describes how to call them."""


def replay_page(  # noqa: PLR0917 (one value for each thing on the page)
    record: GameRecord,
    seat: int | None = None,
    stories: Sequence[FaultRow] = (),
    remark: str = "",
    notes: Sequence[Note] = (),
    marks: GameMarks = NO_MARKS,
) -> str:
    """Return the page of a game, with the stories of its faults and the notes of its bots, as one HTML text.

    The page needs no other file. With `seat` it contains only what that seat knew. `remark` appears at the top, and
    `marks` appear at their decisions and hands.

    Raises RecordError if the game has no such seat or breaks the rules.
    """
    data = replay_data(record, seat, stories, notes, marks)
    return render_page(
        "replay.html",
        data=data,
        remark=remark,
        back="",
        styles=(*TABLE_STYLES, "replay.css"),
        scripts=(*TABLE_SCRIPTS, "replay.js"),
    )
