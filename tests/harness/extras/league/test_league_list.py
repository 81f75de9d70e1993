"""What `bowerbird league list` shows of each bot."""

from __future__ import annotations

from bowerbird.harness.extras.league.commands.league import _lines
from bowerbird.harness.extras.league.season_ratings import WIDE, Prior
from bowerbird.harness.records.values.league import SUSPENDED
from tests.support.league import league_bot, season


def test_rated_playing_bots_are_numbered_best_first_and_an_error_without_an_end_is_open() -> None:
    known = season(league_bot("ada"), league_bot("bob"), league_bot("eve", status=SUSPENDED), league_bot("new"))
    ratings = {"ada": Prior(-40, 30), "bob": Prior(120, WIDE), "eve": Prior(300, 20)}
    lines = _lines(known, known.league.season, ratings, [])
    rows = [line.split() for line in lines if set(line.split()) & {"ada", "bob", "eve", "new"}]
    shown = [(row[0], next(name for name in row if name in {"ada", "bob", "eve", "new"})) for row in rows]
    assert shown == [("1", "bob"), ("2", "ada"), ("-", "new"), ("-", "eve")]
    assert "open" in rows[0]
    assert {"-40", "60"} <= set(rows[1])
