"""Worker processes that step the games of a vector environment, and the memory that they share with it.

The environment and a worker exchange short messages over a pair of sockets. The arrays and the actions are in a
nameless memory-mapped file. A worker ends when its environment closes the socket or dies.
"""

from __future__ import annotations

import contextlib
import gc
import json
import mmap
import os
import pickle
import socket
import struct
import subprocess
import sys
from collections.abc import Iterable, Mapping
from itertools import pairwise, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bowerbird.engine import EngineError, OptionValue
from bowerbird.harness.extras.envs.batch import Arrays, Batch, shapes_of
from bowerbird.harness.features.observing import Observer, observer_of
from bowerbird.harness.process_settings import BLAS_THREADS, BLAS_VARIABLE

ANSWER_S = 120.0
"""How many seconds a worker has to step its games."""

END_S = 5.0
"""How many seconds a worker has to end before it is killed."""

ALIGNMENT = 64

RESET, STEP, SAVE, RESTORE, DONE = b"r", b"s", b"w", b"l", b"."

LENGTH = struct.Struct("!Q")
"""The format of the length that precedes saved games on the socket."""

START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from bowerbird.harness.extras.envs.workers import main; main()"
)
"""The program of a worker, which finds its modules where its parent found them."""

COLLECT_AFTER = 100_000
"""The number of new objects before a worker collects garbage. Games have many objects and make no cycles."""


class WorkerError(EngineError, RuntimeError):
    """A worker process has ended or does not answer."""


class Workers:
    """The `count` worker processes of one vector environment. `arrays` are the arrays of all games."""

    def __init__(self, variant: str, options: Mapping[str, OptionValue], games: int, reward: str, workers: int) -> None:
        self.count = workers
        observer = observer_of(variant, options)
        memory = os.memfd_create("bowerbird-games")
        self._processes: list[subprocess.Popen[bytes]] = []
        self._sockets: list[socket.socket] = []
        self._owing: list[int] = []  # the workers that have yet to answer
        try:
            os.ftruncate(memory, _size_of(observer, games))
            self.arrays, self._numbers = _mapped(memory, observer, games)
            bounds = [games * worker // workers for worker in range(workers + 1)]
            for start, end in pairwise(bounds):
                task = {"variant": variant, "options": dict(options), "games": games, "reward": reward}
                self._start({**task, "rows": [start, end], "memory": memory}, memory)
        except BaseException:
            self.close()
            raise
        finally:
            os.close(memory)

    def _start(self, task: dict[str, Any], memory: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._processes.append(
                subprocess.Popen(
                    [
                        sys.executable,
                        "-c",
                        START,
                        json.dumps(sys.path),
                        json.dumps({**task, "socket": theirs.fileno()}),
                    ],
                    pass_fds=(memory, theirs.fileno()),
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                    env={**os.environ, BLAS_VARIABLE: BLAS_THREADS, "OMP_NUM_THREADS": "1"},
                )
            )
        ours.settimeout(ANSWER_S)
        self._sockets.append(ours)

    def reset(self, secret: bytes) -> None:
        """Start all games afresh."""
        self._ask(repeat(RESET + secret))

    def step(self, numbers: NDArray[np.int64]) -> None:
        """Apply one legal action to each game."""
        self._numbers[:] = numbers
        self._ask(repeat(STEP))

    def saved(self) -> bytes:
        """Return the games of all workers, pickled (`Batch.saved`)."""
        self._ask(repeat(SAVE))
        try:
            return pickle.dumps([self._received(worker) for worker in range(len(self._sockets))])
        except BaseException:  # the remaining bytes would be read as answers
            self.close()
            raise

    def restore(self, saved: bytes) -> None:
        """Continue games that `saved` returned for the same number of workers."""
        self._ask([RESTORE + LENGTH.pack(len(games)) + games for games in pickle.loads(saved)])

    def _ask(self, messages: Iterable[bytes]) -> None:
        """Send each worker its message and wait for all answers. Raises WorkerError if one does not answer."""
        if not self._processes:
            raise WorkerError("the environment is closed")
        self._wait()  # Ctrl-C may have ended the last call early
        for worker, (each, message) in enumerate(zip(self._sockets, messages, strict=False)):
            self._owing.append(worker)
            try:
                each.sendall(message)
            except OSError as error:
                raise self._failed(worker) from error
        self._wait()

    def _wait(self) -> None:
        """Wait for the outstanding answers."""
        while self._owing:
            worker = self._owing[0]
            if self._read(worker, 1) != DONE:
                raise self._failed(worker)
            del self._owing[0]

    def _read(self, worker: int, size: int) -> bytes:
        """Return `size` bytes from a worker, or fewer if it has closed its socket. Raises WorkerError if none come."""
        try:
            return self._sockets[worker].recv(size, socket.MSG_WAITALL)
        except TimeoutError as error:
            raise WorkerError(f"worker {worker} did not answer within {ANSWER_S:.0f} seconds") from error
        except OSError as error:
            raise self._failed(worker) from error

    def _received(self, worker: int) -> bytes:
        """Return the games that a worker sends after its answer to SAVE."""
        head = self._read(worker, LENGTH.size)
        games = self._read(worker, LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""
        if not games:
            raise self._failed(worker)
        return games

    def _failed(self, worker: int) -> WorkerError:
        """Return the error for a worker that has ended."""
        try:
            status = self._processes[worker].wait(END_S)
        except subprocess.TimeoutExpired:
            return WorkerError(f"worker {worker} has closed its connection")
        return WorkerError(f"worker {worker} ended with exit status {status}; its messages are on standard error")

    def close(self) -> None:
        """End all workers. A second call does nothing."""
        for each in self._sockets:
            each.close()
        for process in self._processes:
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._processes = []

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError):  # the constructor failed before it made any
            self.close()


def _places(observer: Observer, games: int) -> list[tuple[int, tuple[int, ...], Any]]:
    """Return the offset, shape and type of each array in the shared memory, with the action numbers last."""
    found = []
    offset = 0
    for shape, kind in (*shapes_of(observer, games).values(), ((games,), np.int64)):
        found.append((offset, shape, kind))
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        offset += -(-size // ALIGNMENT) * ALIGNMENT
    return [*found, (offset, (0,), np.int8)]


def _size_of(observer: Observer, games: int) -> int:
    return _places(observer, games)[-1][0]


def _mapped(memory: int, observer: Observer, games: int) -> tuple[Arrays, NDArray[np.int64]]:
    """Return the arrays and the action numbers in the shared memory."""
    shared = mmap.mmap(memory, _size_of(observer, games))
    *arrays, numbers = [
        np.ndarray(shape, kind, buffer=shared, offset=offset) for offset, shape, kind in _places(observer, games)[:-1]
    ]
    return Arrays(*arrays), numbers


def main() -> None:
    """Step the games of the task in the second argument until the environment closes the socket."""
    task = json.loads(sys.argv[2])
    start, end = task["rows"]
    arrays, numbers = _mapped(task["memory"], observer_of(task["variant"], task["options"]), task["games"])
    batch = Batch(
        task["variant"],
        task["options"],
        places=range(start, end),
        stride=task["games"],
        reward=task["reward"],
        arrays=arrays.rows(start, end),
    )
    gc.set_threshold(COLLECT_AFTER, 10, 10)
    with socket.socket(fileno=task["socket"]) as parent, contextlib.suppress(ConnectionError):  # the parent has died
        while message := parent.recv(1):
            answer = DONE
            if message == RESET:
                batch.reset(parent.recv(32, socket.MSG_WAITALL))
            elif message == STEP:
                batch.step(numbers[start:end])
            elif message == SAVE:
                games = batch.saved()
                answer += LENGTH.pack(len(games)) + games
            else:
                (length,) = LENGTH.unpack(parent.recv(LENGTH.size, socket.MSG_WAITALL))
                batch.restore(parent.recv(length, socket.MSG_WAITALL))
            parent.sendall(answer)
