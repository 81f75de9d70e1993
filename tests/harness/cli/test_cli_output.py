"""What commands print: standings, JSON, progress, suggestions. `test_table` tests the width of tables."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.engine import Memory
from bowerbird.harness.cli.display.full_tables import crosstable, playing_table, rating_table
from bowerbird.harness.cli.display.progress import _Lines, ratings_line, show_progress, whole_items
from bowerbird.harness.cli.shared.output import command_line, json_text
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.points import Points
from bowerbird.harness.ratings.standings.overview import Leaderboard
from bowerbird.harness.ratings.standings.rating_list import RatedBot, RatingList
from bowerbird.harness.ratings.standings.scopes import Scope
from bowerbird.harness.ratings.standings.text.cells import elo_text, faults_text, interval_text, ordered, points_text
from bowerbird.harness.records.values.faults import FAULT_KINDS
from bowerbird.harness.records.values.outcome import WITHDRAWN
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.records.values.query_results import Pairing, Standing
from bowerbird.harness.records.values.run import Entrant, GameId, RecordRating, RunHeader, SetKey
from bowerbird.harness.tournament.events import (
    Building,
    BuildSays,
    GamePlayed,
    RatingsFitted,
    RunEnded,
    RunStarted,
    SetSaved,
)
from bowerbird.harness.tournament.formats.catalogue import Extent

NO_FAULTS = dict.fromkeys(FAULT_KINDS, 0)
GREEDY = Standing(
    bot="greedy",
    version="1.0",
    games=8,
    wins=6,
    draws=0,
    losses=2,
    score=0.75,
    points_per_deal=0.5,
    faults=NO_FAULTS,
    decisions=400,
    p50_ms=1,
    p99_ms=9,
)
NOTE = Memory("gave", ("As",), 2)
RANDOM = replace(GREEDY, bot="random", wins=2, losses=6, score=0.25, points_per_deal=-0.5)


def estimate(value: float, low: float) -> Estimate:
    return Estimate(value, (value - low) / 1.959964)


LEAGUE = RatingList(
    (
        RatedBot("best", 1, Estimate(901.2, 38, side=1, bound=827.4, doubt=0.001), 0.99, None, None),
        RatedBot("greedy", 2, estimate(312, 251), 0.983, None, Points("buck", "greedy", estimate(0.5, 0.25), 9)),
        RatedBot("random", 3, Estimate(0.0, 0.0), None, None, None),
    ),
    "Elo: the anchor random is fixed at 0",
)


def board(lines: Iterable[Standing]) -> Leaderboard:
    """Return a leaderboard with these lines."""
    named = {line.bot: line for line in lines}
    return Leaderboard(Scope("buck"), LEAGUE, tuple(named[bot] for bot in ordered(named, LEAGUE)), (), has_points=True)


def test_standings_have_the_best_rating_of_record_first_and_the_unrated_last() -> None:
    lines = rating_table(board([RANDOM, replace(GREEDY, bot="absent"), GREEDY, replace(GREEDY, bot="best")]))
    assert [line.split() for line in lines[2:]] == [
        ["1", "best", "901", ">", "827", "99.0%", "-", "6-0-2"],
        ["2", "greedy", "312", "251", "to", "373", "98.3%", "+0.50", "±0.25", "6-0-2"],
        ["3", "random", "0", "-", "-", "-", "2-0-6"],
        ["-", "absent", "-", "-", "-", "-", "6-0-2"],
    ]


def test_standings_fit_into_80_columns() -> None:
    long = [replace(GREEDY, bot=bot, wins=6543, draws=210, losses=9876) for bot in ("best", "greedy", "random")]
    named = [replace(line, bot="node-random") if line.bot == "best" else line for line in long]
    for lines in (rating_table(board(named)), playing_table(board(named))):
        assert max(map(len, lines)) <= 80


def test_a_rating_is_a_number_and_an_open_or_unknown_end_is_none() -> None:
    assert elo_text(Estimate(0.4, math.inf)) == elo_text(Estimate(-0.4, math.inf)) == "0"
    lost = Estimate(-312.0, 40.0, side=-1, bound=-240.0, doubt=0.01)
    assert (elo_text(lost), interval_text(lost)) == ("-312", "< -240")
    assert interval_text(Estimate(12.0, math.inf)) == "-"
    assert points_text(Points("buck", "ann", Estimate(0.5, math.inf), 1)) == "+0.50"


def test_faults_are_shown_by_kind() -> None:
    assert faults_text(NO_FAULTS) == "-"
    assert faults_text({**NO_FAULTS, "TIMEOUT": 2, "CRASHED": 1}) == "TIMEOUT 2, CRASHED 1"


def test_crosstable_reads_row_against_column() -> None:
    cells = [Pairing("greedy", "random", 8, 6, 0, 2, 0.75), Pairing("random", "greedy", 8, 2, 0, 6, 0.25)]
    assert crosstable(["greedy", "random"], cells)[2:] == ["greedy        ·   75.0%", "random    25.0%       ·"]


def test_json_writes_values_and_ids_as_text() -> None:
    document = {
        "seed": b"\x01\xff",
        "game": GameId("4f1c9a", "buck-0", "a+b", 1, 2),
        "line": GREEDY,
        "none": None,
        "memory": NOTE,
    }
    assert json.loads(json_text(document)) == {
        "seed": "01ff",
        "game": "4f1c9a/buck-0/a+b/1/2",
        "line": {field: getattr(GREEDY, field) for field in GREEDY.__slots__},
        "none": None,
        "memory": {"what": "gave", "cards": ["As"], "seat": 2},
    }


def rating(bot: str, rank: int, elo: float, scope: str = "") -> RecordRating:
    return RecordRating(scope, bot, rank, elo, 20.0, elo - 40, elo + 40, None, None, None, "Elo: a is fixed at 0")


def _events(sets: int) -> list[object]:
    header = RunHeader("autumn", "sha256:00", False, "", (Entrant("a", "1", "f"), Entrant("b", "1", "f")))
    fitted = RatingsFitted(1, (rating("a", 1, 10.0), rating("b", 1, -10.0), rating("a", 1, 1.0, "buck")))
    played = GamePlayed("id", "buck", "forfeit", (("a", "TIMEOUT"),), 1)
    saved = [SetSaved(SetKey("buck-0", "a+b", number), number + 1) for number in range(sets)]
    return [
        Building("a", 900.0),
        RunStarted(header, Extent(1, sets, sets), 0, 0),
        played,
        played,
        fitted,
        *saved,
        RunEnded(header, "ab" * 32, Outcome()),
    ]


def test_games_that_were_not_played_are_counted_and_are_no_faults(capsys: pytest.CaptureFixture[str]) -> None:
    start, *_, end = [one for one in _events(1) if isinstance(one, RunStarted | RunEnded)]
    missed = GamePlayed("id", "buck", WITHDRAWN, (), 1, missed_by=("a",))
    with show_progress(quiet=False) as show:
        for event in (start, missed, missed, missed, end):
            show(event)
    said = capsys.readouterr().err
    assert said.count("bot a is withdrawn: the games that it misses are not played") == 1
    assert "3 games not played" in said
    assert "fault" not in said


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_the_last_line_of_a_build(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with show_progress(quiet=False) as show:
        show(Building("a", 900.0))
        show(BuildSays("[ 40%] Compiling one, two\x1b[2J"))
    assert "building bot a (at most 15 minutes) …" in screen.getvalue()
    assert "[ 40%] Compiling one, two" in screen.getvalue()
    assert "\x1b[2J" not in screen.getvalue(), "a compiler cannot move the cursor"


def test_piped_progress_is_a_few_lines_however_long_the_run() -> None:
    written: list[str] = []
    show = _Lines(written.append, None)
    for event in _events(500):
        show(event)  # type: ignore[arg-type]  # the list is of events, each of its own class
    assert written[0] == "building bot a (at most 15 minutes) …"
    assert "sha256:00" in written[3], "the commitment is printed before the first card"
    assert sum("TIMEOUT" in line for line in written) == 1, "a fault that repeats is said once"
    assert sum("of 500 deal sets" in line for line in written) == 10
    assert written[-3].endswith("; Elo open: a 10 ±40, b -10 ±40 after 1; the order may still change")
    assert "ab" * 32 in written[-1]


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(quiet=True) as show:
        for event in _events(2):
            show(event)  # type: ignore[arg-type]  # as above
    shown = capsys.readouterr()
    assert shown.out + shown.err == ""


def test_suggested_command_names_the_way_to_it_unless_it_is_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / ".venv" / "bin" / "bowerbird"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(program)])
    monkeypatch.setenv("PATH", "/usr/bin")
    assert command_line(["replay", "a b"]) == ".venv/bin/bowerbird replay 'a b'"
    monkeypatch.setenv("PATH", str(program.parent))
    assert command_line(["runs"]) == "bowerbird runs"


def test_a_line_of_progress_names_the_best_of_many_bots() -> None:
    rows = tuple(rating(f"b{number:04}", number + 1, 500.0 - number) for number in range(1000))
    line = ratings_line(RatingsFitted(9, rows))
    assert line.startswith("Elo b0000 500 ±40, b0001 499 ±40")
    assert line.endswith("b0009 491 ±40 and 990 more")
    assert ratings_line(RatingsFitted(9, rows[:2])) == "Elo b0000 500 ±40, b0001 499 ±40"
    assert ratings_line(RatingsFitted(9, ())) == "no bot is rated yet"


def test_a_rating_without_an_end_has_no_error_and_an_open_order_is_said() -> None:
    won = replace(rating("a", 1, 300.0), high=None)
    assert ratings_line(RatingsFitted(2, (won, rating("b", 1, -300.0)))) == "Elo open: a 300, b -300 ±40"


def test_a_standing_that_is_too_wide_loses_bots_and_no_digit() -> None:
    text = "Elo greedy 1650, mybot 1529, random 1321"
    assert whole_items(text, 40) == text
    assert whole_items(text, 39) == "Elo greedy 1650, mybot 1529, …"
    assert whole_items(text, 20) == "Elo greedy 1650, …"
    assert whole_items(text, 14) == ""
