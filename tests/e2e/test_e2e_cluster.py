"""`--cluster local:N`: the same run on Dask workers of this machine, whatever happens to them (architecture.md)."""

from __future__ import annotations

import os
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import Bowerbird, said_until
from tests.support.command.run_records import untimed_games
from tests.support.deadline import DEADLINE_S

pytest.importorskip("distributed", reason="the extra bowerbird[cluster] is not installed")
import psutil  # comes with the extra

CUP = """
[tournament]
sets = {sets}
seed = "cluster"
packs = "own"
isolation = "limits"
[[variant]]
name = "euchre"
[[variant]]
name = "buck"
"""
DASK_WORKER, REFEREE = "spawn_main", "bowerbird.harness.tournament.executors.worker"


def cup(bowerbird: Bowerbird, sets: int) -> Path:
    """Return a tournament of two bots whose answers follow from their seed."""
    return bowerbird.tournament(
        CUP.format(sets=sets), bowerbird.bot("first", "draws"), bowerbird.bot("second", "draws")
    )


def pids(bowerbird: Bowerbird, what: str) -> list[int]:
    """Return the processes of the test that have `what` in their command line."""
    return [int(line.split(" ")[0]) for line in bowerbird.processes() if what in line]


def assert_same(bowerbird: Bowerbird) -> None:
    """Fail unless two.db holds what one process plays: the same records without times, and the same ratings."""
    bowerbird.done("tournament", "cup.toml", "--db", "one.db", "--quiet")
    one, two = bowerbird.folder / "one.db", bowerbird.folder / "two.db"
    assert untimed_games(two) == untimed_games(one)
    with Store.open(one) as here, Store.open(two) as there:
        assert there.run().ratings() == here.run().ratings()


@pytest.fixture
def playing(bowerbird: Bowerbird) -> Iterator[tuple[Bowerbird, subprocess.Popen[str]]]:
    """Start a tournament of 20 sets on two workers; wait until its first sets are stored."""
    file = cup(bowerbird, sets=10)
    with bowerbird.start("tournament", file.name, "--db", "two.db", "--cluster", "local:2") as process:
        said_until(process, "of 20 deal sets")
        try:
            yield bowerbird, process
        finally:
            process.kill()


@pytest.mark.parametrize("killed", [pytest.param(DASK_WORKER, marks=pytest.mark.long), REFEREE])
def test_what_a_killed_worker_had_in_hand_is_played_again(
    playing: tuple[Bowerbird, subprocess.Popen[str]], killed: str
) -> None:
    """faults.md, Durability: nothing is lost or counted twice, and the worker that takes its place plays on."""
    bowerbird, process = playing
    os.kill(pids(bowerbird, killed)[0], signal.SIGKILL)
    out, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, said
    assert " is lost: " in said, "nobody is told"
    assert "Traceback" not in said + out
    assert not bowerbird.wait_until_gone(), "the bots of the killed worker are still alive"
    assert_same(bowerbird)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.long)])
def test_interrupted_on_a_cluster_goes_on_where_it_was(
    playing: tuple[Bowerbird, subprocess.Popen[str]], number: signal.Signals
) -> None:
    """faults.md rows 22 and 28: no process is left after ten seconds, and the records match an undisturbed run's."""
    bowerbird, process = playing
    process.send_signal(number)
    _, said = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == (130 if number == signal.SIGINT else -number), said
    assert not bowerbird.wait_until_gone()
    bowerbird.done("tournament", "cup.toml", "--db", "two.db", "--cluster", "local:2", "--resume", "--quiet")
    assert_same(bowerbird)


def test_the_http_servers_of_a_local_cluster_show_no_page(playing: tuple[Bowerbird, subprocess.Popen[str]]) -> None:
    """SECURITY.md, HTTP: a bot without a sandbox could read them."""
    _, process = playing
    run = psutil.Process(process.pid)
    ports = {port for one in (run, *run.children(recursive=True)) for port in _open_ports(one)}
    pages = ("/", "/health", "/metrics", "/json/counts.json", "/info/main/workers.html")
    answers = {(page, answer) for port in ports for page in pages if (answer := _http_status(port, page)) is not None}
    assert answers == {(page, 404) for page in pages}


def _open_ports(process: psutil.Process) -> set[int]:
    """Return the TCP ports on which a process listens; none if it has ended in the meantime, as those that start bots
    do."""
    try:
        return {each.laddr.port for each in process.net_connections("tcp4") if each.status == psutil.CONN_LISTEN}
    except psutil.NoSuchProcess:
        return set()


def _http_status(port: int, path: str) -> int | None:
    """Return the status of an HTTP page; None if something other than HTTP is served there."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=DEADLINE_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None
