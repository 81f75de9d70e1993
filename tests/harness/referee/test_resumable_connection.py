"""One session over several streams: messages sent again, pings, and giving up."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
import trio
import trio.testing

from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.stream import (
    Malformed,
    Outgoing,
    ProcessReplaced,
    Received,
    Refusal,
    StreamEnded,
    StreamEvent,
)
from bowerbird.harness.referee.remote.resumable_connection import PING_S, PONG_S, TAKEN_OVER, ResumableConnection
from bowerbird.harness.wire.encode import decision_requests
from bowerbird.seat.v1 import seat_pb2

pytestmark = pytest.mark.mock_clock

KEEP_S = 6.0


class Wire:
    """A stream that keeps the messages queued on it."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.finished = False
        self.refusal: Refusal | None = None

    def send(self, data: bytes) -> Outgoing:
        self.sent.append(data)
        return Outgoing(data)

    def enqueue(self, outgoing: Outgoing) -> None:
        self.sent.append(outgoing.data)

    def event_handled(self) -> None:
        """Do nothing: there is always room."""

    def finish(self) -> None:
        self.finished = True

    def refuse(self, refusal: Refusal) -> None:
        self.refusal = refusal
        self.send(messages.error(refusal.code, refusal.sentence, fatal=True))
        self.finish()

    @property
    def pings(self) -> list[int]:
        parsed = [seat_pb2.PlayResponse.FromString(data) for data in self.sent if data.startswith(PING[:1])]
        return [message.ping.ping_id for message in parsed if message.WhichOneof("message") == "ping"]


PING = messages.ping(1)
QUESTION = decision_requests((), 6000)
LOST = StreamEnded("the connection broke", 0)


class Talk:
    """A resumable connection on its first stream, the events that it passed on, and its reports to the organiser."""

    def __init__(self, resumable: bool = True) -> None:
        self.wire = Wire()
        self.connection = ResumableConnection(self.wire, resumable=resumable, keep_s=KEEP_S)
        self.heard: list[StreamEvent] = []
        self.told: list[str] = []
        self.connection.inbox.attach(self.heard.append)

    def lose(self) -> None:
        self.connection.listener_of(self.wire)(LOST)

    def come_back(self) -> Wire:
        self.wire = Wire()
        self.connection.resume(self.wire)
        return self.wire

    def pong(self, ping_id: int) -> None:
        said = seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=ping_id))
        self.connection.listener_of(self.wire)(Received(said, 0))


@asynccontextmanager
async def open_talk(resumable: bool = True) -> AsyncIterator[Talk]:
    """Open a talk and watch its connection."""
    talk = Talk(resumable)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(talk.connection.watch, talk.told.append)
        yield talk
        nursery.cancel_scope.cancel()


@pytest.fixture
def talk() -> AbstractAsyncContextManager[Talk]:
    return open_talk()


async def test_what_may_not_have_arrived_is_sent_again_in_its_order(talk: Talk) -> None:
    talk.connection.send(b"opened")
    talk.connection.send_request(QUESTION, {"t"})
    talk.lose()
    talk.connection.send(b"closed")
    opened, question, closed = talk.come_back().sent
    assert (opened, closed) == (b"opened", b"closed")
    assert seat_pb2.PlayResponse.FromString(question).WhichOneof("message") == "decision_requests"


async def test_an_answer_shows_that_all_before_it_arrived(talk: Talk) -> None:
    talk.connection.send(b"opened")
    talk.connection.send_request(QUESTION, {"t"})
    talk.connection.send(b"hand ended")
    talk.connection.request_answered()
    talk.lose()
    assert talk.come_back().sent == [b"hand ended"], "it came after the question"


async def test_a_pong_shows_that_all_before_its_ping_arrived(talk: Talk) -> None:
    talk.connection.send(b"opened")
    await trio.sleep(PING_S + 1)
    talk.connection.send(b"later")
    [ping] = talk.wire.pings
    talk.pong(ping)
    talk.lose()
    assert talk.come_back().sent == [b"later"]


async def test_a_question_that_was_given_up_is_not_sent_again_but_the_rest_is(talk: Talk) -> None:
    """A TIMEOUT does not prove that anything arrived."""
    talk.connection.send(b"opened")
    talk.connection.send_request(QUESTION, {"t"})
    talk.lose()
    talk.connection.request_expired()
    assert talk.come_back().sent == [b"opened"]


async def test_sending_again_does_not_start_the_clock_anew(talk: Talk) -> None:
    """The clock runs on: only the first writer stamps the message that the session keeps."""
    outgoing = talk.connection.send_request(QUESTION, {"t"})
    outgoing.handed_over_ns = 17
    talk.lose()
    talk.come_back()
    assert outgoing.handed_over_ns == 17


async def test_a_question_that_is_sent_again_says_how_much_time_is_left(talk: Talk) -> None:
    one = seat_pb2.DecisionRequest(table_id="t", budget_ms=1000, bank_ms=4000, remaining_ms=5000)
    question = decision_requests([one.SerializeToString()] * 2, 6020)
    outgoing = talk.connection.send_request(question, {"t"})
    outgoing.handed_over_ns = time.monotonic_ns() - 2_000_000_000
    talk.lose()
    [again] = talk.come_back().sent
    asked = seat_pb2.PlayResponse.FromString(again).decision_requests
    assert asked.deadline_ms == 6020
    assert asked.remaining_ms <= 4020
    assert [request.bank_ms for request in asked.requests] == [4000, 4000]
    assert all(request.remaining_ms <= 4000 for request in asked.requests), "each is charged half of two seconds"
    assert outgoing.data == question, "a later repetition counts from the first hand-over, too"


async def test_of_a_question_only_what_is_not_answered_is_sent_again(talk: Talk) -> None:
    """A table whose decision is answered may be closed, and a second answer counts as one that nobody asked for."""
    asked = [seat_pb2.DecisionRequest(table_id=name, remaining_ms=6000).SerializeToString() for name in "abc"]
    waiting = {"a", "b", "c"}
    talk.connection.send_request(decision_requests(asked, 9000), waiting)
    waiting.remove("b")
    talk.lose()
    [again] = talk.come_back().sent
    assert [one.table_id for one in seat_pb2.PlayResponse.FromString(again).decision_requests.requests] == ["a", "c"]
    waiting.remove("a")
    talk.lose()
    [again] = talk.come_back().sent
    assert [one.table_id for one in seat_pb2.PlayResponse.FromString(again).decision_requests.requests] == ["c"]


async def test_a_question_of_which_only_void_decisions_are_left_is_not_sent_again(talk: Talk) -> None:
    """Their tables may already be closed for the bot."""
    waiting = {"t"}
    asked = seat_pb2.DecisionRequest(table_id="t", remaining_ms=6000).SerializeToString()
    talk.connection.send_request(decision_requests([asked], 9000), waiting)
    talk.connection.send(b"closed")
    waiting.remove("t")
    talk.lose()
    assert talk.come_back().sent == [b"closed"]


async def test_a_stream_that_stands_is_taken_over(talk: Talk) -> None:
    talk.connection.send(b"opened")
    old = talk.wire
    new = talk.come_back()
    assert new.sent == [b"opened"]
    assert old.refusal is TAKEN_OVER
    assert old.finished
    assert talk.connection.is_connected


async def test_nothing_is_pinged_while_a_decision_is_open(talk: Talk) -> None:
    """protocol.md, Keepalive: a bot that is thinking cannot answer."""
    talk.connection.send_request(QUESTION, {"t"})
    await trio.sleep(20 * (PING_S + PONG_S))
    assert talk.wire.pings == []
    talk.connection.request_answered()
    await trio.sleep(2 * PING_S)
    assert len(talk.wire.pings) == 1


async def test_a_bot_that_is_asked_need_not_answer_an_older_ping(talk: Talk) -> None:
    await trio.sleep(PING_S + 1)
    assert len(talk.wire.pings) == 1
    talk.connection.send_request(QUESTION, {"t"})
    await trio.sleep(20 * PONG_S)
    assert talk.connection.is_connected


async def test_an_idle_bot_that_answers_stays_as_long_as_it_likes(talk: Talk) -> None:
    """faults.md row 25."""
    for _ in range(50):
        await trio.sleep(PING_S + 1)
        talk.pong(talk.wire.pings[-1])
    assert talk.connection.is_connected
    assert len(talk.wire.pings) > 10


async def test_an_idle_bot_that_does_not_answer_is_found_and_may_come_back() -> None:
    async with open_talk() as talk:
        await trio.sleep(PING_S + PONG_S + 1)
        assert talk.wire.finished
        assert not talk.connection.is_connected
        assert talk.connection.can_be_resumed
        talk.come_back()
        await trio.sleep(1)
        assert talk.connection.is_connected
    assert talk.told == ["no Pong within 20 s; its seats are kept"]
    assert talk.heard == []


async def test_who_stays_away_too_long_is_given_up() -> None:
    async with open_talk() as talk:
        talk.lose()
        await trio.sleep(KEEP_S - 1)
        assert talk.connection.can_be_resumed
        await trio.sleep(2)
        assert talk.connection.is_over.is_set()
    assert [type(event) for event in talk.heard] == [StreamEnded]
    assert not talk.connection.can_be_resumed


async def test_while_a_decision_is_open_the_turn_clock_says_when_it_is_too_late(talk: Talk) -> None:
    talk.connection.send_request(QUESTION, {"t"})
    talk.lose()
    await trio.sleep(10 * KEEP_S)
    assert talk.connection.can_be_resumed, "the session still waits for the answer"
    talk.connection.request_expired()
    await trio.sleep(1)
    assert talk.connection.is_over.is_set()


async def test_a_bot_that_has_gone_is_waited_for_with_no_further_question(talk: Talk) -> None:
    """A session sends the next question, of another table, in the same turn in which one has expired."""
    talk.connection.send_request(QUESTION, {"t"})
    talk.lose()
    await trio.sleep(KEEP_S - 1)
    talk.connection.request_expired()
    talk.connection.send_request(QUESTION, {"t"})
    await trio.sleep(2)
    assert not talk.connection.is_over.is_set(), "this question was sent while the seats were kept"
    talk.connection.request_expired()
    talk.connection.send_request(QUESTION, {"t"})
    await trio.testing.wait_all_tasks_blocked()
    assert talk.connection.is_over.is_set()


async def test_a_bot_that_cannot_resume_is_gone_with_its_stream() -> None:
    async with open_talk(resumable=False) as talk:
        talk.lose()
        assert talk.heard == [LOST]
        assert talk.connection.is_over.is_set()


async def test_a_bot_that_is_refused_when_its_pong_is_overdue_just_ends(talk: Talk) -> None:
    """Both may happen in one turn of trio's loop: the watching task then finds no stream to drop."""
    await trio.sleep(PING_S + 1)
    assert talk.wire.pings
    talk.connection.refuse(Refusal("PROTOCOL", "said hello a second time"))
    talk.connection._check_deadline(trio.current_time() + PONG_S)
    assert talk.heard == [StreamEnded("said hello a second time", 0)]


async def test_after_the_end_was_said_nothing_is_kept(talk: Talk) -> None:
    talk.connection.finish()
    assert talk.wire.finished
    talk.lose()
    assert talk.connection.is_over.is_set()


async def test_what_an_old_stream_still_says_is_not_heard(talk: Talk) -> None:
    old = talk.connection.listener_of(talk.wire)
    talk.lose()
    talk.come_back()
    old(Malformed("late", 0))
    old(LOST)
    assert talk.heard == []
    assert talk.connection.is_connected


async def test_another_process_gets_nothing_that_was_meant_for_the_one_before(talk: Talk) -> None:
    """Whoever holds the session tells it what it must know."""
    talk.connection.send(b"opened")
    talk.connection.send_request(QUESTION, {"t"})
    talk.lose()
    talk.wire = Wire()
    talk.connection.continue_with(talk.wire)
    assert talk.wire.sent == []
    assert talk.heard == [ProcessReplaced()]
    talk.connection.send(b"opened anew")
    talk.lose()
    assert talk.come_back().sent == [b"opened anew"], "it may be resumed as well"
    await trio.sleep(2 * KEEP_S)
    assert not talk.connection.is_over.is_set()


async def test_a_released_stream_is_open_and_its_connection_over(talk: Talk) -> None:
    assert talk.connection.release() is talk.wire
    assert talk.connection.is_over.is_set()
    assert not talk.wire.finished
