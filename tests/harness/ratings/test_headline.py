"""The headline says who won, how sure that is, and what is still open (ratings.md, What the standings say)."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.ratings.standings.text.headline import headline_of
from bowerbird.harness.ratings.standings.text.uneven import uneven_lines
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.corrections import withdraw_bot
from bowerbird.harness.tournament.plan import make_plan
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.random_runs import Law, store_made_run

STRONG: Mapping[str, int] = {"greedy": 3, "jay": 2, "magpie": 1}
NOBODY: Mapping[str, int] = {}


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
    withdrawn: Mapping[str, int] = NOBODY,
    seed: str = "leaves",
    name: str = "cup",
) -> str:
    """Return the headline of a run in which the stronger bot wins, except for a `chance`.

    withdrawn: as in `Law`. seed: "" to draw one.
    """
    text = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in strengths)
    entries = "".join(f'[[variant]]\nname = "{variant}"\n' for variant in variants)
    seeds = [f'seed = "{seed}"'] if seed else []
    file = yard.tournament(f'name = "{name}"', *seeds, 'unit = "deals"', *lines, variants=entries, bots=text)
    plan = make_plan(load_tournament(file))
    with Store.create(yard.folder / "x.db") as store:
        store_made_run(plan, store, Law(strengths, level, chance, withdrawn), random.Random(1), most=most)
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
    assert found.startswith("greedy has the best score, but first place is open between greedy, jay and magpie: ")


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


def test_more_deal_sets_are_told_for_each_line_up_and_beside_those_of_the_file(yard: Yard) -> None:
    found = headline(yard, {"greedy": 9, "jay": 1, "magpie": 1}, "sets = 12", chance=0.4)
    assert "For that, play with sets = " in found, found
    assert " instead of 12 for each of the 3 line-ups" in found


def test_a_run_whose_seed_is_published_is_not_extended_but_played_anew(yard: Yard) -> None:
    bots = {"greedy": 9, "jay": 1, "magpie": 1}
    found = headline(yard, bots, "sets = 12", chance=0.4, seed="", most=30)
    assert "For that, play with sets = " in found, found
    (yard.folder / "x.db").unlink()
    found = headline(yard, bots, "sets = 12", chance=0.4, seed="")
    assert "For that, play a new run (the seed of this one is published) with sets = " in found, found


def test_a_match_is_told_its_option(yard: Yard) -> None:
    found = headline(yard, {"greedy": 1, "jay": 1}, "sets = 12", chance=1.0, name="match-two-handed-greedy-jay")
    assert re.search(r"For that, play with --sets \d+ instead of 12\.", found), found


def test_nothing_is_open_about_a_withdrawn_bot(yard: Yard) -> None:
    bots = {"greedy": 2, "jay": 2, "magpie": 1, "wren": 2}
    found = headline(yard, bots, "sets = 12", withdrawn={"wren": 40})
    with Store.open(yard.folder / "x.db") as store:
        run = store.run()
        listed = overview([run]).overall.rating_list
        [line] = uneven_lines(run, lambda bot: f"annul {bot}")
        assert uneven_lines(run) == [line.partition(";")[0]]
    assert "wren" not in found, found
    assert re.search("place is open between (greedy and jay|jay and greedy): ", found), found
    assert [(pair.bot, pair.other) for pair in listed.undecided] in ([("greedy", "jay")], [("jay", "greedy")])
    wren = listed.line("wren")
    assert wren is not None, "its results still count"
    assert wren.rank is not None, "so it keeps its rating and its ranks"
    assert line.startswith("uneven: ")
    assert line.endswith("; to count none of them: annul wren")


def test_the_last_bot_that_is_left_is_called_that(yard: Yard) -> None:
    found = headline(yard, {"greedy": 2, "jay": 1}, "sets = 4", withdrawn={"jay": 3})
    assert found == "greedy is the only bot that was not withdrawn."


def test_an_even_withdrawal_leaves_no_line(yard: Yard) -> None:
    headline(yard, STRONG, "sets = 2", withdrawn={"magpie": 0})
    with Store.open(yard.folder / "x.db") as store:
        assert uneven_lines(store.run()) == []


def test_an_annulment_evens_the_scores(yard: Yard) -> None:
    headline(yard, STRONG, "sets = 12", withdrawn={"magpie": 40})
    with Store.open(yard.folder / "x.db") as store:
        assert len(uneven_lines(store.run())) == 1
        withdraw_bot(store.run(), "magpie", why="it fell", by="the jury", annul=True)
        assert uneven_lines(store.run()) == []
