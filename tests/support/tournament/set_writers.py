"""Writers of deal sets that stand in for a store."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bowerbird.harness.records.values.faults import Incident
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.records.values.run import CompletedSet, CpuTotal, ResultsDigest
from bowerbird.harness.records.values.voids import VoidedSet


class ForgetfulWriter:
    """A writer that keeps nothing."""

    def save_sets(
        self,
        sets: Sequence[CompletedSet],
        digest: ResultsDigest,
        played_ms: int,
        incidents: Sequence[Incident],
        voids: Sequence[VoidedSet] = (),
    ) -> int:
        return len(sets)

    def add_cpu(self, used: Sequence[CpuTotal]) -> None:
        pass

    def unpair(self, number: int, bots: Collection[str]) -> None:
        pass

    def end(self, outcome: Outcome) -> None:
        pass
