"""A run's time: used time stays used, and pauses do not count (tournament.toml, stop.time)."""

from __future__ import annotations

from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.tournament.playing.run_clock import RunClock

FIRST, SECOND, THIRD = (SetKey("euchre-0", "a+b", number) for number in range(3))


class Watch:
    """A clock in seconds that advances only when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_time_of_a_run_goes_on_from_its_last_stored_set() -> None:
    watch = Watch()
    time = RunClock({FIRST: 4_000, SECOND: 9_000}, watch)
    watch.now += 500  # no game has begun
    time.start()
    watch.now += 2
    assert time.stamp_ms() == 11_000


def test_a_pass_that_is_stored_has_the_time_at_which_it_was() -> None:
    """Otherwise a resumed run would stop at a different set from an undisturbed one."""
    watch = Watch()
    time = RunClock({FIRST: 4_000, SECOND: 9_000}, watch)
    time.start()
    assert time.stored_at_s([FIRST]) == 4.0
    assert time.stored_at_s([FIRST, SECOND]) == 9.0
    watch.now += 3
    time.stamp_ms()
    watch.now += 60  # the last set is stored; later seconds do not count for it
    assert time.stored_at_s([SECOND, THIRD]) == 12.0
