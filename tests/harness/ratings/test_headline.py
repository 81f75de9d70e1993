"""The headline says who won, how sure that is, and what is still open (ratings.md, What the standings say)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.ratings.standings.text.headline import headline_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.plan import make_plan
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.random_runs import Law, store_made_run

STRONG: Mapping[str, int] = {"greedy": 3, "jay": 2, "magpie": 1}


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    made = Yard(tmp_path)
    made.bot("alpha")
    return made


def headline(
    yard: Yard,
    strengths: Mapping[str, int],
    *lines: str,
    variants: Sequence[str] = ("two-handed",),
    chance: float = 0.0,
    most: int = 10**6,
    level: bool = True,
) -> str:
    """Return the headline of a run in which the stronger bot wins, except for a `chance`."""
    text = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in strengths)
    entries = "".join(f'[[variant]]\nname = "{variant}"\n' for variant in variants)
    file = yard.tournament('seed = "leaves"', 'unit = "deals"', *lines, variants=entries, bots=text)
    plan = make_plan(load_tournament(file))
    with Store.create(yard.folder / "x.db") as store:
        store_made_run(plan, store, Law(strengths, level, chance, {}), random.Random(1), most=most)
        run = store.run()
        return headline_of(overview([run]), [run])


def test_a_settled_order_is_told_in_one_line(yard: Yard) -> None:
    assert headline(yard, STRONG, "sets = 40") == "greedy wins (settled). jay is second (settled)."


def test_an_unfinished_run_has_a_leader_and_no_winner(yard: Yard) -> None:
    assert headline(yard, STRONG, "sets = 40", most=100).startswith("greedy leads (settled).")


def test_open_places_say_how_much_more_they_take(yard: Yard) -> None:
    found = headline(yard, {"greedy": 9, "jay": 1, "magpie": 1}, "sets = 40")
    assert found.startswith("greedy wins (settled). Second place is open between jay and magpie: ")


def test_a_score_that_settles_nothing_is_called_that(yard: Yard) -> None:
    found = headline(yard, STRONG, "sets = 1")
    assert found.startswith(
        "greedy has the best score, which settles nothing yet. First place is open between greedy, jay and magpie: "
    )


def test_matches_decide_a_knockout_whatever_the_ratings_say(yard: Yard) -> None:
    found = headline(yard, {**STRONG, "crow": 0}, 'format = "knockout"', "sets = 1")
    assert found == "greedy wins, by the matches."


def test_a_run_without_a_result_has_no_headline(yard: Yard) -> None:
    assert headline(yard, STRONG, "sets = 2", most=0) == ""


def test_variants_that_another_bot_leads_are_named(yard: Yard) -> None:
    found = headline(yard, dict.fromkeys(STRONG, 1), "sets = 3", variants=("two-handed", "euchre"), chance=1.0)
    with Store.open(yard.folder / "x.db") as store:
        shown = overview([store.run()])
    first = shown.overall.rating_list.lines[0].bot
    others = [board for board in shown.variants if board.rating_list.lines[0].bot != first]
    assert others, "chance decided otherwise: take another seed"
    assert all(f"{board.rating_list.lines[0].bot} leads {board.variant}" in found for board in others)
