"""Records without times, for comparing two runs of one seed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.run import ResultsDigest


def without_times(record: GameRecord) -> str:
    """Return the record's text with every measured millisecond set to 0."""
    hands = tuple(dataclasses.replace(hand, ms=(0,) * len(hand.ms)) for hand in record.hands)
    faults = tuple(dataclasses.replace(fault, limit_ms=0, elapsed_ms=0) for fault in record.faults)
    return canonical(dataclasses.replace(record, hands=hands, faults=faults))


def played(database: Path) -> tuple[dict[str, str], ResultsDigest | None]:
    """Return the records of the newest run without their times, by game, and its ratings."""
    with Store.open(database) as store:
        run = store.run().fingerprint
        return {game: without_times(store.record(game)) for game in store[run].game_ids()}, store[run].ratings()


def thinking_times(record: GameRecord, seats: set[int]) -> list[int]:
    """Return the milliseconds charged for each decision that these seats made themselves."""
    times = []
    for hand in record.hands:
        own = set(range(len(hand.actions))) - set(hand.forced) - set(hand.substituted)
        times += [hand.ms[index] for index in sorted(own) if int(hand.actions[index].split()[0]) in seats]
    return times
