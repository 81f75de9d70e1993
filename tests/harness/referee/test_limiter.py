"""protocol.md, The clock: bots work on at most `slots` messages at the same time."""

import pytest

from bowerbird.harness.referee.connection.limiter import Limiter, Slot


class Waiter:
    def __init__(self) -> None:
        self.has_it = False

    def granted(self) -> None:
        self.has_it = True


def ignore() -> None:
    """Do nothing when the slot is granted."""


def test_no_more_places_than_slots() -> None:
    slots = Limiter(2)
    assert [slots.acquire(Waiter()) for _ in range(4)] == [True, True, False, False]


def test_first_come_first_served() -> None:
    slots = Limiter(1)
    slots.acquire(Waiter())
    first, second = Waiter(), Waiter()
    slots.acquire(first)
    slots.acquire(second)
    slots.release()
    assert (first.has_it, second.has_it) == (True, False)
    slots.release()
    assert second.has_it


def test_a_place_that_nobody_waits_for_is_free_again() -> None:
    slots = Limiter(1)
    slots.acquire(Waiter())
    slots.release()
    assert slots.acquire(Waiter())


def test_who_left_the_queue_is_passed_over() -> None:
    slots = Limiter(1)
    slots.acquire(Waiter())
    gone, next_one = Waiter(), Waiter()
    slots.acquire(gone)
    slots.acquire(next_one)
    slots.cancel(gone)
    slots.release()
    assert (gone.has_it, next_one.has_it) == (False, True)


def test_a_run_without_slots_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Limiter(0)


def test_a_place_is_in_the_queue_once() -> None:
    slots = Limiter(1)
    rung: list[str] = []
    first = Slot(slots, lambda: rung.append("first"))
    second = Slot(slots, lambda: rung.append("second"))
    assert first.acquire()
    assert not second.acquire()
    assert not second.acquire()
    first.release()
    assert rung == ["second"]
    assert second.is_held
    second.release()
    assert first.acquire(), "nothing of the second is left in the queue"


def test_a_place_that_is_freed_leaves_the_queue() -> None:
    slots = Limiter(1)
    holder, quitter = Slot(slots, ignore), Slot(slots, ignore)
    holder.acquire()
    quitter.acquire()
    quitter.release()
    holder.release()
    assert not quitter.is_held
    assert holder.acquire()
