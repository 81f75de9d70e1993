"""Plays one tournament in this process, with `--jobs` or on a cluster, and measures it from RunStarted to RunEnded.

    python -m benchmarks.scale.cluster_run JSON FOLDER

Everything is as in `bowerbird tournament`. This program also counts the traffic between itself and the scheduler: the
calls of workers, and the bytes before encryption.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.processes import PROC, cpu_seconds, descendants, stat_of
from bowerbird.harness.extras.cluster.address import ClusterOptions, parse_address
from bowerbird.harness.extras.cluster.machines import ClusterMachines
from bowerbird.harness.process_settings import configure_garbage_collection
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.tournament_file import quick_match
from bowerbird.harness.tournament.events import RunEnded, RunStarted, TournamentEvent
from bowerbird.harness.tournament.plan import make_plan
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament

TABLES = 64


@dataclass(frozen=True, slots=True)
class RunAsked:
    """A tournament between two bots, and the place to play it.

    jobs: as `--jobs`, if `cluster` is "".
    cluster, tls: as `--cluster` and `--cluster-tls`.
    scheduler: the process id of the scheduler, 0 for none. workers: the process ids of the workers.
    """

    bots: tuple[str, ...]
    sets: int
    jobs: int = 1
    cluster: str = ""
    tls: str = ""
    scheduler: int = 0
    workers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RunMeasured:
    """The cost of a run, from its first game to its end.

    seconds: wall time. cpu: of this process, of the scheduler, and of the workers including their bots, in seconds.
    calls: of workers, by method. sent, received: bytes to and from the scheduler.
    """

    seconds: float
    sets: int
    decisions: int
    run_cpu: float
    scheduler_cpu: float
    workers_cpu: float
    calls: dict[str, int]
    sent: int
    received: int


class Tap:
    """Counters at the connection between a run and its cluster."""

    def __init__(self) -> None:
        """Start at 0; counting starts with `open`."""
        self.calls: Counter[str] = Counter()
        self.sent = 0
        self.received = 0

    def open(self) -> None:
        """Count in this process from now on. Needs the extra `cluster`."""
        from tornado.iostream import IOStream, SSLIOStream

        from bowerbird.harness.extras.cluster.connection import ClusterConnection

        for stream in (IOStream, SSLIOStream):
            self._count_bytes(stream)
        call: Callable[..., Any] = ClusterConnection.call

        def counted(connection: ClusterConnection, worker: str, method: Callable[..., Any], *args: Any) -> Any:
            self.calls[method.__name__] += 1
            return call(connection, worker, method, *args)

        setattr(ClusterConnection, "call", counted)  # noqa: B010  # a hook would cost time when it is not measured

    def _count_bytes(self, stream: type) -> None:
        read: Callable[..., int | None] = stream.read_from_fd  # type: ignore[attr-defined]  # both streams have them
        write: Callable[..., int] = stream.write_to_fd  # type: ignore[attr-defined]

        def counted_read(self_: object, buffer: object) -> int | None:
            number = read(self_, buffer)
            self.received += number or 0
            return number

        def counted_write(self_: object, data: object) -> int:
            number = write(self_, data)
            self.sent += number
            return number

        setattr(stream, "read_from_fd", counted_read)  # noqa: B010  # likewise
        setattr(stream, "write_to_fd", counted_write)  # noqa: B010


@dataclass(frozen=True, slots=True)
class _Sample:
    at: float
    run_cpu: float
    scheduler_cpu: float
    workers_cpu: float
    calls: Counter[str]
    sent: int
    received: int


class RunMeter:
    """A meter that takes a sample when a run starts and another when it ends."""

    def __init__(self, asked: RunAsked, tap: Tap) -> None:
        """Start without samples."""
        self._asked = asked
        self._tap = tap
        self._samples: list[_Sample] = []

    def note(self, event: TournamentEvent) -> None:
        """Handle an event of the tournament."""
        if isinstance(event, RunStarted | RunEnded):
            self._samples.append(self._sample())

    def _sample(self) -> _Sample:
        tap = self._tap
        return _Sample(
            at=time.perf_counter(),
            run_cpu=time.process_time(),
            scheduler_cpu=_cpu_of_tree(self._asked.scheduler) if self._asked.scheduler else 0.0,
            workers_cpu=sum(map(_cpu_of_tree, self._asked.workers)),
            calls=tap.calls.copy(),
            sent=tap.sent,
            received=tap.received,
        )

    def found(self, database: Path) -> RunMeasured:
        """Return the measured cost; `database` is the run's database."""
        first, last = self._samples
        with closing(sqlite3.connect(database)) as connection:
            (sets,) = connection.execute("SELECT COUNT(*) FROM job").fetchone()
            (decisions,) = connection.execute("SELECT SUM(decisions) FROM seat").fetchone()
        return RunMeasured(
            seconds=last.at - first.at,
            sets=sets,
            decisions=decisions,
            run_cpu=last.run_cpu - first.run_cpu,
            scheduler_cpu=last.scheduler_cpu - first.scheduler_cpu,
            workers_cpu=last.workers_cpu - first.workers_cpu,
            calls=dict(last.calls - first.calls),
            sent=last.sent - first.sent,
            received=last.received - first.received,
        )


def _cpu_of_tree(pid: int) -> float:
    own = stat_of(PROC / str(pid))
    return (own.cpu if own is not None else 0.0) + cpu_seconds(descendants(pid))


def play(asked: RunAsked, place: Path) -> RunMeasured:
    """Play to the end. `place` is the folder of the database."""
    settings = {"tables": TABLES, "instances": "shared", "isolation": "none"}
    file = quick_match(asked.bots, {"euchre": {}}, sets=asked.sets, seed="bench", name="bench", settings=settings)
    machines = None
    tap = Tap()
    if asked.cluster:
        tls = Path(asked.tls) if asked.tls else None
        machines = ClusterMachines(ClusterOptions(parse_address(asked.cluster), tls))
        tap.open()
    meter = RunMeter(asked, tap)
    with tempfile.TemporaryDirectory(dir=place) as name:
        database = Path(name) / "bench.db"
        with Store.create(database) as store:
            play_tournament(
                make_plan(file),
                store,
                meter.note,
                RunOptions(workers=asked.jobs, machines=machines),
            )
        return meter.found(database)


def main() -> None:
    """Play the tournament in the first argument (JSON), in the folder named by the second, and print the cost."""
    configure_garbage_collection()
    asked = json.loads(sys.argv[1])
    asked |= {"bots": tuple(asked["bots"]), "workers": tuple(asked["workers"])}
    print(json.dumps(asdict(play(RunAsked(**asked), Path(sys.argv[2])))))


if __name__ == "__main__":
    main()
