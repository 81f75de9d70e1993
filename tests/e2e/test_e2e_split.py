"""`host --jobs N` and `host --cluster`: tables with remote bots in the run's own process, all others elsewhere."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.faults import DISCONNECTED, TIMEOUT
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.hosted import PYTHON, Hosted, RemoteBot, hosted, remote
from tests.support.command.run_records import untimed_games
from tests.support.records.every_game import every_game

CUP = """
[tournament]
seed = "split"
sets = {sets}
unit = "deals"
reconnect = "1s"
[time]
per_decision = "{decision_s}s"
bank = "1s"
startup = "60s"
[[variant]]
name = "euchre"
[[bot]]
remote = true
name = "ada"
[[bot]]
remote = true
name = "grace"
"""
"""A tournament with two remote bots."""

SETS = 8
LINE_UPS, LOCAL_LINE_UPS = 10, 3
TWO_JOBS = ("--jobs", "2")
WORKER = "bowerbird.harness.tournament.executors.worker"


def cup(bowerbird: Bowerbird, decision_s: int = 60) -> Path:
    """Write a tournament of two remote and three local bots, whose answers follow from their seeds."""
    local = bowerbird.bot("first", "draws"), bowerbird.bot("second", "draws"), bowerbird.bot("third", "honest")
    return bowerbird.tournament(CUP.format(sets=SETS, decision_s=decision_s), *local)


@contextmanager
def playing(bowerbird: Bowerbird, *options: str, decision_s: int = 60) -> Iterator[tuple[Hosted, RemoteBot]]:
    """Host the tournament with both remote bots; yield the host and ada."""
    with hosted(bowerbird, cup(bowerbird, decision_s), *options) as host:
        host.until_invited()
        with remote(host, "ada", PYTHON, "-m", "bowerbird.bots.greedy") as ada, remote(host, "grace"):
            yield host, ada


def workers(bowerbird: Bowerbird) -> list[int]:
    """Return the pids of the worker processes."""
    return [int(line.split(" ")[0]) for line in bowerbird.processes() if WORKER in line]


def games(bowerbird: Bowerbird) -> dict[str, str]:
    return untimed_games(bowerbird.folder / "x.db")


@pytest.fixture(scope="module")
def played_by_one(tmp_path_factory: pytest.TempPathFactory) -> Bowerbird:
    """Return the folder of the tournament as one referee plays it."""
    command = Bowerbird(tmp_path_factory.mktemp("one"))
    with playing(command) as (host, _):
        host.ended()
    return command


@pytest.fixture
def bowerbird(tmp_path: Path, played_by_one: Bowerbird) -> Iterator[Bowerbird]:
    """Return the command in an empty folder, with the mark of `played_by_one`: it is a part of a bot's fingerprint."""
    command = Bowerbird(tmp_path, played_by_one.mark)
    yield command
    left = command.wait_until_gone()
    assert not left, f"processes that outlived the command: {left}"


@pytest.mark.parametrize(
    "elsewhere", [TWO_JOBS, pytest.param(("--cluster", "local:2"), marks=pytest.mark.long)], ids=lambda one: one[0]
)
def test_the_run_is_the_one_that_a_single_referee_plays(
    bowerbird: Bowerbird, played_by_one: Bowerbird, elsewhere: tuple[str, str]
) -> None:
    with playing(bowerbird, *elsewhere) as (host, ada):
        host.until(f"of {SETS * LINE_UPS} deal sets")
        assert len(workers(bowerbird)) == 2
        host.ended()
        assert ada.ended()[0] == 0
    assert games(bowerbird) == games(played_by_one)
    with Store.open(bowerbird.folder / "x.db") as there, Store.open(played_by_one.folder / "x.db") as here:
        assert there.run().ratings() == here.run().ratings()
        records = [there.record(game.id) for game in every_game(there)]
        assert not there.run().faults()
    for record in records:
        is_remote = any(seat.bot in ("ada", "grace") for seat in record.seats)
        assert record.conditions.instances == ("remote" if is_remote else "seat")
    bowerbird.done("verify", "--db", "x.db")


def test_what_a_killed_worker_had_in_hand_is_played_again(bowerbird: Bowerbird, played_by_one: Bowerbird) -> None:
    with playing(bowerbird, *TWO_JOBS) as (host, _):
        host.until(f"of {SETS * LINE_UPS} deal sets")
        os.kill(workers(bowerbird)[0], signal.SIGKILL)
        host.ended()
    assert games(bowerbird) == games(played_by_one)


@pytest.mark.long
@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.long), signal.SIGKILL])
def test_a_run_that_is_broken_off_goes_on_where_it_was(
    bowerbird: Bowerbird, played_by_one: Bowerbird, number: signal.Signals
) -> None:
    with playing(bowerbird, *TWO_JOBS) as (host, ada):
        host.until(f"of {SETS * LINE_UPS} deal sets")
        host.process.send_signal(number)
        host.ended(130 if number == signal.SIGINT else -number)
        if number == signal.SIGINT:
            assert ada.ended()[0] == 0, "it was told Goodbye"
            assert {"host", "--jobs", "--resume"} <= {*shlex.split(host.said[-1])}
    with playing(bowerbird, *TWO_JOBS, "--resume") as (host, _):
        host.until("already stored, not played again")
        host.ended()
    assert games(bowerbird) == games(played_by_one)
    bowerbird.done("verify", "--db", "x.db")


@pytest.mark.long
def test_a_remote_bot_that_is_killed_comes_back_and_nobody_else_is_at_fault(bowerbird: Bowerbird) -> None:
    with playing(bowerbird, *TWO_JOBS, decision_s=10) as (host, ada):
        host.until(f"of {SETS * LINE_UPS} deal sets")
        ada.kill()
        host.until("bot ada is gone")
        with remote(host, "ada", PYTHON, "-m", "bowerbird.bots.greedy", token=1) as again:
            host.until("bot ada is here")
            host.ended()
            assert again.ended()[0] == 0
    with Store.open(bowerbird.folder / "x.db") as store:
        run = store.run()
        assert run.row.ended is not None
        assert run.row.sets == SETS * LINE_UPS
        assert {(fault.bot, fault.kind) for fault in run.faults()} <= {
            ("ada", DISCONNECTED),
            ("ada", TIMEOUT),
        }
        assert not run.conduct().withdrawn
    bowerbird.done("verify", "--db", "x.db")
