"""Notes of bots: kept with the action that the answer became, within their limits, and told to no other bot."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from bowerbird.harness.records.values.annotations import (
    LONGEST_NOTE,
    MOST_NOTES,
    Annotations,
    Note,
    NoteBook,
    kept_text,
)
from bowerbird.harness.records.values.faults import FaultStory
from bowerbird.harness.records.values.live import LiveSteps
from bowerbird.harness.referee.game.table import Table
from bowerbird.harness.referee.table_watch import TableWatch
from bowerbird.seat.v1 import seat_pb2
from tests.support.referee.room import Room, asked, choose, open_room, settle

HUGE_MS = 10**6
SECRET = "the left bower is mine"


def noted(request: seat_pb2.DecisionRequest, text: str, index: int = 0) -> seat_pb2.Decision:
    decision = choose(request, index)
    decision.note = text
    return decision


def the_table(room: Room) -> Table:
    [table] = room.open
    return table


async def play_out(room: Room, text: str) -> None:
    """Play the one game to its end; each answer has a note that names the decision."""
    while the_table(room).record is None:
        [seat] = [seat for seat in asked(room) if has_open(room, seat)]
        request = room.connections[seat].requests()[0]
        room.say(seat, noted(request, f"{text} {seat} {request.decision_id}"))
        await settle()


def has_open(room: Room, seat: int) -> bool:
    due = the_table(room).due
    return due is not None and due.seat == seat


async def test_a_note_is_kept_with_the_action_that_its_answer_became() -> None:
    async with open_room(tables=1) as room:
        await play_out(room, "of")
        table = the_table(room)
        record = table.record
        assert record is not None
        assert len(record.hands) > 1, "the count of actions restarts in each hand"
        found = {note.place: note for note in table.notes}
        made = [0] * 4
        for hand, dealt in enumerate(record.hands):
            for action, said in enumerate(dealt.actions):
                seat = int(said.partition(" ")[0])
                place = (hand, action)
                if action in dealt.forced:
                    assert place not in found, "the referee noted nothing"
                else:
                    assert found[place] == Note(record.id, seat, hand, action, f"of {seat} {made[seat]}")
                made[seat] += 1


@pytest.mark.parametrize("is_late", [False, True], ids=["not legal", "too late"])
async def test_a_note_of_an_answer_that_is_refused_is_not_kept(is_late: bool) -> None:
    async with open_room(tables=1) as room:
        [seat] = asked(room)
        [request] = room.connections[seat].requests()
        room.say(seat, noted(request, SECRET, 0 if is_late else 999), after_ms=HUGE_MS if is_late else 0)
        await settle()
        table = the_table(room)
        assert [fault.kind for fault in table.faults] == ["TIMEOUT" if is_late else "ILLEGAL"]
        assert table.notes == ()


async def test_a_note_of_a_bot_elsewhere_is_kept_too() -> None:
    """It has no process here, and therefore no log."""
    async with open_room(tables=1) as room:
        [seat] = asked(room)
        room.participants[seat].process = None
        room.say(seat, noted(room.connections[seat].requests()[0], SECRET))
        await settle()
        assert [note.text for note in the_table(room).notes] == [SECRET]


async def test_no_other_bot_gets_a_note() -> None:
    async with open_room(tables=1, events=True) as room:
        await play_out(room, SECRET)
        sent = b"".join(message.SerializeToString() for one in room.connections for message in one.sent)
        assert len(the_table(room).notes) > 10
        assert SECRET.encode() not in sent


async def test_a_bot_without_notes_leaves_nothing() -> None:
    async with open_room(tables=1) as room:
        [seat] = asked(room)
        room.say(seat, choose(room.connections[seat].requests()[0]))
        await settle()
        assert the_table(room).notes == ()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("plain", "plain"),
        ("x" * 5000, "x" * LONGEST_NOTE),
        ("x" * (LONGEST_NOTE - 1) + "é", "x" * (LONGEST_NOTE - 1)),
        ("x" * (LONGEST_NOTE - 3) + "🂡", "x" * (LONGEST_NOTE - 3)),
        ("♥" * 400, "♥" * (LONGEST_NOTE // 3)),
        ("a\0b", "a\ufffdb"),
        ("a\ud800b\udfff", "a\ufffdb\ufffd"),
        ("\0" * 500, "\ufffd" * (LONGEST_NOTE // 3)),
        ("<script>\x1b[2J\n", "<script>\x1b[2J\n"),
    ],
)
def test_a_note_is_cut_between_characters_and_has_no_nul_and_no_half_pair(text: str, kept: str) -> None:
    assert kept_text(text) == kept
    assert kept_text(kept) == kept
    assert 0 < len(kept.encode()) <= LONGEST_NOTE


def test_the_notes_of_a_seat_in_a_game_have_a_bound_and_other_seats_have_their_own() -> None:
    book = NoteBook()
    room = MOST_NOTES // LONGEST_NOTE
    for action in range(room - 1):
        book.add(Note("g", 0, 0, action, "♥" * (LONGEST_NOTE // 3) + "x"))
    book.add(Note("g", 0, 1, 0, "x" * (LONGEST_NOTE - 1)))
    book.add(Note("g", 0, 1, 1, "xx"))
    book.add(Note("g", 0, 1, 2, "x"))
    book.add(Note("g", 1, 1, 3, "y"))
    *most, last, other = book.notes()
    assert len(most) == room - 1
    assert last.place == (1, 0), "after the first that is dropped, none is kept, however short"
    assert (other.seat, other.text) == (1, "y")


async def test_spectators_of_a_table_are_told_no_note() -> None:
    """A note may name cards of a hand that nobody may see yet."""
    async with open_room(tables=1) as room:
        told: list[LiveSteps] = []
        table = the_table(room)
        driver = room.open[table]
        driver.watch = TableWatch(table, told.append, at_once=True)
        await play_out(room, SECRET)
        assert sum(len(steps.actions) for steps in told) > 10
        assert SECRET.encode() not in pickle.dumps(told)


def test_what_goes_to_another_machine_names_no_log_and_keeps_the_rest() -> None:
    story = FaultStory("g", 0, "bob", ("pass",), "exit status 3", "words", "logs/r/bob.log")
    note = Note("g", 1, 0, 0, "mine")
    assert Annotations((story,), (note,)).without_logs() == Annotations((replace(story, log=""),), (note,))
    assert Annotations((), (note,)).without_logs() == Annotations((), (note,))
