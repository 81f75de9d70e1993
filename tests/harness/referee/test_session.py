"""One session on a connection held by the test: what is sent when, which answers count, what they cost."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import pytest

from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.messages import MAX_IGNORED, MAX_RESPONSE
from bowerbird.harness.referee.connection.stream import Malformed, ProcessReplaced, StreamEnded
from bowerbird.harness.referee.game.clock import NS_PER_MS
from bowerbird.harness.referee.host.host_clock import NS_PER_S, HostClock
from bowerbird.seat.v1 import seat_pb2
from tests.support.referee.room import Room, asked, choose, open_room, seat_states, seat_with_most, settle
from tests.support.referee.tables import SEED


@pytest.fixture
def room() -> AbstractAsyncContextManager[Room]:
    """Return a room with four sessions at three tables."""
    return open_room()


async def test_everything_that_waits_goes_out_as_one_message() -> None:
    async with open_room(tables=12) as room:
        for connection in room.connections:
            assert connection.kinds().count("decision_requests") <= 1
        assert sum(len(connection.requests()) for connection in room.connections) == 12


async def test_a_message_carries_no_more_than_the_bot_can_take() -> None:
    async with open_room(tables=20, batch=2) as room:
        seat = seat_with_most(room)
        assert len(room.connections[seat].requests()) == 2
        room.say(seat, *map(choose, room.connections[seat].requests()))
        await settle()
        assert len(room.connections[seat].requests()) == 2
        assert room.connections[seat].kinds().count("decision_requests") == 2


async def test_no_message_is_larger_than_its_limit_however_many_tables_wait() -> None:
    """Limits.max_response_bytes."""
    async with open_room(seats=1, tables=1024, batch=1024, events=True, variant="bid-102") as room:
        [connection] = room.connections
        for _ in range(25):
            room.say(0, *map(choose, connection.requests()))
            await settle()
        sizes = [message.ByteSize() for message in connection.sent]
        assert max(sizes) <= MAX_RESPONSE
        assert max(sizes) > MAX_RESPONSE // 2, "no message came near the limit, so that nothing was tried"
        made = [
            len(message.decision_requests.requests) for message in connection.sent if message.ByteSize() == max(sizes)
        ]
        assert max(made) < 1024, "the largest message left some tables for the next one"


async def test_nothing_is_asked_while_something_is_unanswered() -> None:
    """protocol.md, The order of messages: a connection has at most one unanswered DecisionRequests."""
    async with open_room(tables=12) as room:
        seat = seat_with_most(room)
        first, *rest = room.connections[seat].requests()
        assert rest
        room.say(seat, choose(first))
        for other in range(4):
            if other != seat:
                room.say(other, *map(choose, room.connections[other].requests()))
        await settle()
        assert room.connections[seat].kinds().count("decision_requests") == 1
        room.say(seat, *map(choose, rest))
        await settle()
        assert room.connections[seat].kinds().count("decision_requests") == 2


async def test_the_connection_knows_which_decisions_are_not_answered() -> None:
    """After a break it repeats these alone."""
    async with open_room(tables=12) as room:
        seat = seat_with_most(room)
        first, *rest = room.connections[seat].requests()
        assert rest
        room.say(seat, choose(first))
        await settle()
        assert set(room.connections[seat].waiting) == {request.table_id for request in rest}


async def test_no_more_messages_are_out_than_there_are_slots() -> None:
    async with open_room(tables=12, slots=1) as room:
        assert len(asked(room)) == 1
        seat = asked(room)[0]
        room.say(seat, *map(choose, room.connections[seat].requests()))
        await settle()
        out = [connection.kinds().count("decision_requests") for connection in room.connections]
        assert sum(out) == 2, "the slot went to the next one"


async def test_decisions_that_are_answered_together_share_the_time() -> None:
    """protocol.md, Batches."""
    async with open_room(tables=12) as room:
        seat = seat_with_most(room)
        requests = room.connections[seat].requests()
        assert len(requests) >= 3
        room.say(seat, *map(choose, requests[:2]), after_ms=600)
        room.say(seat, *map(choose, requests[2:3]), after_ms=700)
        await settle()
        charged = {state.table_id: state.table.banks[seat].charged for state in seat_states(room, seat)}
        spent = [charged[request.table_id] // NS_PER_MS for request in requests[:3]]
        assert spent == [300, 300, 100]


async def test_what_was_charged_comes_back_with_the_next_request() -> None:
    async with open_room(tables=1) as room:
        seat = asked(room)[0]
        first = room.connections[seat].requests()[0]
        assert (first.charged_ms, first.budget_ms, first.bank_ms) == (0, 30_000, 10_000)
        room.say(seat, choose(first, len(first.legal_actions) - 1), after_ms=31_000)
        await settle()
        for _ in range(200):
            for other in range(4):
                requests = room.connections[other].requests()
                again = [r for r in requests if other == seat and r.table_id == first.table_id]
                if again and again[0].decision_id > first.decision_id:
                    assert (again[0].charged_ms, again[0].bank_ms) == (31_000, 9_000)
                    return
                room.say(other, *(choose(r, len(r.legal_actions) - 1) for r in requests))
                await settle()
        raise AssertionError("the seat was never asked again")


async def test_a_repeated_answer_is_ignored_and_counted(room: Room) -> None:
    """protocol.md, Bad messages."""
    seat = asked(room)[0]
    first = choose(room.connections[seat].requests()[0])
    room.say(seat, first, first)
    room.say(seat, first)
    await settle()
    assert room.sessions[seat].ignored == 2
    assert room.faults == []


async def test_an_answer_for_an_unknown_table_is_ignored_and_counted(room: Room) -> None:
    room.say(0, seat_pb2.Decision(table_id="elsewhere", decision_id=0, action_index=0))
    await settle()
    assert room.sessions[0].ignored == 1
    assert room.faults == []


async def test_an_answer_to_a_decision_that_was_not_asked_is_illegal(room: Room) -> None:
    seat = asked(room)[0]
    request = room.connections[seat].requests()[0]
    request.decision_id += 3
    room.say(seat, choose(request))
    await settle()
    assert [fault.kind for fault in room.faults] == ["ILLEGAL"]
    assert "before it was asked" in room.faults[0].detail


async def test_a_message_that_is_not_answered_in_time_is_one_timeout_for_each_table() -> None:
    async with open_room(tables=12) as room:
        seat = seat_with_most(room)
        requests = room.connections[seat].requests()
        room.say(seat, *map(choose, requests), after_ms=len(requests) * 30_000 + 10_021)
        await settle()
        late = [made for made in room.open if made.record is not None and made.record.faults[0].kind == "TIMEOUT"]
        assert len(late) == len(requests)
        assert len(room.faults) == 1, "one incident, however many tables it hits"
        assert room.sessions[seat].retired


class Doubtful(HostClock):
    """A clock that is told how long it is until a bot without an answer is late for certain."""

    left_ns = 3600 * NS_PER_S

    def wait_ns(self, since_ns: int, limit_ns: int, now_ns: int) -> int:
        return self.left_ns


async def test_a_bot_that_has_not_answered_is_late_only_when_its_clock_is_certain() -> None:
    """faults.md, Waits for a processor: what it waits now, the system tells when the wait ends."""
    async with open_room() as room:
        seat = seat_with_most(room)
        room.sessions[seat]._clock = clock = Doubtful()
        room.connections[seat].handed_over_ns -= 3600 * NS_PER_S
        room.sessions[seat]._request_turn()
        await settle()
        assert room.faults == []
        clock.left_ns = -1
        room.sessions[seat]._request_turn()
        await settle()
        assert [fault.kind for fault in room.faults] == ["TIMEOUT"]


async def test_a_single_part_that_costs_more_than_its_own_limit_is_late() -> None:
    async with open_room(tables=12) as room:
        seat = seat_with_most(room)
        requests = room.connections[seat].requests()
        assert len(requests) >= 2
        room.say(seat, choose(requests[0]), after_ms=40_021)
        room.say(seat, *map(choose, requests[1:]), after_ms=40_030)
        await settle()
        assert [fault.kind for fault in room.faults] == ["TIMEOUT"]
        assert not room.sessions[seat].retired, "the rest of the message was in time"


async def test_malformed_bytes_are_the_bots_fault_at_every_table(room: Room) -> None:
    room.participants[0].inbox.put(Malformed("bytes that are not a PlayRequest", 0))
    await settle()
    failure = room.sessions[0].failure
    assert failure is not None
    assert failure.kind == "PROTOCOL"
    assert len(room.faults) == 1
    assert all(made.has_left(0) or made.record is not None for made in room.open)


async def test_a_process_that_ended_is_a_crash_with_its_status(room: Room) -> None:
    room.participants[0].inbox.put(StreamEnded("the connection broke", 0))
    room.participants[0].exits(-9)
    await settle()
    failure = room.sessions[0].failure
    assert failure is not None
    assert (failure.kind, failure.detail) == ("CRASHED", "signal 9 (SIGKILL)")


async def test_answers_before_the_end_of_the_stream_still_count(room: Room) -> None:
    seat = asked(room)[0]
    request = room.connections[seat].requests()[0]
    room.say(seat, choose(request))
    room.participants[seat].inbox.put(StreamEnded("the connection broke", 0))
    room.participants[seat].exits(0)
    await settle()
    [state] = [s for s in seat_states(room, seat) if s.table_id == request.table_id]
    made = state.table.record.hands[0].actions if state.table.record else state.table._actions
    assert any(action.startswith(f"{seat} ") for action in made)


async def test_more_useless_answers_than_allowed_are_a_flood(room: Room) -> None:
    nonsense = seat_pb2.Decision(table_id="elsewhere")
    room.say(0, *[nonsense] * MAX_IGNORED)
    await settle()
    assert room.faults == []
    room.say(0, nonsense)
    await settle()
    assert [fault.kind for fault in room.faults] == ["PROTOCOL"]


@pytest.mark.parametrize("what", ["nothing", "answers", "pong", "resignation"])
async def test_a_flood_of_whatever_costs_nothing_else_is_bounded(room: Room, what: str) -> None:
    """faults.md row 9: no message may be sent without limit."""
    seat = seat_with_most(room)
    mine = room.connections[seat].requests()[0].table_id
    said = {
        "nothing": seat_pb2.PlayRequest(),
        "answers": seat_pb2.PlayRequest(decisions=seat_pb2.Decisions()),
        "pong": seat_pb2.PlayRequest(pong=seat_pb2.Pong()),
        "resignation": seat_pb2.PlayRequest(resign=seat_pb2.Resign(table_id=mine)),
    }[what]
    for _ in range(MAX_IGNORED + 2):
        room.hear(seat, said)
    await settle()
    assert room.faults[-1].kind == "PROTOCOL"
    assert room.sessions[seat].failure is not None


async def test_a_seat_that_is_played_on_by_the_referee_resigns_once(room: Room) -> None:
    """Under `substitute` its table stays open. Later messages about it are counted, too."""
    state = seat_states(room, 0)[0]
    for _ in range(3):
        room.hear(0, seat_pb2.PlayRequest(resign=seat_pb2.Resign(table_id=state.table_id)))
    await settle()
    assert [fault.kind for fault in room.faults] == ["RESIGNED"]
    assert room.sessions[0].ignored == 2


async def test_a_resignation_costs_one_table(room: Room) -> None:
    seat = seat_with_most(room)
    request = room.connections[seat].requests()[0]
    room.hear(seat, seat_pb2.PlayRequest(resign=seat_pb2.Resign(table_id=request.table_id)))
    await settle()
    ended = [made.record for made in room.open if made.record is not None]
    assert [record.faults[0].kind for record in ended] == ["RESIGNED"]
    assert room.sessions[seat].failure is None


async def test_seats_of_one_table_are_told_different_table_ids(room: Room) -> None:
    opened = [
        message.table_opened
        for connection in room.connections
        for message in connection.sent
        if message.HasField("table_opened")
    ]
    assert len({message.table_id for message in opened}) == 12
    assert len({message.seed for message in opened}) == 12
    assert all(len(message.seed) == len(SEED) for message in opened)
    assert {tuple(message.sides) for message in opened} == {(0, 1, 0, 1)}


async def test_events_are_told_once_and_without_a_gap() -> None:
    """protocol.md, Decisions: the events are the public history, hand after hand."""
    told: dict[tuple[int, str], list[str]] = {}
    async with open_room(tables=1, events=True) as room:
        [made] = room.open
        while made.record is None:
            for seat in range(4):
                for request in room.connections[seat].requests():
                    room.say(seat, choose(request, len(request.legal_actions) - 1))
            await settle()
        for seat, connection in enumerate(room.connections):
            heard: list[str] = []
            for message in connection.sent:
                if message.WhichOneof("message") == "decision_requests":
                    for request in message.decision_requests.requests:
                        heard += [f"{event.seat} {event.action.token}" for event in request.events]
                elif message.WhichOneof("message") == "hand_ended":
                    heard += [f"{event.seat} {event.action.token}" for event in message.hand_ended.events]
            told[seat, made.spec.game_id] = heard
        public = [
            action.rpartition(" ")[0] if " discard " in action else action
            for hand in made.record.hands
            for action in hand.actions
        ]
        assert all(heard == public for heard in told.values())


async def test_a_bot_that_keeps_its_own_state_is_sent_one_public_view_in_each_hand() -> None:
    """Capabilities.features, "events_only"; it gets the same events as any bot that wants them."""
    asked: dict[int, list[seat_pb2.DecisionRequest]] = {seat: [] for seat in range(4)}
    async with open_room(tables=1, events=True, features=("events_only",)) as room:
        [made] = room.open
        while made.record is None:
            for seat in range(4):
                requests = room.connections[seat].requests()
                asked[seat] += [request for request in requests if request not in asked[seat]]
                room.say(seat, *(choose(request, len(request.legal_actions) - 1) for request in requests))
            await settle()
        assert all("hand_ended" in connection.kinds() for connection in room.connections)
    shown: set[int] = set()
    for seat, requests in asked.items():
        with_view = [request.view.HasField("public_view") for request in requests]
        hands = [request.view.public_view.hand_number for request in requests if request.view.HasField("public_view")]
        assert with_view[0]
        assert hands == sorted(set(hands)), f"seat {seat}: each hand once, at its first decision"
        shown |= set(hands)
        assert not all(with_view)
        assert all(request.view.HasField("own_view") for request in requests)
        assert all(request.legal_actions for request in requests)
    assert shown == {0, 1}


async def test_hand_ends_are_sent_to_nobody_who_does_not_want_events() -> None:
    async with open_room(tables=1) as room:
        [made] = room.open
        while made.record is None:
            for seat in range(4):
                room.say(seat, *(choose(r, len(r.legal_actions) - 1) for r in room.connections[seat].requests()))
            await settle()
        for connection in room.connections:
            assert "hand_ended" not in connection.kinds()
            assert connection.kinds()[-1] == "table_closed"


async def test_what_nobody_waits_for_leaves_with_the_next_request() -> None:
    async with open_room(tables=12) as room:
        seat = seat_with_most(room)
        connection = room.connections[seat]
        requests, before = connection.requests(), connection.kinds()
        at = {request.table_id for request in requests}
        other = next(state for state in seat_states(room, seat) if state.table_id not in at)
        room.sessions[seat].stand(other, messages.ping(7))
        await settle()
        assert connection.kinds() == before, "the bot would be woken while it thinks"
        room.say(seat, *map(choose, requests))
        await settle()
        assert connection.kinds()[len(before)] == "ping"


async def test_what_nobody_waits_for_leaves_at_once_while_no_request_is_open() -> None:
    async with open_room(tables=1) as room:
        [busy] = asked(room)
        seat = (busy + 1) % 4
        [state] = seat_states(room, seat)
        room.sessions[seat].stand(state, messages.ping(7))
        await settle()
        assert room.connections[seat].kinds()[-1] == "ping"


def void(room: Room, *table_ids: str) -> None:
    """Void the tables that a bot knows by these ids."""
    for made, driver in list(room.open.items()):
        if any(state.table_id in table_ids for state in driver.seats.values()):
            room.open.pop(made).void()


async def test_a_decision_that_waits_for_a_slot_is_not_asked_once_its_table_is_void() -> None:
    """faults.md, Voids. Sent after TableClosed, it could only end in a TIMEOUT."""
    async with open_room(tables=12, slots=1) as room:
        [first] = asked(room)
        due = {made.due.seat for made in room.open if made.due is not None}
        waiting = next(seat for seat in range(4) if seat != first and seat in due)
        states = [state for state in seat_states(room, waiting) if state.table.due and state.table.due.seat == waiting]
        gone, *rest = [state.table_id for state in states]
        void(room, gone)
        room.say(first, *map(choose, room.connections[first].requests()))
        for _ in range(4):
            await settle()
            for seat in range(4):
                if seat != waiting:
                    room.say(seat, *map(choose, room.connections[seat].requests()))
        named = {
            request.table_id
            for message in room.connections[waiting].sent
            for request in message.decision_requests.requests
        }
        assert gone not in named, "a decision was sent for a table that is closed"
        assert rest == [] or set(rest) <= named, "the other decisions are asked"


async def test_a_void_decision_stays_open_until_the_bot_has_answered_it() -> None:
    """faults.md, Voids. So far nothing has shown that it arrived, nor that the bot is idle."""
    async with open_room(tables=12) as room:
        seat = seat_with_most(room)
        connection, session = room.connections[seat], room.sessions[seat]
        requests = connection.requests()
        void(room, *(request.table_id for request in requests))
        await settle()
        assert connection.kinds().count("table_closed") == len(requests)
        assert connection.settled == [], "nothing came from the bot, so nothing is confirmed"
        assert session.idle_since is None, "the bot may be busy with the decision, so it is not frozen"
        for other in range(4):
            if other != seat:
                room.say(other, *map(choose, room.connections[other].requests()))
        await settle()
        assert any(state.table.due and state.table.due.seat == seat for state in seat_states(room, seat))
        assert connection.kinds().count("decision_requests") == 1, "the next decision's clock does not run yet"
        room.say(seat, *map(choose, requests))
        await settle()
        assert connection.settled == ["answered"]
        assert connection.kinds().count("decision_requests") == 2
        assert (session.ignored, room.faults) == (0, [])


async def test_the_answer_to_a_void_decision_takes_its_share_of_the_time() -> None:
    async with open_room(tables=12) as room:
        seat = seat_with_most(room)
        first, second, third, *_ = requests = room.connections[seat].requests()
        void(room, first.table_id, third.table_id)
        room.say(seat, choose(first), choose(second), after_ms=600)
        room.say(seat, choose(third), after_ms=900)
        room.say(seat, *map(choose, requests[3:4]), after_ms=1000)
        await settle()
        charged = {state.table_id: state.table.banks[seat].charged for state in seat_states(room, seat)}
        assert [charged[request.table_id] // NS_PER_MS for request in (second, requests[3])] == [300, 100]
        assert room.sessions[seat].ignored == 0


async def test_a_void_decision_that_is_never_answered_is_no_fault_and_delays_no_longer_than_its_own_time() -> None:
    async with open_room(tables=12) as room:
        seat = seat_with_most(room)
        connection = room.connections[seat]
        gone, *rest = connection.requests()
        assert rest
        void(room, gone.table_id)
        room.say(seat, *map(choose, rest), after_ms=100)
        await settle()
        assert connection.settled == []
        room.say(seat, choose(gone), after_ms=100 + 40_021)
        await settle()
        assert connection.settled == ["given up"]
        assert room.faults == []
        assert not room.sessions[seat].retired
        assert room.sessions[seat].ignored == 1, "its answer comes for a table that is closed"


async def test_a_table_that_is_played_beside_a_void_decision_still_has_its_clock() -> None:
    async with open_room(tables=12) as room:
        seat = seat_with_most(room)
        requests = room.connections[seat].requests()
        void(room, requests[0].table_id)
        room.say(seat, *map(choose, requests), after_ms=len(requests) * 30_000 + 10_021)
        await settle()
        late = [made for made in room.open if made.record is not None and made.record.faults[0].kind == "TIMEOUT"]
        assert len(late) == len(requests) - 1
        assert [fault.kind for fault in room.faults] == ["TIMEOUT"]
        assert room.sessions[seat].retired


def replace_process(room: Room, seat: int) -> list[seat_pb2.PlayResponse]:
    """Let another process of a bot continue; return what it is sent."""
    sent = room.connections[seat].sent
    before = len(sent)
    room.participants[seat].inbox.put(ProcessReplaced())
    return sent[before:]


@pytest.mark.parametrize("features", [(), ("events_only",)])
async def test_another_process_is_told_of_every_table_and_asked_again_as_if_for_the_first_time(
    features: tuple[str, ...],
) -> None:
    """Also one that keeps its own state: it gets the whole view and all events of the hand."""
    async with open_room(tables=12, events=True, features=features) as room:
        for _ in range(2):
            for seat in range(4):
                room.say(seat, *map(choose, room.connections[seat].requests()))
            await settle()
        seat = seat_with_most(room)
        first, *rest = room.connections[seat].requests()
        room.say(seat, choose(first))
        await settle()
        *opened, asked_again = replace_process(room, seat)
        assert [message.table_opened.table_id for message in opened] == [
            state.table_id for state in seat_states(room, seat)
        ]
        requests = asked_again.decision_requests.requests
        assert [request.table_id for request in requests] == [request.table_id for request in rest], "one was answered"
        states = {state.table_id: state for state in seat_states(room, seat)}
        for request in requests:
            assert len(request.events) == len(states[request.table_id].table.game.view(seat).history)
            assert request.HasField("view"), "the process has never seen this hand"
        room.say(seat, *map(choose, requests))
        await settle()
        assert (room.sessions[seat].ignored, room.faults) == (0, [])


async def test_the_clock_of_an_open_decision_runs_on_when_the_process_changes() -> None:
    async with open_room() as room:
        seat = seat_with_most(room)
        connection = room.connections[seat]
        requests = connection.requests()
        handed_over_ns = connection.handed_over_ns
        asked_again = replace_process(room, seat)[-1].decision_requests
        assert asked_again.remaining_ms <= asked_again.deadline_ms
        connection.handed_over_ns = handed_over_ns
        room.say(seat, *map(choose, requests), after_ms=30_000 * len(requests) + 10_021)
        await settle()
        assert [fault.kind for fault in room.faults] == ["TIMEOUT"]


async def test_a_void_decision_of_the_process_before_is_not_waited_for() -> None:
    async with open_room(tables=12) as room:
        seat = seat_with_most(room)
        void(room, *(request.table_id for request in room.connections[seat].requests()))
        await settle()
        replace_process(room, seat)
        assert room.connections[seat].settled == ["answered"]
