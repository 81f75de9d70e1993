"""One bot process in play: what it is asked, what it answers, and what becomes of its seats when it fails.

Everything is a plain call. What the bot says is dealt with where it is heard, and applied to its tables at once, which
puts the next decisions on the lists of whichever sessions. When all that has come was heard (`post`), each session that
has something to ask takes its turn: it sends all that waits for it as one message, if nothing is unanswered and a slot
is free. No timer ever holds a decision back.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import trio

from engine import Event, HandResult
from harness.referee import messages
from harness.referee.alarm import Alarm
from harness.referee.chair import Chair, Message
from harness.referee.clock import NS_PER_MS, MessageClock, Pace, ms_at_least
from harness.referee.ending import NEARBY, Ending, Whereabouts
from harness.referee.faults import ILLEGAL, PROTOCOL, RESIGNED, TIMEOUT, Fault
from harness.referee.launcher import Ended
from harness.referee.post import Post
from harness.referee.server import Event as StreamEvent
from harness.referee.server import Line, Malformed, Said, StreamEnded
from harness.referee.slots import Place, Slots
from harness.referee.table import Table
from harness.v1 import seat_pb2
from harness.wire.encode import decision_requests

LATE_NEWS_NS = 5_000_000
"""What an answer that arrived in time may take from the reader's thread to here."""

USELESS_LIMIT = 1000
"""Stale, repeated and unknown answers that one process may send; more is a flood."""


@dataclass(frozen=True, slots=True)
class ProcessEnded:
    """The bot's process is over."""

    how: Ended


News = StreamEvent | ProcessEnded


class Session:
    """The conversation with one bot process that is ready to play.

    `on_moved(table)` is called whenever a table of this session moved on, `on_fault(fault, chairs)` once for each
    incident that is the bot's fault, with all chairs that it costs. `failure` is set when the process can play no more,
    `retired` when it is to get no further tables.
    """

    def __init__(
        self,
        link: Line,
        pace: Pace,
        slots: Slots,
        post: Post,
        *,
        max_batch: int,
        wants_events: bool,
        whereabouts: Whereabouts = NEARBY,
        on_moved: Callable[[Table], None],
        on_fault: Callable[[Fault, Iterable[Chair]], None],
    ) -> None:
        """A session on a stream whose bot has said Ready."""
        self._link = link
        self._pace = pace
        self._budget_ms = pace.per_decision // NS_PER_MS
        self._post = post
        self._place = Place(slots, self._want_turn)
        self._max_batch = max_batch
        self._wants_events = wants_events
        self._on_moved = on_moved
        self._on_fault = on_fault
        self._news: deque[News] = deque()
        self._done = trio.Event()
        self._chairs: dict[str, Chair] = {}
        self._pending: deque[Chair] = deque()
        self._message: Message | None = None
        self._whereabouts = whereabouts
        self._ending = Ending(whereabouts)
        self._leaving = False
        self._conversing = False
        self._defect: Exception | None = None
        self._alarm = Alarm(self._deadline, self._want_turn)
        self.failure: Fault | None = None
        self.retired = False
        self.useless = 0

    # What the referee does with a session.

    def sit(self, chair: Chair, opened: bytes) -> None:
        """Take a seat at a table; `opened` is its TableOpened."""
        self._chairs[chair.table_id] = chair
        self._link.send(opened)

    def stand(self, chair: Chair, closed: bytes) -> None:
        """Leave a table that is over; `closed` is its TableClosed."""
        self._chairs.pop(chair.table_id, None)
        self._tell(closed)
        if not self._chairs:
            self._want_turn()

    def tell_hand(self, chair: Chair, hand: HandResult) -> None:
        """Say how a hand ended, to a bot that wants events; the others learn the scores from their next view."""
        if self._wants_events:
            self._tell(chair.hand_ended(hand))

    def _tell(self, data: bytes) -> None:
        if not self._ending.stream_over:
            self._link.send(data)

    def ask(self, chair: Chair) -> None:
        """The table waits for this seat: ask it with the next message."""
        self._pending.append(chair)
        if self._message is None and not self._place.wanted:
            self._want_turn()

    def leave(self) -> None:
        """Stop conversing; no table is open or they are of no interest any more."""
        self._leaving = True
        self._want_turn()

    # What the bot's threads and process say.

    def hear(self, news: News) -> None:
        """Take an event of the stream or of the process, and deal with it; `converse` raises what goes wrong then."""
        self._news.append(news)
        if self._conversing:
            self._guarded(self._listen)
            if self._has_work:
                self._want_turn()

    def _want_turn(self) -> None:
        self._post.want(self._turn)

    def _turn(self) -> None:
        if self._conversing:
            self._guarded(self._take_turn)
            if self._is_over:
                self._done.set()

    def _guarded(self, step: Callable[[], None]) -> None:
        """Take a step outside any task. A defect of ours ends the conversation, which raises it."""
        try:
            step()
        except Exception as error:
            self._defect = error
            self._done.set()

    # The conversation.

    async def converse(self) -> None:
        """Ask and listen until the process fails, retires with its last table, or is to leave."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._alarm.watch)
                self._conversing = True
                self._want_turn()
                await self._done.wait()
                nursery.cancel_scope.cancel()
        finally:
            self._conversing = False
            self._place.free()
        if self._defect is not None:
            raise self._defect

    @property
    def _is_over(self) -> bool:
        return self.failure is not None or self._leaving or (self.retired and not self._chairs)

    @property
    def _has_work(self) -> bool:
        """Whether there is anything to be done but to wait for answers, or for a table to ask."""
        can_ask = self._message is None and bool(self._pending)
        return can_ask or self._ending.deadline > 0 or self._is_over

    def _take_turn(self) -> None:
        """Deal with all that was heard, and send what can be sent."""
        self._listen()
        self._watch_clock()
        self._send_what_waits()
        self._alarm.look()

    def _deadline(self) -> float:
        """When something is due without the bot's saying anything, by trio's clock."""
        moment = self._ending.deadline
        if not moment and self._message is not None:
            moment = self._message.clock.deadline + LATE_NEWS_NS
        if not moment:
            return math.inf
        return trio.current_time() + (moment - time.monotonic_ns()) / 1e9

    def _listen(self) -> None:
        while self._news and self.failure is None:
            news = self._news.popleft()
            match news:
                case Said():
                    self._understand(news.request, news.arrival)
                case Malformed():
                    self._fail(Fault(PROTOCOL, news.why))
                case StreamEnded():
                    self._ending.of_stream(time.monotonic_ns())
                case ProcessEnded():
                    self._ending.of_process(news.how, time.monotonic_ns())
            if not isinstance(news, ProcessEnded):
                self._link.heard()
        if self._ending.deadline and (verdict := self._ending.verdict(time.monotonic_ns())) is not None:
            self._fail(verdict)
        if self._message is not None and not self._message.open:
            self._message = None
            self._link.answered()
            self._place.free()

    def _understand(self, request: seat_pb2.PlayRequest, arrival: int) -> None:
        match request.WhichOneof("message"):
            case "decisions" if request.decisions.decisions:
                self._take_answers(request.decisions.decisions, arrival)
            case "resign":
                self._resign(request.resign.table_id)
            case "bot_fault":
                self._fail(Fault(PROTOCOL, f"the bot reported a failure of its own: {request.bot_fault.message}"))
            case "hello" | "ready" as name:
                self._fail(Fault(PROTOCOL, f"said {name} a second time"))
            case _:
                self._count_useless()

    def _take_answers(self, decisions: Iterable[seat_pb2.Decision], arrival: int) -> None:
        message = self._message
        if message is not None:
            message.begin()
            if arrival > message.clock.deadline:
                self._expire(message, arrival)
                message = None
        current: list[tuple[Chair, seat_pb2.Decision]] = []
        early: list[tuple[Chair, Fault]] = []
        waiting = message.open if message is not None else {}
        for decision in decisions:
            chair = self._chairs.get(decision.table_id)
            number = decision.decision_id
            if chair is None or number < chair.asked:
                self._count_useless()
            elif number > chair.asked:
                early.append((chair, Fault(ILLEGAL, f"answered decision {number} before it was asked")))
            elif waiting.pop(chair.table_id, None) is not None:
                current.append((chair, decision))
            else:
                self._count_useless()
        if self.failure is not None:
            return
        if message is not None and current:
            charge = message.clock.part(len(current), arrival)
            for chair, decision in current:
                index = decision.action_index if decision.HasField("action_index") else None
                fault = chair.table.answer(index, decision.action, charge)
                if fault is not None:
                    self._blame(chair, fault)
                self._on_moved(chair.table)
        for chair, fault in early:
            self._drop_out(chair, fault)

    def _drop_out(self, chair: Chair, fault: Fault) -> None:
        """A fault at one table that is not the answer to an open decision."""
        message = self._message
        if message is not None and message.open.pop(chair.table_id, None) is not None:
            fault = self._timed(fault, message, chair)
        if chair.table.leave(chair.seat, fault):
            self._blame(chair, fault)
            self._on_moved(chair.table)
        else:
            self._count_useless()

    def _resign(self, table_id: str) -> None:
        chair = self._chairs.get(table_id)
        if chair is None:
            self._count_useless()
        else:
            self._drop_out(chair, Fault(RESIGNED, "resigned"))

    def _count_useless(self) -> None:
        self.useless += 1
        if self.useless > USELESS_LIMIT:
            self._fail(Fault(PROTOCOL, f"more than {USELESS_LIMIT} messages and answers that nobody asked for"))

    def _blame(self, chair: Chair, fault: Fault) -> None:
        self._on_fault(fault, (chair,))
        self._complain(chair, fault)

    def _complain(self, chair: Chair, fault: Fault) -> None:
        if fault.kind in (ILLEGAL, TIMEOUT):
            self._tell(messages.error(fault.kind, fault.detail, table_id=chair.table_id))

    def _fail(self, fault: Fault) -> None:
        """The process plays no more: every seat that it has leaves its table."""
        if self.failure is not None:
            return
        self.failure = fault
        self._ending.stream_over = True
        message, self._message = self._message, None
        waiting = message.open if message is not None else {}
        self._on_fault(fault, [chair for chair in self._chairs.values() if not chair.table.has_left(chair.seat)])
        for chair in list(self._chairs.values()):
            timed = self._timed(fault, message, chair) if chair.table_id in waiting else fault
            if chair.table.leave(chair.seat, timed):
                self._on_moved(chair.table)

    def _timed(self, fault: Fault, message: Message | None, chair: Chair) -> Fault:
        """The fault of a seat that was thinking: with its limit, and the time since the hand-over."""
        if message is None:
            return fault
        message.begin()
        elapsed = max(0, time.monotonic_ns() - message.clock.handed_over)
        limit = chair.table.banks[chair.seat].limit
        return Fault(fault.kind, fault.detail, ms_at_least(limit), ms_at_least(elapsed))

    def _watch_clock(self) -> None:
        message = self._message
        if message is None or self._ending.deadline:
            return
        message.begin()
        now = time.monotonic_ns()
        if now > message.clock.deadline:
            self._expire(message, now)

    def _expire(self, message: Message, now: int) -> None:
        """The whole message is late: what is unanswered is a TIMEOUT each, one incident together."""
        self._message = None
        self._link.given_up()
        self._place.free()
        self.retired = self._whereabouts.is_replaceable
        fault = Fault(
            TIMEOUT,
            "no answer in time",
            ms_at_least(message.clock.limit),
            ms_at_least(now - message.clock.handed_over),
        )
        self._on_fault(fault, message.open.values())
        for chair in message.open.values():
            self._complain(chair, fault)
            if chair.table.leave(chair.seat, fault):
                self._on_moved(chair.table)

    def _send_what_waits(self) -> None:
        """Send all that is pending as one message, if none is unanswered and there is a slot for it."""
        if self._ending.stream_over or (self._message is None and not self._pending):
            self._place.free()
            return
        if self._message is not None:
            return
        if self._place.take():
            self._send()

    def _send(self) -> None:
        chairs: list[Chair] = []
        while self._pending and len(chairs) < self._max_batch:
            chair = self._pending.popleft()
            due = chair.table.due
            if due is not None and due.seat == chair.seat:  # else its seat has left since it was asked
                chairs.append(chair)
        if not chairs:
            self._place.free()
            return
        clock = MessageClock(self._pace, [chair.table.banks[chair.seat] for chair in chairs], time.monotonic_ns())
        requests = [self._request(chair) for chair in chairs]
        outgoing = self._link.ask(decision_requests(requests, deadline_ms=clock.limit // NS_PER_MS))
        self._message = Message(clock, chairs, outgoing)

    def _request(self, chair: Chair) -> bytes:
        table, seat = chair.table, chair.seat
        due = table.due
        assert due is not None
        view = table.view(seat)
        bank = table.banks[seat]
        events: Sequence[Event] = ()
        if self._wants_events:
            events = view.history[chair.told :]
            chair.told = len(view.history)
        chair.asked = due.number
        return chair.encoder.request(
            chair.table_id,
            view,
            due.number,
            budget_ms=self._budget_ms,
            bank_ms=bank.left // NS_PER_MS,
            charged_ms=bank.charged // NS_PER_MS,
            events=events,
        )
