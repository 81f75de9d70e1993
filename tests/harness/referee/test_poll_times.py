"""When an answer arrived: never after the referee's own turn (threads.md, When an answer arrived)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
import trio

from bowerbird.harness.referee.host.host_clock import GAP_NS
from bowerbird.harness.referee.host.poll_times import FOUND_NS, PollTimes, poll_times


class Polls:
    """A watch over polls whose moments the test chooses."""

    def __init__(self, moments: Iterator[int], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("time.monotonic_ns", lambda: next(moments))
        self.times = PollTimes()

    def poll(self, timeout: float = math.inf) -> int:
        """Let a poll begin and end at the next two moments. Return when the data it reports arrived."""
        self.times.before_io_wait(timeout)
        self.times.after_io_wait(timeout)
        return self.times.arrival_ns


def test_what_a_poll_waited_for_arrived_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    polls = Polls(iter([0, 1_000_000, 9_000_000]), monkeypatch)
    assert polls.poll() == 9_000_000


def test_what_a_poll_found_is_not_charged_for_the_turn_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    turn_ns = GAP_NS
    polls = Polls(iter([0, 1, 10_000_000, 10_000_000 + turn_ns, 10_000_000 + turn_ns + FOUND_NS]), monkeypatch)
    assert polls.poll() == 10_000_000
    assert polls.poll() == 10_000_000, "the referee worked since; the answer may have been there all the time"


def test_a_gap_is_no_turn_and_is_left_to_the_hosts_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    polls = Polls(iter([0, 5 * GAP_NS, 5 * GAP_NS + FOUND_NS]), monkeypatch)
    assert polls.poll() == 4 * GAP_NS, "a bot must gain nothing by keeping the referee from running"


def test_a_poll_that_may_not_wait_found_what_it_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    polls = Polls(iter([5, 100, 100 + 9 * FOUND_NS]), monkeypatch)
    assert polls.poll(timeout=0) == 5, "it was interrupted, not waiting"


async def test_a_run_has_one_watch() -> None:
    watch = poll_times()
    before_ns = watch.arrival_ns
    with trio.fail_after(60):
        while watch.arrival_ns == before_ns:  # a poll that comes late, on a busy machine, finds what it reports
            await trio.sleep(0.001)
    assert poll_times() is watch
    assert watch.arrival_ns > before_ns, "it sees the polls of this run"
