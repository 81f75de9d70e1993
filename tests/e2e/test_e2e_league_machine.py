"""A league on a machine in trouble: its disk is full, its clock jumps, it sleeps."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.league import Season
from tests.support.command.league import COMMAND, League, complete
from tests.support.command.machine import can_mount, sleep_with_all
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

FILE = """
[league]
epoch = "{sets} sets"

[tournament]
tables = 4

[time]
per_decision = "1s"

[[variant]]
name = "euchre"
options = {{ target = 3 }}

[[bot]]
path = "greedy"

[[bot]]
path = "random"
"""

SMALL_DISK = """
set -eu
mount -t tmpfs -o size=1500k none small
"$1" -c "$2" league "$3" --db small/l.db --quiet & running=$!
until grep -q "disk is full" said; do kill -0 $running; sleep 0.1; done
mount -o remount,size=64m small
before=$(wc -l < said)
until tail -n +$((before + 1)) said | grep -q "is complete"; do kill -0 $running; sleep 0.1; done
kill -TERM $running
wait $running
"$1" -c "$2" verify --db small/l.db
"""
"""Plays a league on a disk of 1.5 MB until it is full, makes room, and waits until another epoch is complete."""

JUMPING = """
import datetime, itertools

_days = itertools.cycle((0, 2, -3, 1, -1))


class Jumping(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) + datetime.timedelta(days=next(_days))


datetime.datetime = Jumping
"""
"""Makes the wall clock, as our code reads it, jump by days each time it is read."""

SLEEP_S = 3.0
"""How long the machine sleeps: longer than a bot may think."""


def test_a_full_disk_is_said_and_the_league_goes_on_when_there_is_room(tmp_path: Path) -> None:
    if not can_mount():
        pytest.skip("needs user namespaces, to mount a small file system without being root")
    league = League(tmp_path, FILE.format(sets=40))
    (tmp_path / "small").mkdir()
    own_disk = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SMALL_DISK, "sh"]
    with (tmp_path / "said").open("wb") as said:
        finished = subprocess.run(
            [*own_disk, *COMMAND[:1], COMMAND[2], str(league.file)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=said,
            stderr=said,
            timeout=DEADLINE_S,
            check=False,
        )
    text = (tmp_path / "said").read_text(encoding="utf-8")
    assert finished.returncode == 0, text
    assert "Traceback" not in text
    assert "what is stored is kept, and it continues in" in text


def test_a_clock_that_jumps_costs_a_league_nothing(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(JUMPING, encoding="utf-8")
    league = League(tmp_path, FILE.format(sets=4))
    league.python_path = (tmp_path, ROOT)
    with league.running():
        season = league.until_epochs(2)
    days = {stamp[:10] for epoch in season.epochs for stamp in (epoch.started, epoch.ended) if stamp}
    assert len(days) > 1, "the clock did not jump"
    assert_whole(league, season)


def test_a_machine_that_sleeps_costs_no_bot_of_a_league_a_game(tmp_path: Path) -> None:
    league = League(tmp_path, FILE.format(sets=100))
    with league.running() as process:
        league.until(lambda season: season.open_epoch is not None, "an epoch")
        league.until(lambda season: _games(league, season) > 0, "a game")
        sleep_with_all(process.pid, SLEEP_S)
        season = league.until_epochs(1)
    assert_whole(league, season)


def assert_whole(league: League, season: Season) -> None:
    """Assert that each complete epoch has its archive and no fault, and that everything is verified."""
    verified = subprocess.run(
        [*COMMAND, "verify", "--db", str(league.database), "--quiet"], capture_output=True, text=True, check=False
    )
    assert verified.returncode == 0, verified.stdout
    assert [epoch.number for epoch in season.epochs] == list(range(1, len(season.epochs) + 1))
    assert complete(season) >= 1
    with Store.open(league.database) as store:
        for epoch in season.epochs:
            assert not list(store[epoch.run].faults())
            if epoch.ended is not None:
                assert (league.folder / epoch.archive).is_file()
                assert not epoch.remark.startswith("verify"), epoch.remark


def _games(league: League, season: Season) -> int:
    epoch = season.open_epoch
    if epoch is None:
        return 0
    with Store.open(league.database) as store:
        return len(store[epoch.run].game_ids()) if store[epoch.run].header() is not None else 0
