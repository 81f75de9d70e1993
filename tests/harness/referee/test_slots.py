"""PROTOCOL.md, contract 6: at most `slots` messages are being thought about at once."""

import pytest

from harness.referee.slots import Place, Slots


class Waiter:
    def __init__(self) -> None:
        self.has_it = False

    def granted(self) -> None:
        self.has_it = True


def test_no_more_places_than_slots():
    slots = Slots(2)
    assert [slots.take(Waiter()) for _ in range(4)] == [True, True, False, False]


def test_first_come_first_served():
    slots = Slots(1)
    slots.take(Waiter())
    first, second = Waiter(), Waiter()
    slots.take(first)
    slots.take(second)
    slots.give_back()
    assert (first.has_it, second.has_it) == (True, False)
    slots.give_back()
    assert second.has_it


def test_a_place_that_nobody_waits_for_is_free_again():
    slots = Slots(1)
    slots.take(Waiter())
    slots.give_back()
    assert slots.take(Waiter())


def test_who_left_the_queue_is_passed_over():
    slots = Slots(1)
    slots.take(Waiter())
    gone, next_one = Waiter(), Waiter()
    slots.take(gone)
    slots.take(next_one)
    slots.leave_queue(gone)
    slots.give_back()
    assert (gone.has_it, next_one.has_it) == (False, True)


def test_a_run_without_slots_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        Slots(0)


def test_a_place_is_in_the_queue_once():
    slots = Slots(1)
    rung: list[str] = []
    first = Place(slots, lambda: rung.append("first"))
    second = Place(slots, lambda: rung.append("second"))
    assert first.take()
    assert not second.take()
    assert not second.take()
    first.free()
    assert rung == ["second"]
    assert second.held
    second.free()
    assert first.take(), "nothing of the second is left in the queue"


def test_a_place_that_is_freed_leaves_the_queue():
    slots = Slots(1)
    holder, quitter = Place(slots, list), Place(slots, list)
    holder.take()
    quitter.take()
    quitter.free()
    holder.free()
    assert not quitter.held
    assert holder.take()
