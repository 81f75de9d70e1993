"""`bowerbird runs` lists how far each run is, and its faults (commands.md)."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from bowerbird.harness.cli.main import run
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.plan import make_plan
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.random_runs import Law, store_made_run


def store(yard: Yard, *lines: str, most: int) -> Path:
    """Store a run of three bots of which at most this many deal sets are played; return the database."""
    text = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in ("ann", "bob", "cid"))
    variants = '[[variant]]\nname = "two-handed"\n'
    plan = make_plan(load_tournament(yard.tournament('seed = "leaves"', *lines, variants=variants, bots=text)))
    path = yard.folder / "x.db"
    law = Law({"ann": 3, "bob": 2, "cid": 1}, level=True, chance=0.0, withdrawn={"cid": 2})
    with Store.create(path) as made:
        store_made_run(plan, made, law, random.Random(1), most=most)
    return path


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


@pytest.mark.parametrize(("most", "due"), [(5, 24), (100, None)])
def test_the_list_says_how_much_of_a_run_is_played(
    most: int,
    due: int | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Games that a withdrawn bot missed are not played, even in a complete run. Its absence is not a fault."""
    yard = Yard(tmp_path)
    yard.bot("alpha")
    path = store(yard, 'unit = "deals"', "sets = 4", most=most)
    with Store.open(path) as stored:
        missed = stored.run().unplayed_games()
        played = stored.run().row.games - missed
    assert missed > 0
    shown = f"{played} of 24"
    assert run(("runs", "--db", str(path))) == 0
    titles, _, row = capsys.readouterr().out.splitlines()
    assert titles.split()[-3:] == ["sets", "games", "faults"]
    assert row.split()[-2 - len(shown.split()) :] == [str(min(most, 12)), *shown.split(), "-"]
    assert run(("runs", "--json", "--db", str(path))) == 0
    [listed] = json.loads(capsys.readouterr().out)
    assert (listed["games_due"], listed["games_missed"], listed["faults"]) == (due, missed, 0)
