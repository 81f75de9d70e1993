"""`equal_places`: what happens to bots with equal results, decided before the first card (tournament-file.md)."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.values.placements import Outcome, by_lot
from bowerbird.harness.records.values.run import deal_seed
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.resume_rules import check_resume
from bowerbird.harness.tournament.config.tournament_file import load_tournament, stored_tournament
from bowerbird.harness.tournament.errors import ConfigError, RunConflictError
from bowerbird.harness.tournament.plan import Plan, make_plan
from tests.support.records.archives import exported, imported
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.random_runs import Law, store_made_run
from tests.support.tournament.table_players import LocalTables
from tests.support.tournament.voided_runs import play

BOTS = ("ann", "bob", "cid", "dan")
LOT = 'equal_places = "lot"'


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    made = Yard(tmp_path)
    made.bot("alpha")
    return made


def planned(yard: Yard, *lines: str, seed: str = "leaves") -> Plan:
    bots = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in BOTS)
    variant = '[[variant]]\nname = "two-handed"\n'
    wanted = [f'seed = "{seed}"', 'unit = "deals"', "sets = 1", *lines]
    return make_plan(load_tournament(yard.tournament(*wanted, variants=variant, bots=bots)))


def test_a_lot_decides_between_equal_places_alone() -> None:
    places = {"a": 1, "b": 2, "c": 2, "d": 2, "e": 5}
    found = by_lot(places, "abcde", bytes(32))
    assert sorted(found.values()) == [1, 2, 3, 4, 5]
    assert (found["a"], found["e"]) == (1, 5)
    lots = [by_lot(places, "abcde", bytes([number]) * 32) for number in range(60)]
    orders = {tuple(sorted("bcd", key=lot.__getitem__)) for lot in lots}
    assert len(orders) == 6, "every order can come out"


@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_the_places_of_matches_follow_the_lot_and_are_verified(yard: Yard, form: str) -> None:
    """Equal bots that do the same: in a knockout at least the losers of the semi-finals share a place."""
    plan = planned(yard, f'format = "{form}"', LOT)
    with Store.create(yard.folder / "x.db") as store:
        play(plan, store, LocalTables(plan.file.bots))
        run = store.run()
        assert [place.place for place in run.placements()] == [1, 2, 3, 4]
        assert verify_run(run, digest_of) == []
        imported(yard.folder / "y.db", exported(store.path, run.fingerprint))
        with Store.open(yard.folder / "y.db") as other:
            assert verify_run(other.run(), digest_of) == []
        third, fourth = run.placements()[2:]
        swapped = [*run.placements()[:2], replace(third, bot=fourth.bot), replace(fourth, bot=third.bot)]
        if form == "knockout":
            with store.begin(plan.header, plan.seed) as writer:
                writer.end(replace(outcome_of(run), places=tuple(swapped)))
            assert any("place" in str(one) for one in verify_run(store.run(), digest_of))


def outcome_of(run: StoredRun) -> Outcome:
    return Outcome(run.row.stopped, tuple(run.placements()), tuple(run.matches()))


def test_a_round_robin_has_shared_places_until_its_seed_is_published(yard: Yard) -> None:
    plan = planned(yard, LOT)
    law = Law(dict.fromkeys(BOTS, 1), level=True, chance=0.0, withdrawn={})
    with Store.create(yard.folder / "x.db") as store:
        store_made_run(plan, store, law, random.Random(1), most=2)
        places = overview([store.run()]).overall.places
        assert sorted(places.values()) != [1, 2, 3, 4], "nobody knows the lot yet"
    with Store.create(yard.folder / "y.db") as store:
        store_made_run(plan, store, law, random.Random(1))
        run = store.run()
        assert run.row.seed is not None
        places = overview([run]).overall.places
        assert places == by_lot(dict.fromkeys(BOTS, 1), BOTS, deal_seed(run.row.seed, run.row.beacon))


def test_the_rule_is_part_of_the_run_from_its_beginning(yard: Yard) -> None:
    plan = planned(yard, LOT)
    text = resolved_text(plan.file)
    assert resolved_text(stored_tournament(text, plan.file.folder, "it")) == text
    assert "equal_places" not in resolved_text(planned(yard).file)
    with pytest.raises(RunConflictError, match="equal_places"):
        check_resume(planned(yard).header, plan.header)
    with pytest.raises(ConfigError, match="equal_places belongs to"):
        planned(yard, 'format = "adaptive"', LOT)
