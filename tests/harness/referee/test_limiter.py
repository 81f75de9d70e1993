"""protocol.md, The clock: bots work on at most `slots` messages at the same time."""

import pytest

from bowerbird.harness.referee.connection.limiter import MAX_PASSED, Limiter, Slot


def ignore() -> None:
    """Do nothing when the slot is granted."""


def one(slots: Limiter, waiting: int = 1) -> Slot:
    return Slot(slots, ignore, lambda: waiting)


def held(slots: Limiter) -> Slot:
    """Return a place that holds a slot."""
    holder = one(slots)
    assert holder.acquire()
    return holder


def queued(slots: Limiter, waiting: int = 1) -> Slot:
    """Return a place in the queue, for a session with this many decisions to ask."""
    slot = one(slots, waiting)
    assert not slot.acquire()
    return slot


def test_no_more_places_than_slots() -> None:
    slots = Limiter(2)
    assert [one(slots).acquire() for _ in range(4)] == [True, True, False, False]


def test_equals_are_served_in_the_order_they_came() -> None:
    slots = Limiter(1)
    holder = held(slots)
    first, second = queued(slots), queued(slots)
    holder.release()
    assert (first.is_held, second.is_held) == (True, False)
    first.release()
    assert second.is_held


def test_the_session_with_the_most_decisions_is_served_first() -> None:
    slots = Limiter(1)
    holder = held(slots)
    few, many, some = queued(slots, 1), queued(slots, 9), queued(slots, 4)
    holder.release()
    assert (few.is_held, many.is_held, some.is_held) == (False, True, False)


def test_nobody_is_passed_over_for_ever() -> None:
    slots = Limiter(1)
    holder = held(slots)
    few = queued(slots, 1)
    for turn in range(MAX_PASSED):
        many = queued(slots, 9)
        holder.release()
        assert (few.is_held, many.is_held) == (False, True), f"turn {turn}"
        holder = many
    many = queued(slots, 9)
    holder.release()
    assert (few.is_held, many.is_held) == (True, False)


def test_whoever_is_first_later_may_be_passed_over_as_often() -> None:
    slots = Limiter(1)
    holder = held(slots)
    gone, few = queued(slots, 1), queued(slots, 1)
    for _ in range(MAX_PASSED):
        many = queued(slots, 9)
        holder.release()
        holder = many
    gone.release()
    many = queued(slots, 9)
    holder.release()
    assert (few.is_held, many.is_held) == (False, True)


def test_a_place_that_nobody_waits_for_is_free_again() -> None:
    slots = Limiter(1)
    held(slots).release()
    assert one(slots).acquire()


def test_who_left_the_queue_is_passed_over() -> None:
    slots = Limiter(1)
    holder = held(slots)
    gone, next_one = queued(slots, 9), queued(slots)
    gone.release()
    holder.release()
    assert (gone.is_held, next_one.is_held) == (False, True)


def test_a_run_without_slots_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Limiter(0)


def test_a_place_is_in_the_queue_once() -> None:
    slots = Limiter(1)
    rung: list[str] = []
    first = Slot(slots, lambda: rung.append("first"), lambda: 1)
    second = Slot(slots, lambda: rung.append("second"), lambda: 1)
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
    holder = held(slots)
    quitter = queued(slots)
    quitter.release()
    holder.release()
    assert not quitter.is_held
    assert holder.acquire()
