"""The replay page of a game (pages.md)."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from harness.records.values.game_record import GameRecord
from harness.records.values.query_results import FaultRow
from harness.report.replay_data import replay_data
from harness.report.templating import render_page, source

_INLINE_STYLE = Markup("<style>{}</style>")
_INLINE_SCRIPT = Markup("<script>{}</script>")
_SHARED_STYLE = Markup('<link rel="stylesheet" href="page.css"><link rel="stylesheet" href="replay.css">')
_SHARED_SCRIPT = Markup('<script src="layout.js"></script><script src="replay.js"></script>')


def replay_page(record: GameRecord, seat: int | None = None, stories: Sequence[FaultRow] = ()) -> str:
    """Return the page of a game with the stories of its faults as one HTML text that needs no other file.

    With `seat` it holds only what that seat knew. Raises RecordError if the game has no such seat or breaks the rules.
    """
    style = _INLINE_STYLE.format(source("page.css") + source("replay.css"))
    return _page(record, seat, stories, style, _INLINE_SCRIPT.format(source("layout.js") + source("replay.js")))


def shared_replay_page(record: GameRecord, stories: Sequence[FaultRow] = ()) -> str:
    """Return the page of a game for a folder that has `page.css`, `replay.css`, `layout.js` and `replay.js`."""
    return _page(record, None, stories, _SHARED_STYLE, _SHARED_SCRIPT)


def _page(record: GameRecord, seat: int | None, stories: Sequence[FaultRow], style: Markup, script: Markup) -> str:
    return render_page("replay.html", data=replay_data(record, seat, stories), style=style, script=script)
