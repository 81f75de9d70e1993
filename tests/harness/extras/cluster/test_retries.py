"""When a run checks workers again that it does not use."""

from __future__ import annotations

from bowerbird.harness.extras.cluster.retries import BUSY_S, FIRST_S, MOST_LOSSES, Retries


def test_a_busy_worker_is_looked_at_again_and_told_once() -> None:
    retries = Retries(["one"], now=100)
    assert retries.due(100 + BUSY_S - 1) == frozenset()
    assert retries.due(100 + BUSY_S) == {"one"}
    assert retries.due(100 + BUSY_S) == frozenset(), "each look is due once"
    assert not retries.found_busy("one", 200)
    retries.found_free("one")
    assert retries.found_busy("one", 300)


def test_a_worker_that_is_lost_again_and_again_waits_longer_each_time_and_then_stays_away() -> None:
    retries = Retries()
    waits = []
    for _ in range(MOST_LOSSES - 1):
        retries.lost("one", 0)
        waits.append(next(s for s in range(1000) if retries.due(s)))
    assert waits == [FIRST_S * 2**number for number in range(MOST_LOSSES - 1)]
    retries.lost("one", 0)
    assert retries.due(float("inf")) == frozenset()
