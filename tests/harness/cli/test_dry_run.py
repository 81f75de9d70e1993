"""What `bowerbird tournament FILE --dry-run` says about the time (tournament-file.md)."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.harness.cli.dry_run import print_dry_run
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.tournament_file import TournamentFile, load_tournament
from bowerbird.harness.tournament.corrections import withdraw_bot
from bowerbird.harness.tournament.plan import make_plan
from tests.support.records.stored_runs import store_run
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.random_runs import Law, store_made_run


def test_a_dry_run_says_of_the_longest_time_what_it_leaves_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    yard = Yard(tmp_path)
    yard.bot("alpha")
    yard.bot("beta")
    file = load_tournament(yard.tournament("sets = 1", variants='[[variant]]\nname = "two-handed"\n'))
    print_dry_run(file, tmp_path / "none.db", resume=False, as_json=False)
    said = " ".join(capsys.readouterr().out.split())
    assert re.search(r"if bots answer at once, at most about [\d.]+ \w+ without voids and restarts", said), said


def test_a_dry_run_says_how_long_it_takes_at_the_pace_of_the_last_run_of_the_bots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    yard = Yard(tmp_path)
    for name in ("ann", "bob", "cid"):
        yard.bot(name)
    bots = "".join(f'[[bot]]\npath = "bots/{name}"\n' for name in ("ann", "bob"))
    db = tmp_path / "x.db"
    store_run(db, variants=("two-handed",), name="winter")
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE job SET played_ms = 3600000")
    print_dry_run(load_tournament(yard.tournament("sets = 50", bots=bots)), db, resume=False, as_json=False)
    assert re.search(r"about [\d.]+ (h|days) if it goes as fast as run winter", capsys.readouterr().out)
    others = bots.replace("bob", "cid")
    print_dry_run(load_tournament(yard.tournament("sets = 50", bots=others)), db, resume=False, as_json=False)
    said = capsys.readouterr().out
    assert "as fast as" not in said
    assert "earlier runs" not in said, "these are other files than those of the stored run"


def test_a_dry_run_of_bots_that_met_others_before_takes_their_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    yard = Yard(tmp_path)
    for name in ("ann", "bob", "cid"):
        yard.bot(name)
    db = tmp_path / "x.db"

    def file_of(*names: str) -> TournamentFile:
        bots = "".join(f'[[bot]]\npath = "bots/{name}"\n' for name in names)
        return load_tournament(yard.tournament("sets = 4", variants='[[variant]]\nname = "two-handed"\n', bots=bots))

    def said_of(*names: str) -> str:
        print_dry_run(file_of(*names), db, resume=False, as_json=False)
        return " ".join(capsys.readouterr().out.split())

    with Store.create(db) as store:
        law = Law({"ann": 2, "bob": 1}, level=True, chance=0.0, withdrawn={})
        store_made_run(make_plan(file_of("ann", "bob")), store, law, random.Random(1))
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE seat SET decisions = 10, time_ms = CASE bot WHEN 'ann' THEN 400 ELSE 20 END")
    assert "mean time of a decision in earlier runs: ann 40.0 ms; the other bots have not played" in said_of(
        "ann", "cid"
    )
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(
            "UPDATE bot SET fingerprint = ? WHERE name = 'bob'", [file_of("cid", "ann").bots[0].fingerprint]
        )
    assert "of thinking at the mean times of earlier runs: ann 40.0 ms, cid 2.0 ms" in said_of("ann", "cid")


def test_a_dry_run_leaves_out_what_withdrawn_bots_will_miss(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    yard = Yard(tmp_path)
    yard.bot("alpha")
    bots = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{name}"\n' for name in ("ann", "bob", "cid"))
    variant = '[[variant]]\nname = "two-handed"\n'
    file = load_tournament(yard.tournament("sets = 4", variants=variant, bots=bots))
    plan, db = make_plan(file), tmp_path / "x.db"
    law = Law({"ann": 3, "bob": 2, "cid": 1}, level=True, chance=0.0, withdrawn={})
    with Store.create(db) as store:
        store_made_run(plan, store, law, random.Random(1), most=3)
        withdraw_bot(store.run(), "cid", why="its author asked for it", by="the jury")
    print_dry_run(file, db, resume=True, as_json=False)
    said = capsys.readouterr().out
    assert "ann+bob" in said
    assert "ann+cid" not in said
    assert re.search(r"cid withdrawn: \d+ games not played", said), said
    print_dry_run(file, db, resume=True, as_json=True)
    following = json.loads(capsys.readouterr().out)["next_round"]
    assert [job["lineup"] for job in following["jobs"]] == ["ann+bob"]
