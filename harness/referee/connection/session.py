"""One bot process in play: sends it requests, processes its answers, and frees its seats when it fails.

Plain calls in the trio thread handle every answer. An answer is applied to its table as soon as it arrives. The table's
driver then asks the next seat, which may be in another session. Once all answers that have arrived are applied, each
session with pending decisions takes its turn (`mailbox`). It sends the decisions as one message if it has no unanswered
request and gets a slot.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import trio

from bowerbird.engine import HandResult
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.faults import ILLEGAL, PROTOCOL, RESIGNED, TIMEOUT
from bowerbird.harness.referee.connection import messages
from bowerbird.harness.referee.connection.exit_cause import ExitCause
from bowerbird.harness.referee.connection.limiter import Limiter, Slot
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.messages import FLOOD, MAX_IGNORED, MAX_NOTE, MAX_RESPONSE
from bowerbird.harness.referee.connection.participant import Capabilities, Participant
from bowerbird.harness.referee.connection.stream import (
    Malformed,
    Outgoing,
    ProcessReplaced,
    Received,
    StreamEnded,
    StreamEvent,
)
from bowerbird.harness.referee.game.clock import NS_PER_MS, MessageClock, Pace, ms_at_least
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.game.table import Table
from bowerbird.harness.referee.host.bot_clock import JudgingClock
from bowerbird.harness.referee.process.supervisor import Process
from bowerbird.harness.wire.encode import TableEncoder, decision_requests, hand_ended, repeated_requests
from bowerbird.seat.v1 import seat_pb2

DELIVERY_NS = 5_000_000
"""How long an answer that arrived in time may take to reach the session."""

ENOUGH_BYTES = MAX_RESPONSE // 2
"""A message with this many bytes of decisions gets no further ones. A decision is far smaller than the remaining half.
"""


class Driver(Protocol):
    """The part of a table's driver that a session uses."""

    def advance(self) -> None:
        """Send events and requests to the seats, after the table has changed."""


class SeatState:
    """A seat of a table in play, as seen by its session.

    number: the seat's number. table_id: the bot's name for the table. opened: its TableOpened. asked: the number of the
        last decision sent; -1 before the first. events_sent: how many events of the hand a bot that wants events
    has been sent. hand_shown: the hand of the last decision sent; -1 before the first.
    """

    __slots__ = (
        "asked",
        "driver",
        "encoder",
        "events_sent",
        "hand_shown",
        "number",
        "opened",
        "session",
        "table",
        "table_id",
    )

    def __init__(
        self, session: Session, driver: Driver, table: Table, number: int, *, table_id: str, encoder: TableEncoder
    ) -> None:
        """Create a seat without any decision yet. The seats of a table share `encoder`."""
        self.session = session
        self.driver = driver
        self.table = table
        self.encoder = encoder
        self.number = number
        self.table_id = table_id
        self.opened = b""
        self.asked = -1
        self.events_sent = 0
        self.hand_shown = -1


OnFault = Callable[[Fault, Sequence[SeatState]], None]
"""Called with one incident that is a bot's fault, and all seats that it costs."""

OnLost = Callable[[Sequence[SeatState]], None]
"""Called with the seats of a process that was lost in a stall of the host. Their games have no result."""


class OpenRequest:
    """An unanswered DecisionRequests: its clock, and the seats that have not answered, by table_id.

    The seats in `void` are at tables that have since been voided. Their answers show only that the bot has finished
    this work.
    """

    __slots__ = ("clock", "is_started", "outgoing", "void", "waiting")

    def __init__(self, clock: MessageClock, waiting: dict[str, SeatState], outgoing: Outgoing) -> None:
        """Create the state of a message that was just queued."""
        self.clock = clock
        self.waiting = waiting
        self.void: dict[str, SeatState] = {}
        self.outgoing = outgoing
        self.is_started = False

    def start_clock(self) -> None:
        """Start the clock once the message has been handed over."""
        if not self.is_started and self.outgoing.handed_over_ns:
            self.clock.begin(self.outgoing.handed_over_ns)
            self.is_started = True

    def withdraw(self, seat: SeatState) -> None:
        """Note that the table of this seat is void."""
        if self.waiting.pop(seat.table_id, None) is not None:
            self.void[seat.table_id] = seat

    def takes_void(self, decision: seat_pb2.Decision) -> bool:
        """Note and return whether this answers a decision of a void table. A new table may have the same id."""
        seat = self.void.get(decision.table_id)
        if seat is None or decision.decision_id != seat.asked:
            return False
        del self.void[decision.table_id]
        return True

    def shorten(self) -> bool:
        """If only void decisions are left, limit the wait to the time for them.

        Return whether the wait became shorter.
        """
        if self.waiting or not self.void:
            return False
        self.start_clock()
        return self.clock.shorten([seat.table.banks[seat.number] for seat in self.void.values()])


class Session:
    """The conversation with one participant that is ready to play.

    Life: created, given seats (`sit`), `run` until the process fails, retires with its last table, or is stopped.
    `failure` is the fault that ended its play. `lost` means that the process ended in a stall of the host, which is not
    a fault. `retired` means that it gets no further tables.
    """

    def __init__(
        self,
        participant: Participant,
        capabilities: Capabilities,
        pace: Pace,
        limiter: Limiter,
        mailbox: Mailbox,
        *,
        clock: JudgingClock,
        on_fault: OnFault,
        on_lost: OnLost,
    ) -> None:
        """Create a session with a participant that has joined.

        `clock` measures all times. `on_fault` is called once for each incident; if it is not a fault, `on_lost` is
        called instead.
        """
        connection = participant.connection
        assert connection is not None  # the participant has joined
        self._participant = participant
        self._connection = connection
        self._freezer = participant.process.freezer if participant.process is not None else None
        self._pace = pace
        self._mailbox = mailbox
        self._slot = Slot(limiter, self._request_turn, lambda: len(self._pending))
        self._max_batch = capabilities.batch
        self._wants_events = capabilities.wants_events
        self._events_only = capabilities.events_only
        self._clock = clock
        self._on_fault = on_fault
        self._on_lost = on_lost
        self._seats: dict[str, SeatState] = {}
        self._pending: deque[SeatState] = deque()
        self._held: list[bytes] = []
        """Messages that nobody waits for.

        They are sent with the next request, so that the bot is woken only once.
        """
        self._request: OpenRequest | None = None
        self._exit = ExitCause(participant.exit_policy, clock.running_ns)
        self._timer = DeadlineTimer(self._next_deadline, self._request_turn)
        self._done = trio.Event()
        self._is_running = False
        self._is_stopping = False
        self._requests_sent = 0
        self._defect: Exception | None = None
        self.failure: Fault | None = None
        self.lost = False
        self.retired = False
        self.ignored = 0

    # Called by table drivers and by the referee.

    def sit(self, seat: SeatState, opened: bytes) -> None:
        """Take a seat at a table. `opened` is its TableOpened."""
        self._seats[seat.table_id] = seat
        seat.opened = opened
        self._hold(opened)

    def stand(self, seat: SeatState, closed: bytes) -> None:
        """Leave a table that has ended. `closed` is its TableClosed, for which a bot that resigned may be waiting."""
        self._seats.pop(seat.table_id, None)
        if seat.table.has_left(seat.number):
            self._send(closed)
        else:
            self._hold(closed)
        if not self._seats:
            self._request_turn()

    def withdraw(self, seat: SeatState, closed: bytes) -> None:
        """Leave a table whose game was voided. Its decision is not sent any more.

        A decision already sent stays open until it is answered or its time is over, since the bot may be busy with it
        and there is no sign yet that it arrived.
        """
        self._pending = deque(one for one in self._pending if one is not seat)
        if self._request is not None:
            self._request.withdraw(seat)
        self._seats.pop(seat.table_id, None)
        self._send(closed)
        self._request_turn()  # the deadline may be nearer, or the slot no longer needed

    def tell_hand(self, seat: SeatState, hand: HandResult) -> None:
        """Send HandEnded with the unsent events, if the bot wants events. Other bots see scores in views."""
        if self._wants_events:
            self._hold(hand_ended(seat.table_id, hand, hand.history[seat.events_sent :]))
            seat.events_sent = 0

    def ask(self, seat: SeatState) -> None:
        """Ask this seat with the next message."""
        self._pending.append(seat)
        if self._request is None and not self._slot.is_waiting:
            self._request_turn()

    def stop(self) -> None:
        """Stop the conversation. The tables are closed or no longer matter."""
        self._is_stopping = True
        self._request_turn()

    async def run(self) -> None:
        """Run until the process fails, retires with its last table, or `stop` is called."""
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._timer.run)
                if self._participant.process is not None:
                    nursery.start_soon(self._watch_process, self._participant.process)
                self._is_running = True
                self._participant.listen(self.on_event)
                self._request_turn()
                await self._done.wait()
                nursery.cancel_scope.cancel()
        finally:
            self._is_running = False
            self._slot.release()
        if self._defect is not None:
            raise self._defect

    @property
    def idle_since(self) -> int | None:
        """See `idle_freezer.Freezable`."""
        is_idle = self._request is None and not self._pending and self._is_running and not self._is_over
        return self._requests_sent if is_idle else None

    def freeze(self) -> None:
        """See `idle_freezer.Freezable`."""
        if self._freezer is not None:
            self._freezer.freeze()

    # Event handlers. An error in our own code must not stop the mailbox's delivery, so `run` raises it.

    def on_event(self, event: StreamEvent) -> None:
        """Handle an event of the bot's stream."""
        if self._is_running and not self.has_ended:
            try:
                self._handle(event)
                self._connection.event_handled()
                self._close_ended()
            except Exception as error:
                self._stop_with(error)
            if self._has_work:
                self._request_turn()

    def _take_turn(self) -> None:
        """Check the clocks, then send all messages that can be sent."""
        if self._is_running:
            try:
                self._close_ended()
                self._check_deadline()
                self._send_pending()
                if self._held and (self._request is None or self._is_over):
                    self._send_held()
                self._timer.update()
            except Exception as error:
                self._stop_with(error)
            if self._is_over:
                self._done.set()

    async def _watch_process(self, process: Process) -> None:
        await process.ended.wait()
        if process.exit_status is not None:  # None: the supervisor is gone, and so is the run
            self._exit.process_ended(process.exit_status, time.monotonic_ns())
            self._request_turn()

    def _request_turn(self) -> None:
        self._mailbox.request_turn(self._take_turn)

    def _stop_with(self, defect: Exception) -> None:
        self._defect = defect
        self._done.set()

    @property
    def has_ended(self) -> bool:
        """Whether its play has ended by a fault or in a stall."""
        return self.failure is not None or self.lost

    @property
    def is_ending(self) -> bool:
        """Whether its stream or its process has ended."""
        return self._exit.ended_ns > 0

    @property
    def _is_over(self) -> bool:
        return self.has_ended or self._is_stopping or (self.retired and not self._seats)

    @property
    def _has_work(self) -> bool:
        """Whether the session needs a turn, instead of waiting for answers or for a table to ask."""
        can_send = self._request is None and bool(self._pending or self._held)
        return can_send or self._exit.ended_ns > 0 or self._is_over

    def _next_deadline(self) -> float:
        """Return the next deadline if the bot stays silent, on trio's clock; infinity for none."""
        if self._exit.ended_ns:
            since_ns, limit_ns = self._exit.ended_ns, self._exit.policy.verdict_ns
        elif self._request is not None:
            clock = self._request.clock
            since_ns, limit_ns = clock.handed_over, clock.limit + DELIVERY_NS
        else:
            return math.inf
        return trio.current_time() + self._clock.wait_ns(since_ns, limit_ns, time.monotonic_ns()) / 1e9

    # Messages of the bot.

    def _handle(self, event: StreamEvent) -> None:
        match event:
            case Received(request, arrival_ns):
                match request.WhichOneof("message"):
                    case "decisions" if request.decisions.decisions:
                        self._take_answers(request.decisions.decisions, arrival_ns)
                    case "resign":
                        self._resign(request.resign.table_id)
                    case "bot_fault":
                        self._fail_protocol(
                            f"the bot reported a failure of its own: {shown(request.bot_fault.message)}"
                        )
                    case "hello" | "ready" as kind:
                        self._fail_protocol(f"said {kind} a second time")
                    case _:
                        self._count_ignored()
            case Malformed(why):
                self._fail_protocol(why)
            case StreamEnded():
                self._exit.stream_ended(time.monotonic_ns())
            case ProcessReplaced():
                self._introduce_process()

    def _introduce_process(self) -> None:
        """Send another process of the bot all that it needs: its tables, then open decisions, on the running clock.

        It has been sent nothing yet, so the next decision at a table carries the whole view and all events of the hand.
        """
        self._held.clear()
        for seat in self._seats.values():
            seat.events_sent = 0
            seat.hand_shown = -1
            self._connection.send(seat.opened)
        request = self._request
        if request is None:
            return
        request.void.clear()  # it cannot be busy with them
        if not request.waiting:
            return  # `_close_ended` follows
        request.start_clock()
        used_ns = self._clock.running_ns(request.clock.handed_over, time.monotonic_ns())
        decisions = [self._decision_request(seat) for seat in request.waiting.values()]
        message = decision_requests(decisions, deadline_ms=request.clock.limit // NS_PER_MS)
        waiting = request.waiting.keys()
        self._connection.send_request(repeated_requests(message, used_ns // NS_PER_MS, waiting), waiting)

    def _take_answers(self, decisions: Iterable[seat_pb2.Decision], arrival_ns: int) -> None:
        """Apply the answers of one message to their tables. Lateness is checked first, for the whole message."""
        request = self._request
        if request is not None:
            request.start_clock()
            if request.clock.is_late(arrival_ns):
                self._expire(request, arrival_ns)
                request = None
        current: list[tuple[SeatState, seat_pb2.Decision]] = []
        early: list[tuple[SeatState, Fault]] = []
        waiting = request.waiting if request is not None else {}
        void = 0
        for decision in decisions:
            if request is not None and request.void and request.takes_void(decision):
                void += 1
                continue
            seat = self._seats.get(decision.table_id)
            number = decision.decision_id
            if seat is None or number < seat.asked:
                self._count_ignored()
            elif number > seat.asked:
                early.append((seat, Fault(ILLEGAL, f"answered decision {number} before it was asked")))
            elif waiting.pop(seat.table_id, None) is not None:
                current.append((seat, decision))
            else:
                self._count_ignored()
        if self.has_ended:
            return
        if request is not None and (current or void):
            self._apply_answers(current, request.clock.part(len(current) + void, arrival_ns))
        for seat, fault in early:
            self._drop_seat(seat, fault)

    def _apply_answers(self, answers: Iterable[tuple[SeatState, seat_pb2.Decision]], charge: int) -> None:
        """Apply expected answers to their tables, each at a cost of `charge` ns."""
        for seat, decision in answers:
            if decision.note:
                fault = self._answer_with_note(seat, decision, charge)
            else:
                fault = seat.table.answer(_choice(decision), charge)
            if fault is not None:
                self._blame(seat, fault)
            seat.driver.advance()

    def _answer_with_note(self, seat: SeatState, decision: seat_pb2.Decision, charge: int) -> Fault | None:
        """Apply an answer with a note. The note is stored with the action unless the answer is refused."""
        self._log_note(decision)
        action = seat.table.next_action
        fault = seat.table.answer(_choice(decision), charge)
        if fault is None:
            seat.table.add_note(seat.number, action, decision.note)
        return fault

    def _log_note(self, decision: seat_pb2.Decision) -> None:
        """Add the note of an answer to the log of the process. A remote bot has no log here."""
        process = self._participant.process
        if process is not None:
            where = f"note at {decision.table_id}, decision {decision.decision_id}: "
            process.log.add(where.encode() + decision.note.encode()[:MAX_NOTE] + b"\n")

    def _resign(self, table_id: str) -> None:
        seat = self._seats.get(table_id)
        if seat is None:
            self._count_ignored()
        else:
            self._drop_seat(seat, Fault(RESIGNED, "resigned"))

    def _drop_seat(self, seat: SeatState, fault: Fault) -> None:
        """Remove a seat from its table for a fault other than an answer to an open decision."""
        request = self._request
        if request is not None and request.waiting.pop(seat.table_id, None) is not None:
            fault = self._timed(fault, request, seat)
        if seat.table.leave(seat.number, fault):
            self._blame(seat, fault)
            seat.driver.advance()
        else:
            self._count_ignored()

    def _count_ignored(self) -> None:
        self.ignored += 1
        if self.ignored > MAX_IGNORED:
            self._fail_protocol(FLOOD)

    def _blame(self, seat: SeatState, fault: Fault) -> None:
        self._on_fault(fault, (seat,))
        self._send_error(seat, fault)

    def _send_error(self, seat: SeatState, fault: Fault) -> None:
        if fault.kind in (ILLEGAL, TIMEOUT):
            self._send(messages.error(fault.kind, fault.detail, table_id=seat.table_id))

    # Failures of the process.

    def _close_ended(self) -> None:
        """Decide the fault of a process that has ended, and close a request that is fully answered."""
        if self._exit.ended_ns and (fault := self._exit.fault(time.monotonic_ns())) is not None:
            if self._clock.was_lost_in_stall(self._exit.ended_ns):
                self._lose()
            else:
                self._fail(fault)
        request = self._request
        if request is not None and not request.waiting and not request.void:
            self._request = None
            self._connection.request_answered()
            self._slot.release()
        elif request is not None and request.shorten():
            self._request_turn()

    def _fail_protocol(self, sentence: str) -> None:
        """Send the bot a fatal Error and stop its play. Its Goodbye follows."""
        if not self.has_ended:
            self._send(messages.error(PROTOCOL, sentence))
            self._fail(Fault(PROTOCOL, sentence))

    def _lose(self) -> None:
        """Stop the play of a process that was lost in a stall. Its games have no result, whatever the scores."""
        if self.has_ended:
            return
        self.lost = True
        self._exit.stream_over = True
        self._request = None
        self._on_lost([seat for seat in self._seats.values() if not seat.table.has_left(seat.number)])

    def _fail(self, fault: Fault) -> None:
        """Stop the process's play. Each of its seats leaves its table."""
        if self.has_ended:
            return
        self.failure = fault
        self._exit.stream_over = True
        request, self._request = self._request, None
        waiting = request.waiting if request is not None else {}
        self._on_fault(fault, [seat for seat in self._seats.values() if not seat.table.has_left(seat.number)])
        for seat in list(self._seats.values()):
            timed = self._timed(fault, request, seat) if seat.table_id in waiting else fault
            if seat.table.leave(seat.number, timed):
                seat.driver.advance()

    def _timed(self, fault: Fault, request: OpenRequest | None, seat: SeatState) -> Fault:
        """Return the fault of a seat that was thinking, with its limit and the time since hand-over."""
        if request is None:
            return fault
        request.start_clock()
        elapsed_ns = max(0, self._clock.running_ns(request.clock.handed_over, time.monotonic_ns()))
        limit_ns = seat.table.banks[seat.number].limit
        return Fault(fault.kind, fault.detail, ms_at_least(limit_ns), ms_at_least(elapsed_ns))

    def _check_deadline(self) -> None:
        request = self._request
        if request is None or self._exit.ended_ns:
            return
        request.start_clock()
        now_ns = time.monotonic_ns()
        if self._clock.wait_ns(request.clock.handed_over, request.clock.limit, now_ns) < 0:
            self._expire(request, now_ns)

    def _expire(self, request: OpenRequest, now_ns: int) -> None:
        """Record a TIMEOUT for each seat that has not answered, as one incident. Void decisions get none."""
        self._request = None
        self._connection.request_expired()
        self._slot.release()
        if not request.waiting:
            return
        self.retired = self._participant.exit_policy.is_replaceable
        elapsed_ns = self._clock.running_ns(request.clock.handed_over, now_ns)
        fault = Fault(TIMEOUT, "no answer in time", ms_at_least(request.clock.limit), ms_at_least(elapsed_ns))
        seats = list(request.waiting.values())
        self._on_fault(fault, seats)
        for seat in seats:
            self._send_error(seat, fault)
            if seat.table.leave(seat.number, fault):
                seat.driver.advance()

    # Messages to the bot.

    def _send(self, data: bytes) -> None:
        if not self._exit.stream_over:
            self._send_held()
            self._connection.send(data)

    def _hold(self, data: bytes) -> None:
        """Send a message with the next request, or in this session's next turn if no request is open."""
        self._held.append(data)
        if self._request is None:
            self._request_turn()

    def _send_held(self) -> None:
        held, self._held = self._held, []
        if not self._exit.stream_over:
            for data in held:
                self._connection.send(data)

    def _send_pending(self) -> None:
        """Send all pending decisions as one message if no request is unanswered and a slot is free."""
        if self._exit.stream_over or (self._request is None and not self._pending):
            self._slot.release()
            return
        if self._request is None and self._slot.acquire():
            self._send_request()

    def _send_request(self) -> None:
        seats: list[SeatState] = []
        requests: list[bytes] = []
        size = 0
        while self._pending and len(seats) < self._max_batch and size < ENOUGH_BYTES:
            seat = self._pending.popleft()
            due = seat.table.due
            if due is not None and due.seat == seat.number:  # else the seat left the table after this request was due
                seats.append(seat)
                requests.append(self._decision_request(seat))
                size += len(requests[-1])
        if not seats:
            self._slot.release()
            return
        self._requests_sent += 1
        if self._freezer is not None:
            self._freezer.thaw()  # before the clock can start
        banks = [seat.table.banks[seat.number] for seat in seats]
        clock = MessageClock(self._pace, banks, time.monotonic_ns(), self._clock.running_ns)
        message = decision_requests(requests, deadline_ms=clock.limit // NS_PER_MS)
        waiting = {seat.table_id: seat for seat in seats}
        self._send_held()
        self._request = OpenRequest(clock, waiting, self._connection.send_request(message, waiting.keys()))

    def _decision_request(self, seat: SeatState) -> bytes:
        table = seat.table
        due = table.due
        assert due is not None  # `_send_request` has checked
        game = table.game
        bank = table.banks[seat.number]
        hand = game.hand_number
        sent: int | None = None
        if self._wants_events:
            sent, seat.events_sent = seat.events_sent, len(game.history)
        seat.asked = due.number
        knows_public = self._events_only and seat.hand_shown == hand
        seat.hand_shown = hand
        return seat.encoder.request(
            seat.table_id,
            game,
            seat.number,
            due.number,
            budget_ms=bank.budget // NS_PER_MS,
            bank_ms=bank.left // NS_PER_MS,
            charged_ms=bank.charged // NS_PER_MS,
            events_from=sent,
            shows_public=not knows_public,
        )


def _choice(decision: seat_pb2.Decision) -> int | str | None:
    """Return the index or the token of an answer; None if it has neither. `WhichOneof` would take twice as long."""
    if decision.HasField("action_index"):
        return decision.action_index
    return decision.action if decision.HasField("action") else None


class DeadlineTimer:
    """A timer that calls `on_deadline` at a deadline that often moves. Moving it is cheap.

    A deadline usually moves before it is reached. The timer then wakes at the old time and waits for the new one, so
    `on_deadline` must check what is due.
    """

    def __init__(self, next_deadline: Callable[[], float], on_deadline: Callable[[], None]) -> None:
        """Create a timer. `next_deadline` returns seconds of trio's clock, or infinity for never."""
        self._next_deadline = next_deadline
        self._on_deadline = on_deadline
        self._scope = trio.CancelScope()
        self._wakes_at = math.inf

    def update(self) -> None:
        """Check the deadline again. Call this whenever it may have become earlier."""
        deadline = self._next_deadline()
        if deadline < self._wakes_at:
            self._wakes_at = self._scope.deadline = deadline

    async def run(self) -> None:
        """Wait and call until cancelled."""
        while True:
            self._wakes_at = self._next_deadline()
            self._scope = trio.CancelScope(deadline=self._wakes_at)
            with self._scope:
                await trio.sleep_forever()
            self._on_deadline()
