"""The ratings of a run while it is played: what its standings show now, refitted as often as that is cheap.

Enters: the results that are stored. Leaves: a `RatingsFitted`. There is no other scale: after the last deal set these
are the ratings of the final table.
"""

from __future__ import annotations

import time
from collections import Counter

from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.tournament.events import RatingsFitted
from bowerbird.harness.tournament.record_ratings import OVERALL, record_ratings

LEAST_PAUSE_S = 2.0
"""The shortest time between two fits, and before the first."""

PAUSES = 50
"""The next fit waits this many times as long as the last one took, so fits use at most about 2% of a processor."""


def pause_s(took_s: float) -> float:
    """Return how long to wait after a fit that took `took_s` seconds of a processor."""
    return max(LEAST_PAUSE_S, PAUSES * took_s)


def fitted_now(run: StoredRun, config: str) -> tuple[RatingsFitted, float]:
    """Return the ratings of the results stored now, and the processor time that the fit took. Callable from any thread.

    config: the resolved copy of the tournament file. Raises StoreError if the results cannot be read.
    """
    began = time.thread_time()
    with run.store.another() as store:
        results = store[run.fingerprint].results()
    games: Counter[tuple[str, str]] = Counter()
    for game in results:
        if game.rated:
            for bot in {*game.bots}:
                games[game.variant, bot] += 1
                games[OVERALL, bot] += 1
    sets = len({game.id.set_key for game in results})
    return RatingsFitted(sets, tuple(record_ratings(results, config)), dict(games)), time.thread_time() - began
