"""What `bowerbird tournament FILE --dry-run` says about the time (tournament-file.md)."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.harness.cli.dry_run import print_dry_run
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from tests.support.records.stored_runs import store_run
from tests.support.tournament.bot_folders import Yard


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
    assert "as fast as" not in capsys.readouterr().out
