"""What standings print first fits one screen; the rest is in --full, the file, the head-to-head (commands.md)."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from bowerbird.engine import variant_names
from bowerbird.harness.cli.display.corrections import correction_head
from bowerbird.harness.cli.display.full_tables import full_lines
from bowerbird.harness.cli.display.leaderboard_file import COLUMNS, csv_lines, markdown_lines
from bowerbird.harness.cli.display.summary import SCREEN_COLUMNS, SCREEN_LINES, Shown, summary_lines
from bowerbird.harness.cli.shared.output import wrapped
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.points import Points
from bowerbird.harness.ratings.standings.overview import Leaderboard, Overview
from bowerbird.harness.ratings.standings.pool import Pooled
from bowerbird.harness.ratings.standings.rating_list import RatedBot, RatingList, Undecided
from bowerbird.harness.ratings.standings.scopes import Scope
from bowerbird.harness.ratings.standings.text.cells import (
    PLAYING_COLUMNS,
    POOLED_COLUMNS,
    RATING_COLUMNS,
    SUMMARY_COLUMNS,
    brief_faults,
    elo_with_error,
    match_cells,
    rank_text,
    tau_text,
    tie_breaks,
)
from bowerbird.harness.ratings.standings.text.sentences import leaders_text, los_note, more_text, undecided_text
from bowerbird.harness.ratings.standings.text.words import WORDS
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.corrections import LONGEST_BY
from bowerbird.harness.records.values.faults import FAULT_KINDS
from bowerbird.harness.records.values.placements import MatchResult, Placement
from bowerbird.harness.records.values.query_results import FaultRow, Standing
from bowerbird.harness.tournament.corrections import void_games
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.records.stored_runs import store_cup, store_run

NAMES = tuple(f"greedy-with-trump-counting-and-memory-{number:02}" for number in range(8))
FAULT = FaultRow(
    "4f1c9a/buck-0/a+b/0/0", 0, 1, 0, NAMES[0], "CRASHED", 0, 0, "exit status 3", how_ended="exit status 3"
)


def listed(bots: Sequence[str], *, ranks: Sequence[int] | None = None, remarks: Sequence[str] = ()) -> RatingList:
    lines = tuple(
        RatedBot(bot, rank, Estimate(-1234.0 - place, 321.0), 0.5, None, None)
        for place, (bot, rank) in enumerate(zip(bots, ranks or [1] * len(bots), strict=True))
    )
    undecided = tuple(Undecided(one, other, 1234) for one, other in pairwise(bots))
    return RatingList(lines, "Elo: the mean of all is 0", "elo", tuple(remarks), undecided)


def standing(bot: str) -> Standing:
    return Standing(
        bot=bot,
        version="1.0",
        games=16629,
        wins=6543,
        draws=210,
        losses=9876,
        score=0.75,
        points_per_deal=None,
        faults={**dict.fromkeys(FAULT_KINDS, 0), "TIMEOUT": 12, "CRASHED": 3},
        decisions=1_234_567,
        p50_ms=10,
        p99_ms=5000,
    )


def board(variant: str | None, bots: Sequence[str], *, remarks: Sequence[str] = ()) -> Leaderboard:
    scope = None if variant is None else Scope(variant)
    return Leaderboard(scope, listed(bots, remarks=remarks), tuple(map(standing, bots)), (), sets=9, runs=("4f1c9a",))


def overview_of(bots: Sequence[str], variants: Sequence[str], remarks: Sequence[str] = ()) -> Overview:
    boards = tuple(board(variant, bots, remarks=remarks) for variant in variants)
    overall = boards[0] if len(boards) == 1 else board(None, bots)
    return Overview(overall, boards, (), {}, {}, {})


def height(lines: Sequence[str]) -> int:
    return sum(len(wrapped(line, SCREEN_COLUMNS)) for line in lines)


def shown(head: Sequence[str] = ("run 4f1c9a (autumn): 138 games",), faults: Sequence[FaultRow] = ()) -> Shown:
    return Shown(head, faults, Path("results") / "bowerbird.db", ("standings", "4f1c9a"))


@pytest.mark.parametrize("bots", [2, 3, 8])
@pytest.mark.parametrize("variants", [1, 2, 7, 21])
@pytest.mark.parametrize("faults", [0, 3])
def test_the_first_screen_has_24_lines_of_80_columns_for_up_to_eight_bots(
    bots: int, variants: int, faults: int
) -> None:
    """With the longest names, also with faults."""
    found = overview_of(NAMES[:bots], variant_names()[:variants])
    found = replace(found, overall=replace(found.overall, has_points=variants == 1))
    lines = summary_lines(found, shown(faults=[FAULT] * faults), SCREEN_COLUMNS)
    assert height(lines) <= SCREEN_LINES
    text = "\n".join(lines)
    named = [variant for variant in variant_names()[:variants] if re.search(rf"^{variant} ", text, re.MULTILINE)]
    counted = re.search(r"^and (\d+) more variants?: --full", text, re.MULTILINE)
    if variants > 1:
        assert len(named) + (int(counted[1]) if counted else 0) == variants, "each variant is named or counted"
    assert "not decided: " in text
    assert "Elo: the mean of all is 0" in text
    assert "--full" in text
    assert "--explain" in text
    assert bool(faults) == ("matches 4f1c9a --faults" in text)


@pytest.mark.parametrize(("has_points", "faults", "is_said"), [(True, 1, True), (True, 0, False), (False, 1, False)])
def test_what_faults_do_to_points_is_said_where_there_are_both(has_points: bool, faults: int, is_said: bool) -> None:
    found = overview_of(NAMES[:2], ["euchre"])
    found = replace(found, overall=replace(found.overall, has_points=has_points))
    lines = summary_lines(found, shown(faults=[FAULT] * faults), SCREEN_COLUMNS)
    assert ("points/deal: a side at fault gets the worst points of its deal set" in lines) == is_said


@pytest.mark.parametrize("variants", [1, 21])
def test_the_first_screen_keeps_its_height_with_the_longest_corrections(tmp_path: Path, variants: int) -> None:
    """The reason is cut, not the commitment, which is to be published."""
    run = store_run(tmp_path / "x.db", variants=("euchre",), sets=range(2))
    with Store.open(tmp_path / "x.db") as store:
        for number in range(2):
            why = f"{number} {'very ' * 58}end"
            named = [f"euchre-0/ann+bob/{number}"]
            last = void_games(store.run(), named, why=why, by="b" * LONGEST_BY).correction
        head = correction_head(store[run], full=False)
        assert why in "\n".join(correction_head(store[run], full=True))
    assert last.commitment in "\n".join(head)
    found = overview_of(NAMES, variant_names()[:variants])
    lines = summary_lines(found, shown(("run 4f1c9a (autumn): 138 games", *head)), SCREEN_COLUMNS)
    assert height(lines) <= SCREEN_LINES


def test_many_bots_are_all_in_the_table_and_the_variants_give_way() -> None:
    names = [f"bot-{number}" for number in range(30)]
    lines = summary_lines(overview_of(names, variant_names()[:5]), shown(), 80)
    assert sum(re.match(r"1  bot-", line) is not None for line in lines) == 30
    assert sum(line.startswith("and 4 more variants") for line in lines) == 1


def test_a_story_is_shown_if_there_is_room() -> None:
    lines = summary_lines(overview_of(["ann", "bob"], ["buck"]), shown(faults=[FAULT]), 80)
    assert any("process: exit status 3" in line for line in lines)


def test_remarks_name_their_variant_if_there_are_several() -> None:
    remark = "circle: a beats b, b beats c, c beats a"
    one = summary_lines(overview_of(["a", "b"], ["buck"], [remark]), shown(), 80)
    two = summary_lines(overview_of(["a", "b"], ["buck", "euchre"], [remark]), shown(), 80)
    assert remark in one
    assert {f"buck: {remark}", f"euchre: {remark}"} <= set(two)


def test_leaders_are_those_of_the_first_rank() -> None:
    assert leaders_text(listed(["a", "b", "c"], ranks=[1, 2, 2])) == "a -1234 (-1863 to -605), then b -1235"
    assert leaders_text(listed(["a", "b", "c"], ranks=[1, 1, 3])) == "a -1234, b -1235: not decided"
    assert leaders_text(listed(list("abcde"))).endswith("c -1236 and 2 more: not decided")
    assert leaders_text(RatingList((), "no ratings: x")) == "no ratings: x"
    points = Points("buck", "a", Estimate(1.5, math.inf), 3)
    by_points = RatingList((RatedBot("a", 1, Estimate(5.0, 1.0), None, None, points),), "", "points")
    assert leaders_text(by_points) == "a +1.50"


def test_what_is_not_decided_says_how_many_more_sets() -> None:
    pairs = (Undecided("a", "b", 1234), Undecided("b", "c", None))
    found = RatingList(listed(["a", "b", "c"]).lines, "", "elo", (), pairs)
    assert undecided_text(found) == "not decided: a and b (about 1,200 more deal sets), b and c (no forecast yet)"
    short = "not decided: a and b (about 1,200 more deal sets) and 1 more pair"
    assert undecided_text(found, 60) == short
    width = len(undecided_text(found))
    assert [undecided_text(found, columns) == short for columns in (width - 1, width)] == [True, False]
    assert undecided_text(replace(found, undecided=())) == "decided: each bot can be told apart from the next"


def test_cells_of_few_words() -> None:
    assert brief_faults({"TIMEOUT": 2, "CRASHED": 0}) == "TIMEOUT 2"
    assert brief_faults({"TIMEOUT": 2, "CRASHED": 5}) == "7, most CRASHED"
    assert elo_with_error(Estimate(287.0, 0.0)) == "287"
    assert elo_with_error(Estimate(287.0, math.inf)) == "287"
    assert elo_with_error(Estimate(287.0, 10.0)) == "287 ±20"
    known = Pooled(Estimate(0.0, 1.0), Estimate(0.0, 1.0), 40.2, (22.1, 95.4), 3)
    assert tau_text(known) == "40 (22 to 95)"


def test_every_column_is_explained() -> None:
    columns = {*SUMMARY_COLUMNS, *RATING_COLUMNS, *PLAYING_COLUMNS, *POOLED_COLUMNS} - {"bot"}
    assert columns <= set(WORDS)
    assert {">", "±", "anchor"} <= set(WORDS)


# The file of leaderboards


HOSTILE = ('=cmd|" /C calc"!A0', "@SUM(1)", "a|b<script>`x`[y](z)", "two\nlines", "\x1b[2J", "+1")


def test_a_csv_file_has_every_bot_of_every_scope_and_no_formula() -> None:
    found = overview_of(HOSTILE, ["buck", "euchre"])
    lines = list(csv_lines(found))
    assert all(line.isprintable() for line in lines)
    rows = list(csv.DictReader(lines))
    assert list(rows[0]) == list(COLUMNS)
    assert [row["scope"] for row in rows] == ["all variants"] * 6 + ["buck"] * 6 + ["euchre"] * 6
    for row in rows:
        assert None not in row, "no name adds a cell"
        assert not re.match(r"[=+@|%]", row["bot"])
        assert float(row["elo"]) < 0, "a negative number is no formula"
    assert rows[0]["bot"] == f"'{HOSTILE[0]}"


def test_a_markdown_file_has_a_table_for_each_scope_that_no_name_can_break() -> None:
    lines = list(markdown_lines(overview_of(HOSTILE, ["buck", "euchre"])))
    assert [line for line in lines if line.startswith("## ")] == ["## all variants", "## buck", "## euchre"]
    tables = [line for line in lines if line.startswith("| ")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in tables if "points" not in line}) == 1
    assert not re.search(r"(?<!\\)[<`\[]", "\n".join(lines))


@pytest.mark.usefixtures("processes")
def test_a_file_is_never_cut_to_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store_run(tmp_path / "x.db", variants=("euchre", "buck"))
    monkeypatch.setenv("COLUMNS", "40")
    rows = list(csv.DictReader(Bowerbird(tmp_path).done("standings", "--format", "csv", "--db", "x.db").splitlines()))
    assert len(rows) == 6
    assert {row["scope"] for row in rows} == {"all variants", "buck", "euchre"}


@pytest.mark.usefixtures("processes")
def test_the_json_is_what_the_tables_show(tmp_path: Path) -> None:
    run = store_run(tmp_path / "x.db", sets=range(2), variants=("euchre", "buck"))
    document = Bowerbird(tmp_path).json("standings", "--db", "x.db")
    assert (document["stopped"], document["places"], document["matches"], document["apart"]) == ("", [], [], [])
    for each in (document["overall"], *document["variants"].values()):
        assert each["rank_by"] == "elo"
        assert {"undecided", "remarks", "unit", "options", "time", "sets", "runs"} <= set(each)
        assert each["runs"] == [run]
    for variant, each in document["variants"].items():
        assert (each["variant"], each["unit"]) == (variant, "games")
        for line in each["standings"]:
            assert isinstance(line["elo"]["value"], float), "every rating is a number"
            assert line["estimate"] is not None


# Head to head


@pytest.mark.usefixtures("processes")
def test_between_compares_two_bots_by_variant_and_by_common_opponents(tmp_path: Path) -> None:
    store_cup(tmp_path / "x.db", 4, ("two-handed", "euchre"))
    shell = Bowerbird(tmp_path)
    document = shell.json("standings", "--between", "bot-0", "bot-1", "--db", "x.db")
    with Store.open(tmp_path / "x.db") as store:
        run = store.run()
        crosstable = {(one.bot, one.opponent): one for one in run.crosstable("euchre")}
    (euchre,) = [one for one in document["scopes"] if one["variant"] == "euchre"]
    assert euchre["pairing"]["wins"] == crosstable["bot-0", "bot-1"].wins
    assert euchre["games"] == crosstable["bot-0", "bot-1"].games
    assert [one["opponent"] for one in euchre["common"]] == ["bot-2", "bot-3"]
    assert euchre["common"][0]["of_second"]["score"] == crosstable["bot-1", "bot-2"].score
    mirrored = shell.json("standings", "--between", "bot-1", "bot-0", "--db", "x.db")
    for one, other in zip(document["scopes"], mirrored["scopes"], strict=True):
        assert one["difference"]["value"] == pytest.approx(-other["difference"]["value"])
        assert one["difference"]["los"] == pytest.approx(1 - other["difference"]["los"])
    values = [one["difference"]["value"] for one in document["scopes"]]
    assert document["mean"]["value"] == pytest.approx(sum(values) / len(values))
    text = shell.done("standings", "--between", "bot-0", "bot-1", "--db", "x.db")
    assert "bot-0 against bot-1" in text
    assert "against the opponents that both met" in text


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--between", "ann", "nobody"), "unknown bot 'nobody'"),
        (("--between", "ann", "ann"), "names 'ann' twice"),
        (("--variant", "buk"), "unknown variant 'buk'"),
        (("--between", "ann", "bob", "--format", "csv"), "leave out --between and --json"),
        (("--format", "md", "--json"), "leave out --between and --json"),
        (("--variant", "euchre", "--pooled"), "leave out --variant"),
    ],
)
def test_a_wrong_request_is_one_sentence(tmp_path: Path, arguments: Sequence[str], said: str) -> None:
    store_run(tmp_path / "x.db", variants=("euchre", "buck"))
    assert said in Bowerbird(tmp_path).refused("standings", *arguments, "--db", "x.db")


@pytest.mark.usefixtures("processes")
def test_explanations_need_no_database(tmp_path: Path) -> None:
    shell = Bowerbird(tmp_path)
    text = " ".join(shell.done("standings", "--explain").split())
    for word in ("LOS", "tau", "norm.", "±", "anchor"):
        assert word in text
    assert json.loads(shell.done("standings", "--explain", "--json")) == WORDS


# Outcomes


def test_a_match_says_how_it_was_decided() -> None:
    tied = MatchResult(1, "final", "ann", "bob", 4.0, 8, "ann", "better seed")
    assert match_cells(tied)[3:5] == ("4-4", "ann")
    assert "better seed" in match_cells(tied)[5]
    assert match_cells(MatchResult(1, "final", "ann", "", 0.0, 0, "ann", "bye"))[2:] == ("-", "-", "ann", "bye")


def test_tie_breaks_are_those_of_the_format() -> None:
    swiss = [Placement(1, "ann", points=2.0, share=0.75, opponents=3.0)]
    assert tie_breaks(swiss, []).startswith("points: matches won")
    assert "bye" not in tie_breaks(swiss, [])
    knockout = [Placement(1, "ann", remark="won the final")]
    assert tie_breaks(knockout, []) == "places: the round in which a bot lost"


def test_all_tables_of_all_scopes_are_in_the_full_text() -> None:
    text = "\n".join(full_lines(overview_of(["ann", "bob"], ["buck", "euchre"]), 80))
    for part in ("buck (0 games in 9 deal sets)", "euchre (0 games", "all variants", "p99 ms", "against"):
        assert part in text


def test_a_forecast_beyond_ten_thousand_deal_sets_is_told_as_that() -> None:
    assert more_text(10_000) == "about 10,000 more deal sets"
    assert more_text(10_001) == "more than 10,000 more deal sets"


def test_a_high_likelihood_that_decides_nothing_is_explained() -> None:
    found = listed(list("abc"))
    assert los_note(found) == ""
    lines = (replace(found.lines[0], ahead=0.991), *found.lines[1:])
    assert los_note(replace(found, lines=lines)) == (
        "LOS 99.1% of a would decide a pair that was tested alone, but this table tests 3 pairs at once"
    )


def test_a_rank_is_shown_as_the_interval_that_is_known() -> None:
    line = listed(["a"]).lines[0]
    assert [rank_text(replace(line, rank=one, last_rank=two)) for one, two in ((1, 3), (2, 2), (None, None))] == [
        "1–3",
        "2",
        "-",
    ]
