"""Verification in several processes (`bowerbird verify --jobs N`).

Worker processes are spawned, not forked. They share only the database, which each opens itself. They always end with
the process that started them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache, partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path

from bowerbird.harness.process_settings import without_interrupts
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.verify.game_checks import Block, Difference, RunFacts, examine, stored_games

_assignment: list[tuple[Path, RunFacts]] = []
"""The assignment of a worker process: the database and the run."""


def examined(path: Path, run: RunFacts, blocks: Sequence[Block], workers: int) -> Iterator[list[Difference]]:
    """Yield the differences in the games of each block, in order of blocks. Raises StoreError as `verify_run` does."""
    with worker_processes(workers, f"{path}: a process verifying it", begin=partial(_begin, path, run)) as pool:
        with without_interrupts():
            found = pool.map(_examine, blocks)
        yield from found


@contextmanager
def worker_processes(
    workers: int, who: str, more: str = "", begin: Callable[[], None] | None = None
) -> Iterator[ProcessPoolExecutor]:
    """Start processes for the block, which all end with this one. Raises StoreError if one of them was killed.

    who: the beginning of the error, which names one of them. more: the end of the error. begin: the function that each
        calls first, instead of `end_with_parent`.
    """
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=begin or end_with_parent) as pool:
        try:
            yield pool
        except BrokenProcessPool as error:
            raise StoreError(f"{who} was killed, perhaps for lack of memory; fewer --jobs need less{more}") from error
        finally:
            pool.shutdown(cancel_futures=True)


def _examine(block: Block) -> list[Difference]:
    [(path, run)] = _assignment
    return examine(stored_games(opened(path), block), run)


@cache
def opened(path: Path) -> Store:
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
