"""The games of a bot that uses most of the time are played last (faults.md row 45)."""

from __future__ import annotations

from dataclasses import replace

from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.job_queue import MIN_JUDGED_MS, JobQueue, TimeShares
from bowerbird.harness.referee.spec import ListedTables
from tests.support.records.record_samples import written
from tests.support.referee.tables import table


def job(*bots: str) -> ListedTables:
    return ListedTables((table(bots),))


SLOW_A, QUICK, SLOW_B = job("a", "slow", "a", "slow"), job("a", "b", "a", "b"), job("slow", "b", "slow", "b")


def charged(**ms: int) -> GameRecord:
    """Return a record in which each bot was charged this much, in one hand."""
    record = written()
    hand = replace(
        record.hands[0], actions=tuple(f"{seat} pass" for seat in range(len(ms))), ms=tuple(ms.values()), forced=()
    )
    seats = tuple(replace(record.seats[0], bot=name) for name in ms)
    return replace(record, seats=seats, hands=(hand,))


def order(queue: JobQueue[ListedTables]) -> list[ListedTables]:
    jobs = []
    while queue:
        jobs.append(queue.pop())
    return jobs


def test_jobs_keep_their_order_while_no_bot_is_slow() -> None:
    jobs = [SLOW_A, QUICK, SLOW_B]
    assert order(JobQueue(jobs, TimeShares(0.5))) == jobs


def test_jobs_of_a_slow_bot_come_last_in_their_order() -> None:
    shares = TimeShares(0.5)
    shares.add(charged(slow=MIN_JUDGED_MS, a=10))
    queue = JobQueue([SLOW_A, QUICK, SLOW_B], shares)
    assert queue.first is QUICK
    assert order(queue) == [QUICK, SLOW_A, SLOW_B]


def test_a_bot_becomes_slow_during_play() -> None:
    shares = TimeShares(0.5)
    queue = JobQueue([SLOW_A, SLOW_B, QUICK], shares)
    assert queue.pop() is SLOW_A
    shares.add(charged(slow=3 * MIN_JUDGED_MS, a=10))
    assert list(queue) == [SLOW_B, QUICK], "every job is there, also one that will be put last"
    assert order(queue) == [QUICK, SLOW_B]


def test_nobody_is_slow_before_enough_time_was_charged() -> None:
    shares = TimeShares(0.5)
    shares.add(charged(slow=MIN_JUDGED_MS - 1, a=0))
    assert not shares.is_slow("slow")


def test_a_bot_with_exactly_its_share_is_not_slow() -> None:
    shares = TimeShares(0.5)
    shares.add(charged(slow=MIN_JUDGED_MS, a=MIN_JUDGED_MS))
    assert not shares.is_slow("slow")
    shares.add(charged(slow=1, a=0))
    assert shares.is_slow("slow")
