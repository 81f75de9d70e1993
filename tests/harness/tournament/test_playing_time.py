"""A run's time: what it has used stays used, and pauses are left out (tournament.toml, stop.time)."""

from __future__ import annotations

from harness.records.run import SetKey
from harness.tournament.playing_time import PlayingTime

FIRST, SECOND, THIRD = (SetKey("euchre-0", "a+b", number) for number in range(3))


class Watch:
    """Seconds that go on only when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_time_of_a_run_goes_on_from_its_last_stored_set() -> None:
    watch = Watch()
    time = PlayingTime({FIRST: 4_000, SECOND: 9_000}, watch)
    watch.now += 500  # nobody plays yet
    time.go_on()
    watch.now += 2
    assert time.stamp() == 11_000


def test_a_pass_that_is_stored_has_the_time_at_which_it_was() -> None:
    """Else a run that was gone on with would stop where it had not stopped."""
    watch = Watch()
    time = PlayingTime({FIRST: 4_000, SECOND: 9_000}, watch)
    time.go_on()
    assert time.until([FIRST]) == 4.0
    assert time.until([FIRST, SECOND]) == 9.0
    watch.now += 3
    time.stamp()
    watch.now += 60  # the last set is stored; what comes after is no time of it
    assert time.until([SECOND, THIRD]) == 12.0
