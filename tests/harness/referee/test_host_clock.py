"""faults.md, Stalls of the host: which gaps are stalls, and what they do to times. All readings are made up."""

from __future__ import annotations

import pytest

from bowerbird.harness.referee.host.host_clock import AFTER_NS, GAP_NS, READING_NS, HostClock
from bowerbird.harness.referee.host.stall_log import LONG_NS, MAX_SHORT_NS, MAX_STALLS, Stall, StallLog

MS = 1_000_000
S = 1000 * MS
BEAT = 50 * MS


class MadeUpHost:
    """A host whose clocks, waits and loads a test sets, and a clock that reads it as the heartbeat does."""

    def __init__(self, tells_waits: bool = True) -> None:
        self.now = 1000 * S
        self.asleep = 7 * S
        self.waited = 3 * S
        self.all_waited = 40 * S
        self.used = 90 * S
        self._tells_waits = tells_waits
        self.told: list[Stall] = []
        self.clock = HostClock(self.told.append)
        self.clock.start(self)

    def monotonic_ns(self) -> int:
        return self.now

    def asleep_ns(self) -> int:
        return self.asleep

    def core_wait_ns(self) -> int | None:
        return self.waited if self._tells_waits else None

    def all_waits_ns(self) -> int | None:
        return self.all_waited if self._tells_waits else None

    def bots_cpu_ns(self) -> int:
        return self.used

    def run(self, ns: int) -> None:
        """Run for a time, with a reading of the clock every 50 ms."""
        end = self.now + ns
        while self.now < end:
            self.now = min(end, self.now + BEAT)
            self.clock.beat()

    def stand(self, ns: int, waited: int = 0, used: int = 0) -> None:
        """Stop for a time in which the referee waited for a core and the bots used one."""
        self.now += ns
        self.waited += waited
        self.all_waited += waited
        self.used += used

    def since(self, moment: int) -> int:
        return self.clock.running_ns(moment, self.now)


@pytest.fixture
def host() -> MadeUpHost:
    return MadeUpHost()


def test_without_a_stall_time_is_the_monotonic_clock(host: MadeUpHost) -> None:
    began = host.now
    host.run(60 * S)
    assert host.since(began) == 60 * S
    assert not host.clock.was_lost_in_stall(host.now)
    assert host.told == []


def test_a_clock_that_is_not_started_notices_nothing() -> None:
    clock = HostClock()
    assert clock.running_ns(5, 5 + 99 * S) == 99 * S
    assert not clock.was_lost_in_stall(99 * S)


def test_the_first_judgement_after_a_stall_knows_of_it(host: MadeUpHost) -> None:
    """The timer of a deadline may wake before the heartbeat does."""
    began = host.now
    host.run(2 * S)
    host.stand(25 * S)
    assert host.since(began) == 2 * S


def test_no_time_runs_before_what_has_arrived_is_read(host: MadeUpHost) -> None:
    began = host.now
    host.run(2 * S)
    host.stand(25 * S)
    assert host.since(began) == 2 * S
    host.now += 40 * MS
    assert host.since(began) == 2 * S, "an answer that waits in a socket arrives now"
    host.clock.beat()
    host.run(READING_NS)
    assert host.since(began) == 2 * S
    host.run(3 * S)
    assert host.since(began) == 5 * S


def test_a_second_stall_in_the_time_for_reading_prolongs_the_first(host: MadeUpHost) -> None:
    began = host.now
    host.stand(5 * S)
    host.clock.beat()
    host.run(BEAT)
    host.stand(4 * S)
    assert host.since(began) == 0
    host.run(BEAT + READING_NS + S)
    assert host.since(began) == S


def test_time_before_and_after_a_stall_counts_whatever_it_overlaps(host: MadeUpHost) -> None:
    host.run(S)
    begin = host.now
    host.stand(10 * S)
    host.run(S)
    end = begin + 10 * S + 2 * BEAT + READING_NS
    clock = host.clock
    assert clock.running_ns(begin - 300, begin + 7) == 300
    assert clock.running_ns(begin + 7, end - 7) == 0
    assert clock.running_ns(end - 7, end + 200) == 200
    assert clock.running_ns(end, end + 200) == 200
    assert clock.running_ns(begin - 300, begin - 100) == 200
    assert clock.running_ns(begin - 100, begin - 300) == -200, "as without a stall: the caller decides"


def test_a_short_gap_is_no_stall(host: MadeUpHost) -> None:
    began = host.now
    host.stand(GAP_NS)
    assert host.since(began) == GAP_NS


def test_a_bot_that_loads_the_host_stops_no_clock(host: MadeUpHost) -> None:
    """faults.md row 31. The referee got no core for 20 s, because the bots used both."""
    began = host.now
    host.stand(20 * S, waited=20 * S, used=40 * S)
    assert host.since(began) == 20 * S
    assert not host.clock.was_lost_in_stall(host.now)


def test_what_bots_cost_the_referee_is_summed_for_those_who_did_not_cause_it(host: MadeUpHost) -> None:
    for _ in range(2):
        host.run(S)
        host.stand(20 * S, waited=20 * S, used=40 * S)
    host.run(S)
    host.stand(9 * S)
    host.clock.beat()
    assert host.clock.held_up_ns == 40 * S


def test_a_bot_that_loads_the_host_in_a_stall_gains_nothing_beyond_it(host: MadeUpHost) -> None:
    """Of 10 s the referee was stopped for 6 s and waited 4 s for a core that bots used."""
    began = host.now
    host.stand(10 * S, waited=4 * S, used=20 * S)
    assert host.since(began) == 4 * S


def test_a_wait_for_the_interpreter_of_a_thread_that_waits_for_a_core_is_the_bots_load(host: MadeUpHost) -> None:
    """The referee's own thread is then not in a run queue; the thread that holds the interpreter is."""
    began = host.now
    host.stand(20 * S, waited=5 * MS, used=40 * S)
    host.all_waited += 20 * S
    assert host.since(began) == 20 * S
    assert not host.clock.was_lost_in_stall(host.now), "a hog's own crash is not voided"


def test_a_bot_that_runs_while_the_referee_is_stopped_is_no_cause(host: MadeUpHost) -> None:
    """Ctrl-Z stops only the referee; its bots keep thinking. The referee did not wait for a core."""
    began = host.now
    host.stand(25 * S, waited=3 * MS, used=50 * S)
    assert host.since(began) == 3 * MS


def test_the_load_of_other_programs_is_a_stall(host: MadeUpHost) -> None:
    began = host.now
    host.stand(9 * S, waited=9 * S, used=20 * MS)
    assert host.since(began) == 20 * MS


def test_where_the_system_does_not_tell_waits_the_bots_load_counts_against_them() -> None:
    host = MadeUpHost(tells_waits=False)
    began = host.now
    host.stand(10 * S, used=3 * S)
    assert host.since(began) == 3 * S


def test_a_gap_whose_rest_is_short_is_no_stall(host: MadeUpHost) -> None:
    """Otherwise bots that load the host would gain the time for reading, again and again."""
    began = host.now
    for _ in range(20):
        host.stand(4 * GAP_NS, waited=4 * GAP_NS, used=3 * GAP_NS)
        host.clock.beat()
    assert host.since(began) == 80 * GAP_NS


def test_bots_that_load_the_host_after_a_stall_do_not_prolong_it(host: MadeUpHost) -> None:
    began = host.now
    host.stand(5 * S)
    host.clock.beat()
    host.stand(30 * S, waited=30 * S, used=60 * S)
    host.clock.beat()
    host.run(READING_NS + S)
    assert host.since(began) == 30 * S + S, "the time for reading began with the last look that was not late"


def test_what_bots_used_is_counted_from_the_last_reading(host: MadeUpHost) -> None:
    host.used += 50 * S
    host.clock.note_load(host.used, host.all_waited, began_ns=host.now)
    began = host.now
    host.stand(8 * S, waited=8 * S)
    assert host.since(began) == 0


def test_a_reading_that_began_before_a_gap_is_not_used(host: MadeUpHost) -> None:
    """Its thread may have been stopped: the bots would have used the time between it and the gap twice."""
    old_reading, old = host.used, host.now
    host.run(S)
    host.stand(8 * S, waited=8 * S, used=16 * S)
    host.clock.beat()
    host.clock.note_load(old_reading, host.all_waited, began_ns=old)
    host.run(S)
    began = host.now
    host.stand(8 * S, waited=8 * S)
    assert host.since(began) == 0


def test_a_machine_that_sleeps_stands_still(host: MadeUpHost) -> None:
    """The monotonic clock does not run during sleep: nothing is left out, but processes may be lost."""
    began = host.now
    host.run(2 * S)
    host.asleep += 3600 * S
    host.run(2 * S)
    assert host.clock.was_lost_in_stall(host.now)
    assert 4 * S - 2 * BEAT - READING_NS <= host.since(began) <= 4 * S
    host.run(READING_NS + AFTER_NS)
    assert not host.clock.was_lost_in_stall(host.now)
    [told] = host.told
    assert told.lasted_ns == 3600 * S


def test_a_process_is_lost_in_a_long_stall_or_soon_after(host: MadeUpHost) -> None:
    host.run(S)
    begin = host.now
    host.stand(LONG_NS)
    host.run(10 * S)
    end = begin + LONG_NS + 2 * BEAT + READING_NS
    lost = host.clock.was_lost_in_stall
    assert not lost(begin - 1)
    assert lost(begin)
    assert lost(end - 1)
    assert lost(end + AFTER_NS - 1)
    assert not lost(end + AFTER_NS)


def test_no_process_is_lost_in_a_short_stall(host: MadeUpHost) -> None:
    """A busy host has many. A bot that is losing must not be able to end itself in one."""
    began = host.now
    host.stand(LONG_NS - 1)
    assert host.since(began) == 0
    assert not host.clock.was_lost_in_stall(host.now)
    assert host.told == []


def test_many_short_stalls_are_not_a_long_one(host: MadeUpHost) -> None:
    """A host that is loaded all the time has one after another."""
    for _ in range(50):
        host.stand(2 * GAP_NS)
        host.clock.beat()
    assert not host.clock.was_lost_in_stall(host.now)


def test_a_start_is_hit_by_a_stall_that_overlaps_it(host: MadeUpHost) -> None:
    began = host.now
    host.run(S)
    host.stand(4 * S)
    host.run(20 * S)
    ended = host.now
    assert host.clock.stood_still(began, ended)
    assert not host.clock.stood_still(ended - 10 * S, ended)


def test_people_are_told_when_a_long_stall_has_ended(host: MadeUpHost) -> None:
    host.stand(25 * S)
    host.clock.beat()
    assert host.told == []
    host.run(BEAT)
    [told] = host.told
    assert told.lasted_ns == 25 * S


def test_a_deadline_is_waited_for_again_after_a_stall(host: MadeUpHost) -> None:
    clock, began = host.clock, host.now
    assert clock.wait_ns(began, 5 * S, host.now) == 5 * S
    host.run(2 * S)
    host.stand(25 * S)
    assert clock.wait_ns(began, 5 * S, host.now) == 3 * S
    host.run(BEAT + READING_NS + S)
    assert clock.wait_ns(began, 5 * S, host.now) == 2 * S


def test_a_wait_in_a_stall_does_not_turn_into_a_busy_loop(host: MadeUpHost) -> None:
    clock, began = host.clock, host.now
    host.run(S)
    host.stand(25 * S)
    assert clock.wait_ns(began, S + 1, host.now) == BEAT


def busy(host: MadeUpHost, ns: int) -> None:
    """Let time pass in which other programs leave the referee a core for a moment, again and again."""
    end = host.now + ns
    while host.now < end:
        host.stand(GAP_NS + BEAT)
        host.clock.beat()


def test_on_a_busy_host_every_time_ends(host: MadeUpHost) -> None:
    """One short stall follows another before what arrived is read: a bot that never answers is late all the same."""
    began = host.now
    busy(host, MAX_SHORT_NS)
    assert host.since(began) == 0
    busy(host, 20 * S)
    assert host.since(began) == host.now - began - MAX_SHORT_NS
    assert host.clock.wait_ns(began, 20 * S - 1, host.now) < 0, "who waits is told, in a stall too"
    host.run(S)
    assert host.since(host.now - S // 2) == S // 2, "other times have their own"


def test_long_stalls_are_spared_whole_beside_short_ones(host: MadeUpHost) -> None:
    began = host.now
    busy(host, 2 * MAX_SHORT_NS)
    host.stand(3600 * S)
    host.clock.beat()
    busy(host, 2 * MAX_SHORT_NS)
    host.stand(25 * S)
    host.clock.beat()
    assert host.since(began) == host.now - began - 3625 * S - MAX_SHORT_NS


def test_a_stopped_clock_ends_an_open_stall(host: MadeUpHost) -> None:
    began = host.now
    host.stand(25 * S)
    host.clock.beat()
    host.clock.stop()
    host.now += 9 * S
    assert host.since(began) == 9 * S


def test_the_log_keeps_the_newest_stalls() -> None:
    log = StallLog()
    for number in range(MAX_STALLS + 5):
        log.begin(number * 10, number * 10 + 3, lasted_ns=3)
        log.end(number * 10 + 3)
    last = 10 * (MAX_STALLS + 5)
    assert log.running_ns(last - 100, last) == 70
    assert log.running_ns(0, last) == last - 3 * MAX_STALLS
