"""The bot's side of the protocol, without transport: receives each message from the referee and returns the answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING

from bowerbird.engine import Action
from bowerbird.harness.sdk.bot import RESIGN, Bot
from bowerbird.harness.sdk.decision import Decision, Fault, HandEnd, Table, TableEnd
from bowerbird.harness.sdk.figures import noted
from bowerbird.harness.sdk.log import log
from bowerbird.harness.wire import decode
from bowerbird.harness.wire.enums import FAULT_KINDS, GAME_ENDINGS, HAND_ENDINGS
from bowerbird.seat.v1 import seat_pb2, table_pb2

if TYPE_CHECKING:
    from bowerbird.harness.sdk.bot import Choice

PROTOCOL_VERSIONS = (1,)
"""The versions of the protocol that this SDK speaks."""

SPOKEN = ", ".join(map(str, PROTOCOL_VERSIONS))
"""The versions as text for people."""

_UINT32 = range(1 << 32)
"""The numbers that fit in an action_index."""


class RefusedError(Exception):
    """The referee refuses the bot, or the bot refuses the protocol version. The text is one sentence for people.

    `retry_after_ms` is the time to wait before the next attempt; None if the bot must not try again.
    """

    def __init__(self, sentence: str, retry_after_ms: int | None = None) -> None:
        super().__init__(sentence)
        self.retry_after_ms = retry_after_ms


class Session:
    """The state of a bot process's session with its referee. It outlives a broken stream if the referee allows that.

    `receive` takes one message and returns the answers to send, in order. `is_over` is true after a Goodbye. Exceptions
    of the bot pass through unchanged. Messages that the referee repeats on a new stream reach the bot only once.
    """

    def __init__(self, bot: Bot, token: str = "", on_illegal: Callable[[str], None] = log) -> None:
        """Start a session of `bot`.

        token: the secret of BOWERBIRD_TOKEN.
        on_illegal: called with a sentence about each illegal choice, which is sent anyway.
        """
        self.is_over = False
        self._bot = bot
        self._token = token
        self._on_illegal = on_illegal
        self._secret = ""
        self._resume_ms = 0
        self._open_until = 0.0
        self._is_prepared = False
        self.welcomes = 0
        """The number of Welcomes so far; each stream has one."""
        self._tables: dict[str, Table] = {}
        self._hands: dict[str, int] = {}
        self._last_replies: dict[str, _Reply] = {}
        self._handlers: dict[str, Callable[[seat_pb2.PlayResponse], list[seat_pb2.PlayRequest]]] = {
            "decision_requests": self._decide,
            "welcome": self._welcome,
            "table_opened": self._open,
            "hand_ended": self._hand_ended,
            "table_closed": self._close,
            "ping": self._pong,
            "error": self._error,
            "goodbye": self._goodbye,
        }

    @property
    def can_resume(self) -> bool:
        """True if the session may continue on a new stream after its connection breaks."""
        return bool(self._secret) and not self.is_over

    def resumable_until(self, lost_at: float) -> float:
        """Return the deadline for continuing a session that lost its stream at `lost_at`.

        Times are seconds on the monotonic clock. The session may continue while its seats are kept, or while the last
        DecisionRequests is open.
        """
        return max(lost_at + self._resume_ms / 1000, self._open_until)

    def hello(self) -> seat_pb2.PlayRequest:
        """Return the first message of a stream. The first stream sends the token, later ones the session's secret."""
        own = self._bot.capabilities
        capabilities = seat_pb2.Capabilities(
            max_tables=own.max_tables,
            max_batch=own.max_batch,
            wants_events=own.wants_events,
            wants_forced=own.wants_forced,
            resume=True,
            features=(*own.knows, "ponder") if own.ponders else own.knows,
            min_decision_ms=own.min_decision_ms,
        )
        return seat_pb2.PlayRequest(
            hello=seat_pb2.Hello(
                token="" if self._secret else self._token,
                session_secret=self._secret,
                protocol_versions=PROTOCOL_VERSIONS,
                bot_name=self._bot.name or type(self._bot).__name__,
                bot_version=self._bot.version,
                capabilities=capabilities,
            )
        )

    def receive(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        """Answer one message. Ignores messages of an unknown kind (protocol.md, Versions and growth).

        Raises:
            RefusedError: the referee chose a version outside PROTOCOL_VERSIONS, or ended the session with an Error.
        """
        handler = self._handlers.get(response.WhichOneof("message") or "")
        return handler(response) if handler is not None else []

    def _welcome(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        version = response.welcome.protocol_version
        if version not in PROTOCOL_VERSIONS:
            raise RefusedError(f"the referee chose protocol {version}; this bot speaks {SPOKEN}")
        self.welcomes += 1
        self._secret = response.welcome.session_secret
        self._resume_ms = response.welcome.resume_ms
        if not response.welcome.awaits_ready:
            return []
        if not self._is_prepared:
            self._bot.prepare()
            self._is_prepared = True
        return [seat_pb2.PlayRequest(ready=seat_pb2.Ready())]

    def _open(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        if response.table_opened.table_id in self._tables:
            return []
        table = Table(decode.table_constants(response.table_opened))
        self._tables[table.id] = table
        self._bot.table_opened(table)
        return []

    def _decide(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        requests = response.decision_requests.requests
        self._open_until = time.monotonic() + response.decision_requests.remaining_ms / 1000
        replies = self._last_replies
        repeated = [replies[asked.table_id] for asked in requests if _is_answered(replies, asked)]
        decisions = [Decision(self._tables[asked.table_id], asked) for asked in requests if _is_new(replies, asked)]
        choices = self._bot.act_batch(decisions) if decisions else ()
        _check_count(choices, len(decisions))
        fresh = [_Reply.of(*pair, self._on_illegal) for pair in zip(decisions, choices, strict=True)]
        for decision, reply in zip(decisions, fresh, strict=True):
            replies[decision.table.id] = reply
        answers = [reply.answer for reply in repeated + fresh if reply.answer is not None]
        resignations = [reply for reply in repeated + fresh if reply.answer is None]
        sent = [seat_pb2.PlayRequest(decisions=seat_pb2.Decisions(decisions=answers))] if answers else []
        return sent + [seat_pb2.PlayRequest(resign=seat_pb2.Resign(table_id=reply.table_id)) for reply in resignations]

    def _hand_ended(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        hand = response.hand_ended
        table = self._tables.get(hand.table_id)
        if table is None or self._hands.get(table.id, -1) >= hand.hand_number:
            return []
        self._hands[table.id] = hand.hand_number
        ended = HAND_ENDINGS.word(hand.ended)
        shown = tuple(tuple(seat.cards) for seat in hand.shown)
        end = HandEnd(hand.hand_number, tuple(hand.scores), tuple(hand.games), ended, decode.events(hand), shown)
        self._bot.hand_ended(table, end)
        return []

    def _close(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        closed = response.table_closed
        table = self._tables.pop(closed.table_id, None)
        if table is None:
            return []
        self._hands.pop(table.id, None)
        self._last_replies.pop(table.id, None)
        faults = tuple(map(_fault, closed.faults))
        ended = GAME_ENDINGS.word(closed.ended)
        end = TableEnd(tuple(closed.ranks), tuple(closed.scores), tuple(closed.games), ended, faults)
        self._bot.table_closed(table, end)
        return []

    def _pong(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        return [seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=response.ping.ping_id))]

    def _error(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        error = response.error
        sentence = f"{error.message} ({error.hint})" if error.hint else error.message
        if error.fatal:
            retry_after_ms = error.retry_after_ms if error.retryable else None
            raise RefusedError(f"the referee ended the session: {sentence}", retry_after_ms)
        log(f"the referee says: {sentence}")
        return []

    def _goodbye(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        self.is_over = True
        return []


@dataclass(frozen=True, slots=True)
class _Reply:
    """The bot's reply to a decision. `answer` is None if the bot resigned."""

    table_id: str
    decision_id: int
    answer: seat_pb2.Decision | None

    @classmethod
    def of(cls, decision: Decision, choice: Choice, on_illegal: Callable[[str], None]) -> _Reply:
        answer = _answer(decision, choice, on_illegal) if choice is not RESIGN else None
        return cls(decision.table.id, decision.id, answer)


def _check_count(choices: Sequence[Choice], asked: int) -> None:
    """Raise TypeError if `choices` has no length, ValueError if its length is not `asked`."""
    try:
        given = len(choices)
    except TypeError:
        wanted = f"a list with one choice for each of its {asked} decisions"
        raise TypeError(f"act_batch() returned {choices!r}; it must return {wanted}") from None
    if given != asked:
        raise ValueError(f"act_batch() was asked {asked} decisions and returned {given} choices")


def _is_new(replies: Mapping[str, _Reply], asked: seat_pb2.DecisionRequest) -> bool:
    """Return True if the bot has not seen this decision yet."""
    last = replies.get(asked.table_id)
    return last is None or last.decision_id < asked.decision_id


def _is_answered(replies: Mapping[str, _Reply], asked: seat_pb2.DecisionRequest) -> bool:
    """Return True if the bot's last answer was to this decision, so that it was lost. Older ones are never open."""
    last = replies.get(asked.table_id)
    return last is not None and last.decision_id == asked.decision_id


def _answer(decision: Decision, choice: Choice, on_illegal: Callable[[str], None]) -> seat_pb2.Decision:
    """Return the answer to one decision. Report an illegal choice, but send it anyway: the referee decides.

    An index that does not fit in the message is sent as a missing choice.
    """
    note = noted(decision.figures, decision.note)
    answer = seat_pb2.Decision(table_id=decision.request.table_id, decision_id=decision.id, note=note)
    if isinstance(choice, (Action, str)):
        token = str(choice)
        tokens = [action.token for action in decision.request.legal_actions]
        if token in tokens:
            answer.action_index = tokens.index(token)
        else:
            answer.action = token
            on_illegal(f"act() chose {token!r}, which is not legal: {decision!r}")
        return answer
    number = _number(choice)
    if number is None:
        wanted = "a legal action, its index or its token"
        raise TypeError(f"act() returned {choice!r} for {decision!r}; it must return {wanted}")
    if number not in range(decision.choices):
        on_illegal(f"act() chose the index {number}, but there are {decision.choices} actions: {decision!r}")
    if number in _UINT32:
        answer.action_index = number
    return answer


def _number(choice: Choice) -> int | None:
    """Return the index of `choice`, or None if it has none. A bool is not an index, though Python accepts it as one."""
    if isinstance(choice, bool):
        return None
    try:
        return index(choice)  # type: ignore[arg-type]  # raises TypeError for anything but an index
    except TypeError:
        return None


def _fault(message: table_pb2.Fault) -> Fault:
    return Fault(message.seat, FAULT_KINDS.word(message.kind), message.detail)
