"""The results of annulled deal sets, on which the later rounds of a run still depend (faults.md)."""

from __future__ import annotations

from collections.abc import Mapping

from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.values.game_result import GameResult, by_set
from bowerbird.harness.records.values.run import SetKey


def annulled_results(stored: StoredRun) -> Mapping[SetKey, list[GameResult]]:
    """Return the results of a run's annulled deal sets, each by rotation."""
    return by_set(map(result_of_record, stored.annulled_records()))
