"""`make bench ARGS=million` (its aim: memory within 10% from the first to the last tenth)."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.scale.million import PAIRINGS, Growth, Sample, growth, sets_for, steadiness, tenths, tournament
from benchmarks.system.decisions import PYTHON_BOT
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.plan import make_plan


def test_memory_is_compared_between_the_first_and_the_last_tenth() -> None:
    samples = [Sample(float(sets), sets, referee=100 + sets, others=0) for sets in range(101)]
    found = tenths([Sample(0.0, 0, referee=7, others=0), *samples], 100)
    assert found[0] == 105, "start-up does not count"
    assert found[1] == 114.5
    assert growth(found) == Growth(first=105, last=194.5), "what comes after the last set does not count"


def test_a_run_that_is_too_short_is_not_called_steady() -> None:
    assert growth(tenths([Sample(1.0, 50, 100, 0)], 100)) is None
    assert "too short" in steadiness(None)


@pytest.mark.parametrize(("last", "verdict"), [(110.0, "met"), (111.0, "MISSED"), (50.0, "met")])
def test_the_aim_is_a_tenth_more(last: float, verdict: str) -> None:
    assert steadiness(Growth(100.0, last)).endswith(verdict)


def test_a_set_is_worth_what_bots_are_asked_and_not_what_is_forced() -> None:
    # A game of euchre to 10 points asks bots some 150 times; a set is two games, all bots meet.
    games = 2 * PAIRINGS * sets_for(1_000_000, "euchre")
    assert 4_000 < games < 12_000


def test_the_tournament_is_a_file_that_can_be_played(tmp_path: Path) -> None:
    file = tmp_path / "million.toml"
    file.write_text(tournament(PYTHON_BOT, 64, "euchre", "none"), encoding="utf-8")
    described = load_tournament(file)
    extent = make_plan(described).extent
    assert (extent.sets, extent.games) == (64 * PAIRINGS, 2 * 64 * PAIRINGS)
    assert (described.tables, described.instances) == (64, "shared")
