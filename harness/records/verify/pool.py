"""Verification in several processes (`bowerbird verify --jobs N`).

Worker processes are spawned, not forked: they share only the database, which each opens itself. They end with the
process that started them, however it ends.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.verify.game_checks import Block, Difference, RunFacts, examine, stored_games

_assignment: list[tuple[Path, RunFacts]] = []
"""In a worker: its one assignment, the database and the run."""


def examined(path: Path, run: RunFacts, blocks: Sequence[Block], workers: int) -> Iterator[list[Difference]]:
    """Yield the differences in the games of each block, in order of blocks. Raises StoreError as `verify_run`."""
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_begin, initargs=(path, run)) as pool:
        try:
            with without_interrupts():
                found = pool.map(_examine, blocks)
            yield from found
        except BrokenProcessPool as error:
            raise StoreError(
                f"{path}: a process verifying it was killed, perhaps for lack of memory; fewer --jobs need less"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Block SIGINT, so that processes started here inherit the block: Ctrl-C is for this process only."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _examine(block: Block) -> list[Difference]:
    [(path, run)] = _assignment
    return examine(stored_games(_opened(path), block), run)


@cache
def _opened(path: Path) -> Store:
    """Open the database once, at the first block, so that errors are reported for that block."""
    return Store.open(path)


def _begin(path: Path, run: RunFacts) -> None:
    """Initialise a worker: store its assignment, and end it as soon as its parent process has ended."""
    _assignment.append((path, run))
    end_with_parent()


def end_with_parent() -> None:
    """Initialise a worker: end it as soon as its parent process has ended."""
    parent = parent_process()
    assert parent is not None  # only workers call this
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
