"""A league whose epochs are bound to rounds of drand: they wait for their rounds, and take nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bowerbird.harness.extras.drand.rounds import read_round
from bowerbird.harness.records.store.store import Store, StoredRun
from bowerbird.harness.records.text.run_text import beacon_source
from bowerbird.harness.records.values.run import deal_seed
from tests.support.command.league import COMMAND, League, child_of, complete
from tests.support.deadline import DEADLINE_S
from tests.support.fake_drand import DOWN, GOOD, UNSIGNED, FakeDrand, fake_drand, signature

FILE = """
[league]
epoch = "1 sets"
pause = "100ms"
{beacon}
[tournament]
tables = 4
isolation = "limits"

[[variant]]
name = "two-handed"

[[bot]]
path = "random"

[[bot]]
path = "greedy"
"""


@pytest.fixture
def drand() -> Iterator[FakeDrand]:
    """Return a server of a chain with a short period."""
    with fake_drand() as served:
        yield served


@pytest.fixture
def league(tmp_path: Path, drand: FakeDrand) -> League:
    """Return a league of bundled bots that is bound to that chain."""
    return League(tmp_path, FILE.format(beacon=drand.league_lines()))


def first_run(league: League) -> StoredRun:
    """Return the run of the first epoch as stored now."""
    season = league.season()
    assert season is not None
    with Store.open(league.database) as store:
        return store.run(season.epochs[0].run)


def until_asked(league: League, drand: FakeDrand) -> StoredRun:
    """Wait until the first epoch has asked for its round, and return its run, which waits."""
    league.until(lambda _: bool(drand.asked), "the request of a round")
    run = first_run(league)
    assert (run.row.beacon, run.row.games, run.row.ended) == ("", 0, None)
    return run


def test_each_epoch_promises_a_later_round_waits_for_it_and_is_verified(league: League, drand: FakeDrand) -> None:
    with league.running():
        season = league.until_epochs(2)
    with Store.open(league.database) as store:
        runs = [store.run(epoch.run) for epoch in season.epochs[:2]]
        told = [event.what for event in store.league_events("autumn", 100)]
    for number, run in enumerate(runs, start=1):
        round_ = read_round(beacon_source(run.row.config))
        assert round_.comes_after(run.row.started)
        assert run.row.beacon == f"{round_.number} {signature(round_.number)}"
        promised = [what for what in told if run.row.commitment in what]
        assert len(promised) == 1, "the commitment and the round are told once"
        assert round_.title in promised[0]
        assert promised[0].startswith(f"epoch {number} commits to the seed sha256:")
        assert run.row.seed is not None
        assert deal_seed(run.row.seed, run.row.beacon) != run.row.seed
    assert all(epoch.archive for epoch in season.epochs[:2]), [epoch.remark for epoch in season.epochs]
    for target in ([], [str(league.folder / season.epochs[0].archive)]):
        verified = verify(league, *target)
        assert verified.returncode == 0, verified.stdout
        assert "with the right signature" in verified.stdout


def verify(league: League, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "verify", *words, "--db", str(league.database), "--quiet"],
        cwd=league.folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_the_right_round_an_epoch_waits_and_says_why(league: League, drand: FakeDrand) -> None:
    drand.way = DOWN
    with league.running():
        run = until_asked(league, drand)
        league.until(lambda _: "it answers with status 503" in league.said, "the first reason")
        drand.way = UNSIGNED
        league.until(lambda _: "its signature is wrong" in league.said, "the second reason")
        assert first_run(league).row == run.row, "nothing is played without the round"
        drand.way = GOOD
        league.until_epochs(1)
    played = first_run(league)
    assert (played.fingerprint, played.row.config.replace(f'beacon = "{played.row.beacon}"', 'beacon = ""')) == (
        run.fingerprint,
        run.row.config,
    ), "only the beacon has come"


@pytest.mark.long
@pytest.mark.parametrize("victim", [pytest.param("main", marks=pytest.mark.long), "epoch"])
def test_a_league_that_is_killed_while_it_waits_goes_on_with_the_same_round(
    league: League, drand: FakeDrand, victim: str
) -> None:
    drand.way = DOWN
    with league.started() as process:
        run = until_asked(league, drand)
        child = child_of(process.pid)
        if victim == "main":
            process.kill()
        else:
            os.kill(child, signal.SIGKILL)
            before = len(drand.asked)
            league.until(lambda _: len(drand.asked) > before, "the next process")
            process.send_signal(signal.SIGINT)
        process.wait(DEADLINE_S)
    drand.way = GOOD
    with league.running():
        season = league.until_epochs(1)
    assert season.epochs[0].run == run.fingerprint
    number = read_round(beacon_source(run.row.config)).number
    assert first_run(league).row.beacon == f"{number} {signature(number)}"
    with Store.open(league.database) as store:
        told = [event.what for event in store.league_events("autumn", 100)]
    assert len([what for what in told if run.row.commitment in what]) == 1


def test_an_epoch_that_is_committed_to_and_cannot_begin_is_shown_and_the_next_one_is_played(league: League) -> None:
    league.write_bot("dead")
    (league.folder / "bots/dead/bot.py").write_text("import sys\nsys.exit(2)\n", encoding="utf-8")
    with league.file.open("a", encoding="utf-8") as file:
        file.write('[[bot]]\npath = "bots/dead"\n')
    with league.running():
        season = league.until_epochs(2)
    with Store.open(league.database) as store:
        first, second = (store.run(epoch.run) for epoch in season.epochs[:2])
    assert (first.row.games, first.row.seed is not None) == (0, True)
    assert "dead did not start" in first.row.stopped
    assert second.row.games > 0
    assert (league.folder / season.epochs[0].archive).is_file(), season.epochs[0].remark


def test_a_signal_ends_a_wait_at_once(league: League, drand: FakeDrand) -> None:
    drand.way = DOWN
    with league.running():
        until_asked(league, drand)
    season = league.season()
    assert season is not None
    assert complete(season) == 0


@pytest.mark.long
def test_an_address_that_is_put_right_while_an_epoch_waits_is_asked(league: League, drand: FakeDrand) -> None:
    right = league.file.read_text(encoding="utf-8")
    league.file.write_text(right.replace(drand.url, "http://127.0.0.1:1"), encoding="utf-8")
    with league.running():
        league.until(lambda _: "127.0.0.1:1: it cannot be reached" in league.said, "the reason")
        league.file.write_text(right, encoding="utf-8")
        league.until_epochs(1)
