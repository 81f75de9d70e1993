"""The pages on ratings are right: their columns, constants and known answers match the code and its tests."""

from __future__ import annotations

import json
import re

from benchmarks.ratings.run import PAGE as CHECKS_PAGE
from benchmarks.ratings.table import tables_of
from benchmarks.scale.tables import filled
from bowerbird.harness.ratings.bradley_terry import contrasts, fit
from bowerbird.harness.ratings.sequential.sprt import TRACE, Hypotheses
from bowerbird.harness.ratings.standings.text.cells import PLAYING_COLUMNS, POOLED_COLUMNS, RATING_COLUMNS
from bowerbird.harness.tournament import lineups, whist_movements
from bowerbird.harness.tournament.playing.run import LEAST_PAUSE_S, PAUSES
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "explanation" / "ratings.md"
TEXT = PAGE.read_text(encoding="utf-8")
WORDS = " ".join(TEXT.split())
"""The page without its line breaks."""


CHECKS = CHECKS_PAGE.read_text(encoding="utf-8")


def section(title: str, text: str = TEXT) -> str:
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_column_of_the_standings_is_explained() -> None:
    shown = set(re.findall(r"`([^`]+)`", section("What the standings say")))
    assert {*RATING_COLUMNS, *PLAYING_COLUMNS, *POOLED_COLUMNS} - {"bot"} <= shown


def test_kinds_of_line_ups_are_those_of_the_code() -> None:
    assert tuple(re.findall(r"^\| `([a-z-]+)` \|", section("Line-ups"), re.MULTILINE)[1:]) == lineups.KINDS
    assert f"if there are at most {lineups.ALL_TABLES}" in WORDS
    assert f"for {whist_movements.FEWEST} to {whist_movements.MOST} bots" in WORDS


def test_ratings_kept_are_numbered_1_to_4() -> None:
    assert re.findall(r"^(\d)\. ", section("Ratings kept"), re.MULTILINE) == ["1", "2", "3", "4"]


def test_constants_are_those_of_the_code() -> None:
    assert LEAST_PAUSE_S == 2
    assert f"less often where a fit takes longer than {1000 * LEAST_PAUSE_S / PAUSES:g} ms" in WORDS
    assert f"fits take about {100 / PAUSES:g}% of the time" in WORDS
    assert f"lambda = {fit.PENALTY:f} " in WORDS
    assert f"lambda_seat = {fit.SEAT_PENALTY:g}." in WORDS
    assert f"The variance is at least {contrasts.VARIANCE_FLOOR:g}/f of the one without clusters" in WORDS
    assert f"`{fit.ANCHOR}` is fixed at 0" in WORDS
    assert f"never came counts {TRACE:g}." in WORDS
    hypotheses = Hypotheses()
    assert hypotheses.alpha == hypotheses.beta == 0.05
    assert "alpha = beta = 0.05" in WORDS


def test_the_tables_of_chosen_pairs_and_of_sizes_are_those_of_the_results() -> None:
    found = json.loads((ROOT / "results" / "ratings.json").read_text(encoding="utf-8"))
    assert filled(CHECKS, tables_of(found)) == CHECKS


def test_known_answers_are_those_that_tests_hold() -> None:
    held = "".join(
        (ROOT / "tests" / "harness" / "ratings" / f"test_{name}.py").read_text(encoding="utf-8")
        for name in ("sequential", "stopped", "fit")
    ).replace("_", "")
    rows = [line for line in section("Known answers", CHECKS).splitlines() if line.startswith("| ")]
    answers = [row.split("|")[2] for row in rows[1:]]
    numbers = [number for answer in answers for number in re.findall(r"\d+\.\d+", answer)]
    assert len(numbers) == 27
    assert [number for number in numbers if number not in held] == []
