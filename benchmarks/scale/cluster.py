"""`make bench ARGS=cluster`: the cost of playing through a Dask cluster, measured with processes on this machine.

    paired      `--jobs 2` and `--cluster local:2`, in turn, the same tournament each time; every run takes at least a
                minute. The result is the median of their ratios
    through     a scheduler, two workers and a run in separate processes: the CPU time of each, bytes and calls; with
                50 more workers that are connected but get no block; and the round trip of a call while nobody plays

The machine should do nothing else. The benchmark takes about 20 minutes. Traffic is encrypted, as between machines.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.machine import ROOT, described, facts
from benchmarks.scale.cluster_run import RunAsked, RunMeasured
from benchmarks.scale.tables import cluster as table
from benchmarks.system.decisions import GO_BOT, PYTHON_BOT, pair, ready
from benchmarks.system.part import LeftOutError, run_module
from benchmarks.system.tournament_process import Match
from bowerbird.harness.tournament.config.fingerprint import EXCLUDED
from bowerbird.harness.tournament.preparation.bot_copy import copy_folder
from bowerbird.harness.tournament.preparation.build_place import STAMP

RESULT = ROOT / "results" / "cluster.json"
WORKERS = 2
IDLE = 50
PAIRS = 5
SECONDS = 75.0
CALIBRATION_SETS = 1000
CALLS = 300
START_S = 120.0
"""The time that processes have to connect."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster of processes: its address, the folder of its certificates, and process ids."""

    address: str
    tls: Path
    scheduler: int
    workers: tuple[int, ...]


def play(asked: RunAsked, folder: Path) -> RunMeasured:
    """Play one tournament in a separate process."""
    return RunMeasured(**run_module("benchmarks.scale.cluster_run", json.dumps(asdict(asked)), str(folder)))


def rate(found: RunMeasured) -> float:
    """Return the decisions a second."""
    return found.decisions / found.seconds


def sets_for(asked: RunAsked, seconds: float, folder: Path) -> int:
    """Return the number of deal sets that take this long with `--jobs`."""
    found = play(replace(asked, sets=CALIBRATION_SETS, jobs=WORKERS), folder)
    return max(1, math.ceil(found.sets * seconds / found.seconds))


def paired(asked: RunAsked, pairs: int, folder: Path) -> dict[str, Any]:
    """Play with `--jobs` and on a local cluster, in an order that alternates from pair to pair."""
    ways = {"jobs": replace(asked, jobs=WORKERS), "cluster": replace(asked, cluster=f"local:{WORKERS}")}
    found: dict[str, list[float]] = {name: [] for name in ways}
    shortest = math.inf
    for number in range(pairs):
        for name in sorted(ways, reverse=bool(number % 2)):
            measured = play(ways[name], folder)
            shortest = min(shortest, measured.seconds)
            found[name].append(rate(measured))
            print(f"{name}: {rate(measured):,.0f} decisions/s in {measured.seconds:.0f} s", flush=True)
    ratios = [cluster / jobs for cluster, jobs in zip(found["cluster"], found["jobs"], strict=True)]
    rates = {name: median(values) for name, values in found.items()}
    return {"workers": WORKERS, **rates, "ratios": ratios, "ratio": median(ratios), "shortest_s": shortest}


@contextmanager
def started(*command: str) -> Iterator[subprocess.Popen[str]]:
    """Run a process and end it when the block ends."""
    process = subprocess.Popen(
        command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=START_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


@contextmanager
def cluster_of(workers: int, idle: int, folder: Path) -> Iterator[Cluster]:
    """Start a scheduler and workers. Idle workers belong to another run, which keeps them but sends no blocks."""
    from bowerbird.harness.extras.cluster.tls import make_certificates

    certificates = make_certificates(folder / "tls")
    tls = certificates.options
    dask = str(Path(sys.executable).with_name("dask"))
    where = folder / "scheduler.json"
    with ExitStack() as stack:
        options = ("--protocol", "tls", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        scheduler = stack.enter_context(started(dask, "scheduler", *options, "--scheduler-file", str(where), *tls))
        wait_for(lambda: bool(address_in(where)), scheduler)
        address = address_in(where)
        if idle:
            module = (sys.executable, "-m", "benchmarks.scale.idle_workers")
            waiting = stack.enter_context(started(*module, address, str(certificates.folder), str(idle)))
            assert waiting.stdout is not None  # a pipe (`started`)
            if waiting.stdout.readline() != "ready\n":
                raise RuntimeError("the idle workers did not connect")
            stack.enter_context(kept_by_another_run(address, certificates.folder))
        settings = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0")
        playing = [
            stack.enter_context(
                started(dask, "worker", address, *settings, "--local-directory", str(folder / str(number)), *tls)
            )
            for number in range(workers)
        ]
        wait_for(lambda: workers_of(address, certificates.folder) == workers + idle, *playing)
        yield Cluster(address, certificates.folder, scheduler.pid, tuple(process.pid for process in playing))


def address_in(file: Path) -> str:
    """Return the address that a scheduler wrote into a file; "" if it has not been written completely."""
    try:
        return str(json.loads(file.read_text(encoding="utf-8"))["address"])
    except (FileNotFoundError, json.JSONDecodeError):
        return ""


def wait_for(is_done: Callable[[], bool], *processes: subprocess.Popen[str]) -> None:
    """Wait for a condition. Raises RuntimeError if a process ends or the wait takes too long."""
    end = time.monotonic() + START_S
    while not is_done():
        if time.monotonic() > end or any(process.poll() is not None for process in processes):
            raise RuntimeError("the cluster did not start")
        time.sleep(0.1)  # nothing to wait on: other programs start


def workers_of(address: str, tls: Path) -> int:
    """Return a scheduler's number of workers."""
    with connected(address, tls) as connection:
        return len(connection.loop.wait_for(connection.workers()))


@contextmanager
def connected(address: str, tls: Path) -> Iterator[Any]:
    """Connect as a run does."""
    from bowerbird.harness.extras.cluster.address import parse_address
    from bowerbird.harness.extras.cluster.connection import ClusterConnection
    from bowerbird.harness.extras.cluster.tls import TlsFiles

    connection = ClusterConnection(parse_address(address), TlsFiles.find(tls))
    connection.open()
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def kept_by_another_run(address: str, tls: Path) -> Iterator[None]:
    """Reserve every worker for another run, and keep them as a run does. No other run can use them."""
    with connected(address, tls) as connection:
        for worker in connection.loop.wait_for(connection.workers()):
            connection.loop.wait_for(connection.enter(worker))
        yield


def round_trips(cluster: Cluster, calls: int) -> list[float]:
    """Return how long each of these calls of an idle worker took, in seconds, sorted."""
    from bowerbird.harness.extras.cluster.connection import WorkerRefusalError
    from bowerbird.harness.extras.cluster.on_worker.site import WorkerSite

    with connected(cluster.address, cluster.tls) as connection:

        async def measure() -> list[float]:
            for worker in await connection.workers():
                try:
                    await connection.enter(worker)
                except WorkerRefusalError:
                    connection.forget(worker)  # another run has reserved it
                    continue
                found = []
                for _ in range(calls):
                    began = time.perf_counter()
                    await connection.call(worker, WorkerSite.renew)
                    found.append(time.perf_counter() - began)
                await connection.call(worker, WorkerSite.close)
                return sorted(found)
            raise RuntimeError("another run has reserved all workers")

        found: list[float] = connection.loop.wait_for(measure())
        return found


def through(asked: RunAsked, idle: int, folder: Path) -> dict[str, Any]:
    """Play through a scheduler in a separate process."""
    with (
        tempfile.TemporaryDirectory(dir=folder) as name,
        cluster_of(WORKERS, idle, Path(name)) as cluster,
    ):
        trips = round_trips(cluster, CALLS)
        found = play(
            replace(
                asked,
                cluster=cluster.address,
                tls=str(cluster.tls),
                scheduler=cluster.scheduler,
                workers=cluster.workers,
            ),
            folder,
        )
    cpu = found.run_cpu + found.scheduler_cpu + found.workers_cpu
    return {
        "workers": WORKERS,
        "idle": idle,
        "seconds": found.seconds,
        "decisions_a_second": rate(found),
        "scheduler_core": found.scheduler_cpu / found.seconds,
        "scheduler_share": found.scheduler_cpu / cpu,
        "run_core": found.run_cpu / found.seconds,
        "run_cpu_a_set": found.run_cpu / found.sets,
        "calls": found.calls,
        "calls_a_second": sum(found.calls.values()) / found.seconds,
        "blocks_a_second": found.calls.get("play", 0) / found.seconds,
        "sent_a_set": found.sent / found.sets,
        "received_a_set": found.received / found.sets,
        "call_median": median(trips),
        "call_p99": trips[len(trips) * 99 // 100],
    }


def copied(bot: Path, folder: Path) -> Path:
    """Copy a bot, with files instead of links, because a starter's links in a checkout point outside its folder."""
    copy = folder / bot.name
    copy_folder(bot, copy, {*EXCLUDED, STAMP})
    return copy


def main() -> None:
    """Measure, print and write. Exit code 2 without the extra `cluster`."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--bot", choices=("go", "python"), default="go", help="compiled (default), or Python")
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"pairs of runs, --jobs and cluster ({PAIRS})")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"length of each run, about ({SECONDS:g})")
    parser.add_argument("--idle", type=int, default=IDLE, help=f"workers that get no block ({IDLE})")
    parser.add_argument("--json", type=Path, metavar="FILE", help=f"output; by default {RESULT.name}, for a whole run")
    asked = parser.parse_args()
    bot = {"go": GO_BOT, "python": PYTHON_BOT}[asked.bot]
    try:
        import distributed  # noqa: F401  # only to check that it is installed
    except ModuleNotFoundError:
        sys.stderr.write("the extra 'cluster' is missing: pip install 'bowerbird[cluster]'\n")
        sys.exit(2)
    try:
        ready(Match(pair(bot)))
    except LeftOutError as error:
        sys.exit(str(error))
    known = facts()
    print(described(known), flush=True)
    build = ROOT / "build"
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cluster-", dir=build) as name:
        folder = Path(name)
        run = RunAsked(pair(copied(bot, folder)), CALIBRATION_SETS)
        run = replace(run, sets=sets_for(run, asked.seconds, folder))
        beside = paired(run, asked.pairs, folder)
        steps = [through(run, idle, folder) for idle in (0, asked.idle)]
    calls = {"median": steps[0]["call_median"], "p99": steps[0]["call_p99"]}
    result = {
        "machine": known,
        "bot": asked.bot,
        "sets": run.sets,
        "paired": beside,
        "through": steps,
        "call": calls,
        "run_cpu_a_set": steps[0]["run_cpu_a_set"],
    }
    print("\n".join(["", *table(result)]))
    is_whole = (asked.pairs, asked.seconds, asked.idle) == (PAIRS, SECONDS, IDLE)
    file = asked.json or (RESULT if is_whole else None)
    if file is not None:
        file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        print(f"\nwritten: {file}")
