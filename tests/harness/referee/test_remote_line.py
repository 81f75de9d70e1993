"""One conversation over several streams: what is sent again, what is pinged, when it is given up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio
import trio.testing

from harness.referee import messages
from harness.referee.remote_line import PING_S, PONG_S, RemoteLine
from harness.referee.server import Event, Link, Malformed, Outgoing, Said, StreamEnded
from harness.v1 import seat_pb2

KEEP_S = 6.0


class Wire(Link):
    """A stream that keeps what is queued on it."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []
        self.finished = False

    def queue(self, outgoing: Outgoing) -> None:
        self.sent.append(outgoing.data)

    def finish(self) -> None:
        self.finished = True

    @property
    def pings(self) -> list[int]:
        parsed = [seat_pb2.PlayResponse.FromString(data) for data in self.sent if data.startswith(PING[:1])]
        return [message.ping.ping_id for message in parsed if message.WhichOneof("message") == "ping"]


PING = messages.ping(1)
LOST = StreamEnded("the connection broke", 0)


class Talk:
    """A line on its first stream, what it passed on, and what it told the organiser."""

    def __init__(self, resumable: bool = True) -> None:
        self.wire = Wire()
        self.line = RemoteLine(self.wire, resumable=resumable, keep_s=KEEP_S)
        self.heard: list[Event] = []
        self.told: list[str] = []
        self.line.listen(self.heard.append)

    def lose(self) -> None:
        self.line.ear_of(self.wire)(LOST)

    def come_back(self) -> Wire:
        self.wire = Wire()
        self.line.take_up(self.wire)
        return self.wire

    def pong(self, ping_id: int) -> None:
        said = seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=ping_id))
        self.line.ear_of(self.wire)(Said(said, 0))


def talk(body: Callable[[Talk], Awaitable[None]], resumable: bool = True) -> Talk:
    """Run `body` beside the line's own watch, on a clock that moves only when everybody waits."""
    made: list[Talk] = []

    async def main() -> None:
        made.append(Talk(resumable))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(made[0].line.watch, made[0].told.append)
            await body(made[0])
            nursery.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    return made[0]


def test_what_may_not_have_arrived_is_sent_again_in_its_order() -> None:
    async def body(talk: Talk) -> None:
        talk.line.send(b"opened")
        talk.line.ask(b"question")
        talk.lose()
        talk.line.send(b"closed")
        assert talk.come_back().sent == [b"opened", b"question", b"closed"]

    talk(body)


def test_an_answer_shows_that_all_before_it_arrived() -> None:
    async def body(talk: Talk) -> None:
        talk.line.send(b"opened")
        talk.line.ask(b"question")
        talk.line.send(b"hand ended")
        talk.line.answered()
        talk.lose()
        assert talk.come_back().sent == [b"hand ended"], "it came after the question"

    talk(body)


def test_a_pong_shows_that_all_before_its_ping_arrived() -> None:
    async def body(talk: Talk) -> None:
        talk.line.send(b"opened")
        await trio.sleep(PING_S + 1)
        talk.line.send(b"later")
        [ping] = talk.wire.pings
        talk.pong(ping)
        talk.lose()
        assert talk.come_back().sent == [b"later"]

    talk(body)


def test_a_question_that_was_given_up_is_not_sent_again_but_the_rest_is() -> None:
    """A TIMEOUT is no sign that anything arrived."""

    async def body(talk: Talk) -> None:
        talk.line.send(b"opened")
        talk.line.ask(b"question")
        talk.lose()
        talk.line.given_up()
        assert talk.come_back().sent == [b"opened"]

    talk(body)


def test_sending_again_does_not_start_the_clock_anew() -> None:
    """The clock runs on: the message that the session keeps is stamped by its first writer alone."""

    async def body(talk: Talk) -> None:
        outgoing = talk.line.ask(b"question")
        outgoing.handed_over = 17
        talk.lose()
        talk.come_back()
        assert outgoing.handed_over == 17

    talk(body)


def test_nothing_is_pinged_while_a_decision_is_open() -> None:
    """PROTOCOL.md rule 8: a bot that thinks cannot answer."""

    async def body(talk: Talk) -> None:
        talk.line.ask(b"question")
        await trio.sleep(20 * (PING_S + PONG_S))
        assert talk.wire.pings == []
        talk.line.answered()
        await trio.sleep(2 * PING_S)
        assert len(talk.wire.pings) == 1

    talk(body)


def test_a_bot_that_is_asked_need_not_answer_an_older_ping() -> None:
    async def body(talk: Talk) -> None:
        await trio.sleep(PING_S + 1)
        assert len(talk.wire.pings) == 1
        talk.line.ask(b"question")
        await trio.sleep(20 * PONG_S)
        assert talk.line.stands

    talk(body)


def test_an_idle_bot_that_answers_stays_as_long_as_it_likes() -> None:
    """FAULTS.md 25."""

    async def body(talk: Talk) -> None:
        for _ in range(50):
            await trio.sleep(PING_S + 1)
            talk.pong(talk.wire.pings[-1])
        assert talk.line.stands
        assert len(talk.wire.pings) > 10

    talk(body)


def test_an_idle_bot_that_does_not_answer_is_found_and_may_come_back() -> None:
    async def body(talk: Talk) -> None:
        await trio.sleep(PING_S + PONG_S + 1)
        assert talk.wire.finished
        assert not talk.line.stands
        assert talk.line.can_be_taken_up
        talk.come_back()
        await trio.sleep(1)
        assert talk.line.stands

    talked = talk(body)
    assert talked.told == ["no Pong within 20 s; its seats are kept"]
    assert talked.heard == []


def test_who_stays_away_too_long_is_given_up() -> None:
    async def body(talk: Talk) -> None:
        talk.lose()
        await trio.sleep(KEEP_S - 1)
        assert talk.line.can_be_taken_up
        await trio.sleep(2)
        assert talk.line.over.is_set()

    talked = talk(body)
    assert [type(event) for event in talked.heard] == [StreamEnded]
    assert not talked.line.can_be_taken_up


def test_while_a_decision_is_open_the_turn_clock_says_when_it_is_too_late() -> None:
    async def body(talk: Talk) -> None:
        talk.line.ask(b"question")
        talk.lose()
        await trio.sleep(10 * KEEP_S)
        assert talk.line.can_be_taken_up, "the session has not given the question up"
        talk.line.given_up()
        await trio.sleep(1)
        assert talk.line.over.is_set()

    talk(body)


def test_a_bot_that_cannot_resume_is_gone_with_its_stream() -> None:
    async def body(talk: Talk) -> None:
        talk.lose()
        assert talk.heard == [LOST]
        assert talk.line.over.is_set()

    talk(body, resumable=False)


def test_after_the_end_was_said_nothing_is_kept() -> None:
    async def body(talk: Talk) -> None:
        talk.line.finish()
        assert talk.wire.finished
        talk.lose()
        assert talk.line.over.is_set()

    talk(body)


def test_what_an_old_stream_still_says_is_not_heard() -> None:
    async def body(talk: Talk) -> None:
        old = talk.line.ear_of(talk.wire)
        talk.lose()
        talk.come_back()
        old(Malformed("late", 0))
        old(LOST)
        assert talk.heard == []
        assert talk.line.stands

    talk(body)
