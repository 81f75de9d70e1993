"""A Dask cluster of real processes, as people start it: `dask scheduler`, and `dask worker` for each worker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import distributed
from distributed import Client
from distributed.security import Security

from bowerbird.harness.extras.cluster.tls import make_certificates
from bowerbird.harness.referee.process.procfs import children_of, command_line_of
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.deadline import DEADLINE_S

T = TypeVar("T")


END_S = 15.0
"""How long a process may take to end after SIGTERM, before it is killed."""

LAST_CHARACTERS = 4000
"""How much of the output of each process is shown."""


class DaskCluster:
    """A scheduler and workers on loopback, each a process of its own, with files in `folder`.

    Every worker has a nanny, which starts it again if it is killed, and a cache of its own, as on another machine.
    """

    def __init__(self, folder: Path, *, tls: bool = True) -> None:
        """Start the scheduler. `tls`: encrypted, with certificates in `tls`; otherwise plain TCP."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.tls = make_certificates(folder / "tls") if tls else None
        self._command = Bowerbird(folder)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._shown: dict[Path, int] = {}
        described = folder / "scheduler.json"
        place = ["--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0"]
        self._start("scheduler", ["scheduler", *place, "--scheduler-file", str(described)], {})
        self.address = self._until(lambda: _address(described), "the scheduler has an address")

    @property
    def options(self) -> list[str]:
        """The options with which a command of Bowerbird uses this cluster."""
        return ["--cluster", self.address, *(["--cluster-tls", str(self.tls.folder)] if self.tls else [])]

    def start_worker(self, name: str, **environment: str) -> None:
        """Start a worker and wait until the scheduler has it. `environment` overrides variables."""
        self.begin_worker(name, **environment)
        self.wait_for_workers(name)

    def start_workers(self, *names: str) -> None:
        """Start several workers at the same time, and wait until the scheduler has them."""
        for name in names:
            self.begin_worker(name)
        self.wait_for_workers(*names)

    def begin_worker(self, name: str, **environment: str) -> None:
        """Start a worker without waiting for it."""
        own = {"XDG_CACHE_HOME": str(self.folder / name / "cache")}
        self._start(name, self._worker_words(name), {**own, **environment})

    def begin_bare_worker(self, name: str) -> None:
        """Start a worker that has Dask but no Bowerbird, without waiting for it.

        Python runs there without the module `site`, so without the path that an editable installation adds.
        """
        installed = str(Path(distributed.__file__).parent.parent)
        self._start(name, self._worker_words(name), {"PYTHONPATH": installed}, ("-S",))

    def wait_for_workers(self, *names: str) -> None:
        """Wait until the scheduler has all of these workers."""
        with self._client() as client:
            self._until(lambda: set(names) <= _names(client), f"the scheduler has the workers {', '.join(names)}")

    def wait_until_left(self, name: str) -> None:
        """Wait until the scheduler has no worker of this name."""
        with self._client() as client:
            self._until(lambda: name not in _names(client), f"the scheduler has lost the worker {name}")

    def worker_pid(self, name: str) -> int:
        """Return the process of a worker: the one that runs what it is asked to, a child of its nanny."""
        return self._until(lambda: _spawned(self._processes[name].pid), f"the nanny of {name} has a worker")

    def kill(self, name: str, *, with_nanny: bool = False) -> None:
        """End a worker by SIGKILL. Its nanny starts a new one of the same name, unless it is killed before."""
        worker = self.worker_pid(name)
        if with_nanny:
            self._end(name, signal.SIGKILL)
        with suppress(ProcessLookupError):  # it ends as soon as it misses its nanny
            os.kill(worker, signal.SIGKILL)

    def stop_worker(self, name: str) -> None:
        """End a worker and its nanny by SIGTERM, as people do."""
        self._end(name, signal.SIGTERM)

    def kill_scheduler(self) -> None:
        """End the scheduler by SIGKILL."""
        self._end("scheduler", signal.SIGKILL)

    def close(self) -> None:
        """End all processes. Raises AssertionError if one is left that nobody told to go, and kills it."""
        for process in self._processes.values():
            process.terminate()
        for name in [*self._processes]:
            self._end(name, signal.SIGTERM)
        left = self._command.wait_until_gone()
        for line in left:
            os.kill(int(line.partition(" ")[0]), signal.SIGKILL)
        assert not left, f"processes that outlived the cluster: {left}"

    def output(self) -> str:
        """Return the last words of each process."""
        return "\n".join(f"--- {path.stem}\n{_text(path)[-LAST_CHARACTERS:]}" for path in self._outputs())

    @contextmanager
    def shown_output(self) -> Iterator[DaskCluster]:
        """Print, in a fixture of each test, what the processes wrote during it: pytest shows it if the test fails."""
        before = {path: len(_text(path)) for path in self._outputs()}
        yield self
        for path in self._outputs():
            if new := _text(path)[before.get(path, 0) :]:
                print(f"--- {path.stem}\n{new[-LAST_CHARACTERS:]}")

    def _worker_words(self, name: str) -> list[str]:
        options = ["--nthreads", "1", "--name", name, "--host", "127.0.0.1", "--memory-limit", "0"]
        return ["worker", self.address, *options, "--local-directory", str(self.folder / name)]

    def _start(
        self, name: str, words: Sequence[str], environment: Mapping[str, str], python: Sequence[str] = ()
    ) -> None:
        assert name not in self._processes, f"{name} has been started already"
        protocol = ["--protocol", "tls", *self.tls.options] if self.tls else ["--protocol", "tcp"]
        with open(self.folder / f"{name}.out", "ab") as output:
            self._processes[name] = subprocess.Popen(
                [sys.executable, *python, "-m", "dask", *words, "--no-dashboard", *protocol],
                cwd=self.folder,
                env={**self._command.environment(), **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def _end(self, name: str, how: signal.Signals) -> None:
        process = self._processes.pop(name)
        process.send_signal(how)
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(END_S)

    def _client(self) -> Client:
        return Client(
            self.address,
            security=self.tls.security() if self.tls else Security(),
            timeout=DEADLINE_S,
            set_as_default=False,
        )

    def _until(self, found: Callable[[], T | None], what: str) -> T:
        """Return the first result that is true. Raises AssertionError if none comes in time, or a process has ended."""
        deadline = time.monotonic() + DEADLINE_S
        while not (result := found()):
            ended = [name for name, process in self._processes.items() if process.poll() is not None]
            assert not ended, f"{', '.join(ended)} ended before {what}"
            assert time.monotonic() < deadline, f"not in {DEADLINE_S:g} s: {what}"
            time.sleep(0.05)  # nothing to wait on: it is the state of another process
        return result

    def _outputs(self) -> list[Path]:
        return sorted(self.folder.glob("*.out"))


@contextmanager
def dask_cluster(folder: Path, *workers: str, tls: bool = True) -> Iterator[DaskCluster]:
    """Start a scheduler and workers of these names; end them afterwards, and show their output with an error."""
    cluster = DaskCluster(folder, tls=tls)
    try:
        cluster.start_workers(*workers)
        yield cluster
    except BaseException as error:
        error.add_note(cluster.output())
        raise
    finally:
        cluster.close()


def _address(described: Path) -> str:
    """Return the address in a scheduler file; "" while it is not there, or not whole."""
    try:
        return str(json.loads(described.read_text())["address"])
    except (FileNotFoundError, json.JSONDecodeError):
        return ""


def _names(client: Client) -> set[str]:
    return {str(worker["name"]) for worker in client.scheduler_info(n_workers=-1)["workers"].values()}


def _spawned(nanny: int) -> int:
    """Return the child of a nanny that is its worker; 0 without one. The other child watches shared resources."""
    return next((child for child in children_of(nanny) if "spawn_main" in command_line_of(child)), 0)


def _text(path: Path) -> str:
    return path.read_text(errors="replace")
