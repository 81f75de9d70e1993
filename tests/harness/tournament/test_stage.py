"""`stage`: a final between the best of an earlier run (tournament-file.md)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from bowerbird.harness.cli.tournament_run import entered_file, stored_file
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.tournament_file import Stage, TournamentFile, load_tournament
from bowerbird.harness.tournament.corrections import withdraw_bot
from bowerbird.harness.tournament.errors import ConfigError
from bowerbird.harness.tournament.plan import make_plan
from bowerbird.harness.tournament.stage import best_of
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.random_runs import Law, store_made_run
from tests.support.tournament.table_players import LocalTables
from tests.support.tournament.voided_runs import play

FIVE = {"ann": 5, "bob": 4, "cid": 3, "dan": 2, "eve": 1}


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    made = Yard(tmp_path)
    made.bot("alpha")
    return made


def written(yard: Yard, name: str, *lines: str, bots: tuple[str, ...] = tuple(FIVE)) -> Path:
    text = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in bots)
    variant = '[[variant]]\nname = "two-handed"\n'
    return yard.tournament(f'name = "{name}"', 'unit = "deals"', "sets = 4", *lines, variants=variant, bots=text)


def qualified(
    yard: Yard, *lines: str, strengths: Mapping[str, int] = FIVE, most: int = 10**6, name: str = "qualifier"
) -> Store:
    """Store a qualifier of five bots."""
    store = Store.create(yard.folder / "x.db")
    file = load_tournament(written(yard, name, 'seed = "leaves"', *lines))
    law = Law(strengths, level=True, chance=0.0, withdrawn={})
    store_made_run(make_plan(file), store, law, random.Random(1), most=most)
    return store


def final(yard: Yard, best: int = 2, run: str = "qualifier", **keys: tuple[str, ...]) -> TournamentFile:
    return load_tournament(written(yard, "final", f'stage = {{ run = "{run}", best = {best} }}', **keys))


def test_the_best_of_the_earlier_run_take_part(yard: Yard) -> None:
    with qualified(yard) as store:
        assert best_of(final(yard, 2), store) == ("ann", "bob")
        assert best_of(final(yard, 2, store.run().fingerprint), store) == ("ann", "bob")
        assert best_of(final(yard, 9), store) == tuple(FIVE)
    path = written(yard, "final", 'stage = { run = "qualifier", best = 3 }')
    file = entered_file(path, yard.folder / "x.db", resume=False)
    assert [bot.name for bot in file.bots] == [bot.name for bot in file.bot_entries] == ["ann", "bob", "cid"]
    assert file.stage == Stage("qualifier", 3)
    assert {bot for entry in file.variants for lineup in entry.lineups for bot in lineup.positions} == {
        "ann",
        "bob",
        "cid",
    }


def test_all_that_share_the_last_place_take_part(yard: Yard) -> None:
    with qualified(yard, strengths={"ann": 5, "bob": 4, "cid": 4, "dan": 4, "eve": 1}) as store:
        assert best_of(final(yard, 2), store) == ("ann", "bob", "cid", "dan")


def test_a_lot_of_the_earlier_run_cuts_between_equal_bots(yard: Yard) -> None:
    with qualified(yard, 'equal_places = "lot"', strengths=dict.fromkeys(FIVE, 1)) as store:
        assert len(best_of(final(yard, 3), store)) == 3


def test_a_withdrawn_bot_is_passed_over(yard: Yard) -> None:
    with qualified(yard) as store:
        withdraw_bot(store.run(), "ann", why="it cheated", by="the jury")
        plan = make_plan(load_tournament(written(yard, "qualifier", 'seed = "leaves"')))
        play(plan, store, LocalTables(plan.file.bots))
        assert best_of(final(yard, 2), store) == ("bob", "cid")


def test_what_cannot_be_a_stage_is_refused_in_one_sentence(yard: Yard) -> None:
    with qualified(yard, most=3) as store, pytest.raises(ConfigError, match="is not complete"):
        best_of(final(yard), store)
    (yard.folder / "x.db").unlink()
    with qualified(yard) as store:
        with pytest.raises(StoreError, match="qualifyer"):
            best_of(final(yard, run="qualifyer"), store)
        with pytest.raises(ConfigError, match=r"'bob' is among its best, but is not a \[\[bot\]\]"):
            best_of(final(yard, bots=("ann", "cid")), store)
    (yard.folder / "x.db").unlink()
    with qualified(yard, name="final") as store, pytest.raises(ConfigError, match="is this tournament itself"):
        best_of(final(yard, run="final"), store)
    for wrong in ("{ best = 2 }", '{ run = "qualifier" }', '{ run = "qualifier", best = 1 }', '"qualifier"'):
        with pytest.raises(ConfigError, match=r"stage|run|best"):
            load_tournament(written(yard, "final", f"stage = {wrong}"))


def test_an_adaptive_run_has_no_best(yard: Yard) -> None:
    text = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in FIVE)
    lines = ('name = "qualifier"', 'seed = "leaves"', 'unit = "deals"', 'format = "adaptive"', "total_sets = 8")
    file = load_tournament(yard.tournament(*lines, variants='[[variant]]\nname = "two-handed"\n', bots=text))
    law = Law(FIVE, level=True, chance=0.0, withdrawn={})
    with Store.create(yard.folder / "x.db") as store:
        store_made_run(make_plan(file), store, law, random.Random(1))
        with pytest.raises(ConfigError, match="is adaptive, so it has no places"):
            best_of(final(yard), store)


def test_a_final_that_has_begun_keeps_its_bots(yard: Yard) -> None:
    """Also when the earlier run is corrected afterwards, and when it is resumed from what is stored."""
    db = yard.folder / "x.db"
    with qualified(yard) as store:
        path = written(yard, "final", 'stage = { run = "qualifier", best = 2 }')
        begun = make_plan(entered_file(path, db, resume=False))
        with store.begin(begun.header, begun.seed, yard.folder):
            pass
        earlier = store.run("qualifier")
        withdraw_bot(earlier, "ann", why="it cheated", by="the jury")
        resumed = entered_file(path, db, resume=True)
        assert [bot.name for bot in resumed.bots] == ["ann", "bob"]
        assert resolved_text(resumed) == begun.header.config
        assert [bot.name for bot in stored_file(store.run("final")).bots] == ["ann", "bob"]
        with pytest.raises(ConfigError, match="is not complete"):
            entered_file(path, db, resume=False)
