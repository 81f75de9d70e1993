"""A new run of a tournament file says that it does not continue the latest run of its name (commands.md)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bowerbird.harness.cli.tournament_run import note_namesake
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, load_tournament
from bowerbird.harness.tournament.plan import make_plan
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.random_runs import Law, store_made_run


def entered(yard: Yard, *lines: str) -> TournamentFile:
    bots = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{name}"\n' for name in ("ann", "bob"))
    return load_tournament(
        yard.tournament("sets = 2", *lines, variants='[[variant]]\nname = "two-handed"\n', bots=bots)
    )


@pytest.mark.parametrize(("most", "state"), [(1, "unfinished"), (2, "complete")])
def test_a_second_run_of_a_name_says_that_it_is_another_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], most: int, state: str
) -> None:
    yard = Yard(tmp_path)
    yard.bot("alpha")
    file = entered(yard)
    with Store.create(tmp_path / "x.db") as store:
        note_namesake(file, store)
        assert capsys.readouterr().err == "", "it is the first one"
        law = Law({"ann": 2, "bob": 1}, level=True, chance=0.0, withdrawn={})
        store_made_run(make_plan(file), store, law, random.Random(1), most=most)
        note_namesake(file, store)
        run = store.run().fingerprint
    said = " ".join(capsys.readouterr().err.split())
    assert said == (
        f"run {run} ({file.name}) is {state}; this starts another run with that name "
        "(--resume continues the earlier one)"
    )


def test_a_typed_seed_continues_its_run_and_nothing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    yard = Yard(tmp_path)
    yard.bot("alpha")
    file = entered(yard, 'seed = "leaves"')
    with Store.create(tmp_path / "x.db") as store:
        law = Law({"ann": 2, "bob": 1}, level=True, chance=0.0, withdrawn={})
        store_made_run(make_plan(file), store, law, random.Random(1))
        note_namesake(file, store)
    assert capsys.readouterr().err == ""
