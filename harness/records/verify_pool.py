"""Verification in several processes of this machine (`bowerbird verify --jobs N`).

They are started anew and not forked, so that nothing is shared but the database, which each opens for itself. They end
with the process that started them, in whatever way it ends.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from pathlib import Path

from harness.records.errors import StoreError
from harness.records.rows import RunRow
from harness.records.store import Store
from harness.records.verify import Difference, examine

_stores: dict[Path, Store] = {}
"""In a worker, the database that it has opened."""


def examined(path: Path, run: RunRow, blocks: Sequence[tuple[str, ...]], workers: int) -> Iterator[list[Difference]]:
    """Block by block in their order, what differs in its games. Raises StoreError as `verify_run`."""
    with ProcessPoolExecutor(min(workers, len(blocks)), mp_context=get_context("spawn"), initializer=_begin) as pool:
        try:
            with _without_interrupts():
                found = pool.map(_examine, [path] * len(blocks), [run] * len(blocks), blocks)
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


def _examine(path: Path, run: RunRow, games: tuple[str, ...]) -> list[Difference]:
    store = _stores.get(path)
    if store is None:
        store = _stores[path] = Store.open(path)
    return examine(store, run, games)


def _begin() -> None:
    """When the process that started this one has gone, this one goes."""
    parent = parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
