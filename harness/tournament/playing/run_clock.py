"""The clock of a run: its playing time, not counting pauses between an interruption and a resume."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from bowerbird.harness.records.values.corrections import WITHDRAW, Correction, last_corrections
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.tournament.config.schema import ADAPTIVE


class RunClock:
    """A clock that continues from the last stored deal set. Each set is stored with the time on this clock."""

    def __init__(
        self,
        stored_ms: Mapping[SetKey, int],
        clock: Callable[[], float] = time.monotonic,
        *,
        corrected: Collection[SetKey] = (),
    ) -> None:
        """Create a stopped clock.

        stored_ms: the time of each stored deal set, in milliseconds of the run.
        clock: returns seconds.
        corrected: the deal sets that a correction deals again. Their times do not tell when their round was played,
            since later rounds may have been played before them.
        """
        self._stored_ms = stored_ms
        self._corrected = corrected
        self._before_ms = self._latest_ms = max(stored_ms.values(), default=0)
        self._clock = clock
        self._began = clock()

    def start(self) -> None:
        """Start the clock."""
        self._began = self._clock()

    def stamp_ms(self) -> int:
        """Return the time of the run in milliseconds, to be stored with deal sets now."""
        self._latest_ms = self._before_ms + int(1000 * (self._clock() - self._began))
        return self._latest_ms

    def stored_at_s(self, keys: Iterable[SetKey]) -> float:
        """Return the time of the run, in seconds, when the last of these deal sets was stored.

        `keys` are a complete round. No later round may have begun if they were stored since `start`. Corrected sets do
        not count.
        """
        timed = (key for key in keys if key not in self._corrected)
        return max((self._stored_ms.get(key, self._latest_ms) for key in timed), default=0) / 1000


def untimed_sets(form: str, corrections: Sequence[Correction]) -> Collection[SetKey]:
    """Return the deal sets whose times do not tell when their round was played: the corrected ones.

    A correction of an adaptive run also takes out every later round, so its times are right again. The times of deal
    sets that are or were annulled are unknown.

    form: the name of the format.
    """
    annulled = {key for one in corrections if one.kind == WITHDRAW for key in one.sets}
    return annulled if form == ADAPTIVE else annulled | last_corrections(corrections).keys()
