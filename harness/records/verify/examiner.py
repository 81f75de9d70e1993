"""Examiners of the games of a run: this process, several processes (`pool`), or other machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.verify.game_checks import Block, Difference, RunFacts, examine, stored_games


class Examiner(Protocol):
    """An examiner of the games of a run. All examiners find the same differences."""

    def __call__(self, store: Store, run: RunFacts, blocks: Sequence[Block]) -> Iterator[list[Difference]]:
        """Yield the differences in the games of each block, in order of blocks.

        Raises StoreError if the database cannot be read, or the examiner's own error if no process is left to examine a
        block.
        """


def examine_here(store: Store, run: RunFacts, blocks: Sequence[Block]) -> Iterator[list[Difference]]:
    """Examine the blocks in this process, as an `Examiner`."""
    return (examine(stored_games(store, block), run) for block in blocks)


@dataclass(frozen=True, slots=True)
class PoolExaminer:
    """An `Examiner` that shares the blocks among at most `workers` processes.

    With one worker, this process does the work.
    """

    workers: int

    def __call__(self, store: Store, run: RunFacts, blocks: Sequence[Block]) -> Iterator[list[Difference]]:
        """Yield the differences in each block; see `Examiner`. Raises StoreError, as when a process is killed."""
        workers = min(self.workers, len(blocks))
        if workers < 2:
            return examine_here(store, run, blocks)
        from bowerbird.harness.records.verify.pool import examined

        return examined(store.path, run, blocks, workers)
