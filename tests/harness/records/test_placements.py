"""Places and matches hold only values that a run can have (bowerbird.harness.records.values.placements)."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from bowerbird.harness.records.values.placements import (
    BETTER_SEED,
    EXTRA_SETS,
    GAMES,
    LONGEST_SENTENCE,
    OPEN,
    TIE,
    MatchResult,
    Outcome,
    Placement,
    wrong_outcome,
)

PLACE = Placement(1, "ann", 2.5, 0.75, 4.0, 1, "opponents had 4, one bye")
MATCH = MatchResult(1, "semi-finals", "ann", "bob", 5.5, 8, "ann", GAMES)
BYE = MatchResult(1, "semi-finals", "cy", "", 0.0, 0, "cy", "bye")


@pytest.mark.parametrize(
    "change",
    [
        {"place": 0},
        {"place": True},
        {"place": 1.0},
        {"bot": "a b"},
        {"bot": ""},
        {"points": -0.5},
        {"points": math.nan},
        {"points": math.inf},
        {"points": 10**400},
        {"points": True},
        {"share": 1.01},
        {"opponents": "4"},
        {"byes": -1},
        {"byes": 0.5},
        {"remark": "two\nlines"},
        {"remark": "x" * (LONGEST_SENTENCE + 1)},
    ],
    ids=str,
)
def test_a_place_that_no_run_has_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        replace(PLACE, **change)  # type: ignore[arg-type]  # wrong types on purpose


@pytest.mark.parametrize(
    "change",
    [
        {"round": 0},
        {"title": "a\x1b[2J"},
        {"opponent": "ann"},
        {"opponent": "no name"},
        {"won": 8.5},
        {"won": math.nan},
        {"games": -1},
        {"winner": "bob"},
        {"winner": ""},
        {"winner": "eve"},
        {"won": 4.0},
        {"decided_by": "lot"},
        {"decided_by": TIE, "winner": ""},
        {"decided_by": BETTER_SEED},
        {"opponent": "", "decided_by": "bye"},
    ],
    ids=str,
)
def test_a_match_that_no_run_has_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        replace(MATCH, **change)  # type: ignore[arg-type]  # wrong types on purpose


def test_every_way_to_decide_a_match_is_accepted() -> None:
    assert MATCH.lost == 2.5
    assert not MATCH.is_bye
    assert BYE.is_bye
    level = {"won": 4.0, "games": 8}
    for winner, decided_by in (("ann", BETTER_SEED), ("bob", BETTER_SEED), ("", TIE)):
        assert replace(MATCH, **level, winner=winner, decided_by=decided_by).lost == 4.0  # type: ignore[arg-type]
    assert replace(MATCH, won=2.0, winner="bob", decided_by=EXTRA_SETS).winner == "bob"
    assert replace(MATCH, won=0.0, games=0, winner="bob", decided_by=BETTER_SEED).games == 0, "all sets were left out"


BOTS = ("ann", "bob", "cy")


@pytest.mark.parametrize(
    ("outcome", "wrong"),
    [
        (OPEN, ""),
        (Outcome("", (PLACE, replace(PLACE, bot="bob"), Placement(3, "cy")), (MATCH, BYE)), ""),
        (Outcome("", (replace(PLACE, bot="eve"),)), "'eve' has a place or a match but is not one of the run's bots"),
        (Outcome("", (), (replace(BYE, bot="eve", winner="eve"),)), "'eve' has a place or a match"),
        (Outcome("", (PLACE, Placement(2, "ann"))), "a bot has two places"),
        (Outcome("", (PLACE, Placement(3, "bob"))), "the places are not in order"),
        (Outcome("", (Placement(2, "ann"),)), "the places are not in order"),
        (Outcome("", (PLACE, Placement(1, "bob"), Placement(2, "cy"))), "the places are not in order"),
        (Outcome("", (), (replace(MATCH, round=2),)), "the matches are not in the order of their rounds"),
        (Outcome("", (), (replace(MATCH, round=2), MATCH)), "the matches are not in the order of their rounds"),
        (Outcome("", (), (MATCH, replace(BYE, bot="ann", winner="ann"))), "a bot has two matches in one round"),
    ],
)
def test_an_outcome_is_that_of_one_run(outcome: Outcome, wrong: str) -> None:
    found = wrong_outcome(outcome, BOTS)
    assert found.startswith(wrong)
    assert bool(found) == bool(wrong)
