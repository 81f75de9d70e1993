"""Verification in several processes of this machine (`bowerbird verify --jobs N`).

They are started anew and not forked, so that nothing is shared but the database, which each opens for itself. They end
with the process that started them, in whatever way it ends.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path

from harness.records.errors import StoreError
from harness.records.examine import Difference, Identity, examine
from harness.records.rows import RunRow
from harness.records.store import Store

_asked: list[tuple[Path, RunRow, Collection[Identity]]] = []
"""In a worker, the one thing that it was started for: the database, the run, and the run's bots."""


def examined(
    path: Path, run: RunRow, entered: Collection[Identity], blocks: Sequence[tuple[str, ...]], workers: int
) -> Iterator[list[Difference]]:
    """Block by block in their order, what differs in its games. Raises StoreError as `verify_run`."""
    with ProcessPoolExecutor(
        min(workers, len(blocks)), get_context("spawn"), initializer=_begin, initargs=(path, run, entered)
    ) as pool:
        try:
            with _without_interrupts():
                found = pool.map(_examine, blocks)
            yield from found
        except BrokenProcessPool as error:
            raise StoreError(
                f"{path}: a process that verified it was lost, by kill -9 or want of memory; fewer --jobs need less"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """What is started here never gets a Ctrl-C of the terminal, which is for the process that starts it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _examine(games: tuple[str, ...]) -> list[Difference]:
    [(path, run, entered)] = _asked
    return examine(_opened(path), run, entered, games)


@cache
def _opened(path: Path) -> Store:
    """The database, opened with the first block: what is wrong with it is then said of that."""
    return Store.open(path)


def _begin(path: Path, run: RunRow, entered: Collection[Identity]) -> None:
    """Keep what the games are looked at with; when the process that started this one has gone, this one goes."""
    _asked.append((path, run, entered))
    parent = parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
