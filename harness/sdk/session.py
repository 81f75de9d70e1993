"""A bot's side of the conversation, without any transport: each message of the referee -> what the bot says to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING

from engine import Action
from harness.sdk.bot import RESIGN, Bot
from harness.sdk.decision import Decision, Fault, HandEnd, Table, TableEnd
from harness.sdk.protocols import PROTOCOLS, SPOKEN
from harness.sdk.telling import tell
from harness.v1 import seat_pb2, table_pb2
from harness.wire import decode
from harness.wire.vocabulary import FAULTS

if TYPE_CHECKING:
    from harness.sdk.bot import Choice

_SENDABLE = range(1 << 32)
"""What an action_index has room for."""


class RefusedError(Exception):
    """The referee and the bot do not come together; one sentence for people."""


class Session:
    """One bot process at its referee, over one stream or, if it is taken up again, over several.

    `hear` takes one message and returns the answers to send, in order. `over` is true after a Goodbye. An exception
    of the bot comes through as it is. What the referee says again after a broken connection reaches the bot once.
    """

    def __init__(self, bot: Bot, token: str = "") -> None:
        """The bot and the secret that it was started with."""
        self.over = False
        self._bot = bot
        self._token = token
        self._secret = ""
        self._keep_ms = 0
        self._deadline_ms = 0
        self.welcomes = 0
        """How many streams the referee has welcomed."""
        self._tables: dict[str, Table] = {}
        self._hands: dict[str, int] = {}
        self._last: dict[str, _Said] = {}
        self._answers: dict[str, Callable[[seat_pb2.PlayResponse], list[seat_pb2.PlayRequest]]] = {
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
        """Whether the referee lets this session be taken up again when its connection broke."""
        return bool(self._secret) and not self.over

    @property
    def patience_s(self) -> float:
        """For how long it may be taken up again: the seats are kept, or the last message that asked is still open."""
        return max(self._keep_ms, self._deadline_ms) / 1000

    def hello(self) -> seat_pb2.PlayRequest:
        """The first message of a stream: of the first one with the token, later with the secret of the session."""
        able = self._bot.capabilities
        capabilities = seat_pb2.Capabilities(
            max_tables=able.max_tables,
            max_batch=able.max_batch,
            wants_events=able.wants_events,
            wants_forced=able.wants_forced,
            resume=True,
        )
        return seat_pb2.PlayRequest(
            hello=seat_pb2.Hello(
                token="" if self._secret else self._token,
                session_secret=self._secret,
                protocol_versions=PROTOCOLS,
                bot_name=self._bot.name or type(self._bot).__name__,
                bot_version=self._bot.version,
                capabilities=capabilities,
            )
        )

    def hear(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        """Answer one message. One of a kind that is not known is ignored (PROTOCOL.md rule 9).

        Raises:
            RefusedError: the referee chose a version that is not spoken here, or ended the session with an Error.
        """
        answer = self._answers.get(response.WhichOneof("message") or "")
        return answer(response) if answer is not None else []

    def _welcome(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        version = response.welcome.protocol_version
        if version not in PROTOCOLS:
            raise RefusedError(f"the referee chose protocol {version}; this bot speaks {SPOKEN}")
        self.welcomes += 1
        if self.welcomes > 1:
            return []
        self._secret = response.welcome.session_secret
        self._keep_ms = response.welcome.resume_ms
        self._bot.prepare()
        return [seat_pb2.PlayRequest(ready=seat_pb2.Ready())]

    def _open(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        if response.table_opened.table_id in self._tables:
            return []
        table = Table(decode.table(response.table_opened))
        self._tables[table.id] = table
        self._bot.table_opened(table)
        return []

    def _decide(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        requests = response.decision_requests.requests
        self._deadline_ms = response.decision_requests.deadline_ms
        last = self._last
        again = [last[asked.table_id] for asked in requests if _is_answered(last, asked)]
        decisions = [Decision(self._tables[asked.table_id], asked) for asked in requests if _is_new(last, asked)]
        choices = self._bot.act_batch(decisions) if decisions else ()
        _check_count(choices, len(decisions))
        fresh = [_Said.of(*pair) for pair in zip(decisions, choices, strict=True)]
        for decision, said in zip(decisions, fresh, strict=True):
            last[decision.table.id] = said
        answers = [said.answer for said in again + fresh if said.answer is not None]
        resignations = [said for said in again + fresh if said.answer is None]
        told = [seat_pb2.PlayRequest(decisions=seat_pb2.Decisions(decisions=answers))] if answers else []
        return told + [seat_pb2.PlayRequest(resign=seat_pb2.Resign(table_id=said.table_id)) for said in resignations]

    def _hand_ended(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        hand = response.hand_ended
        table = self._tables.get(hand.table_id)
        if table is None or self._hands.get(table.id, -1) >= hand.hand_number:
            return []
        self._hands[table.id] = hand.hand_number
        end = HandEnd(hand.hand_number, tuple(hand.scores), tuple(hand.games), hand.ended, decode.events(hand))
        self._bot.hand_ended(table, end)
        return []

    def _close(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        closed = response.table_closed
        table = self._tables.pop(closed.table_id, None)
        if table is None:
            return []
        self._hands.pop(table.id, None)
        self._last.pop(table.id, None)
        faults = tuple(map(_fault, closed.faults))
        end = TableEnd(tuple(closed.ranks), tuple(closed.scores), tuple(closed.games), closed.ended, faults)
        self._bot.table_closed(table, end)
        return []

    def _pong(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        return [seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=response.ping.ping_id))]

    def _error(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        error = response.error
        sentence = f"{error.message} ({error.hint})" if error.hint else error.message
        if error.fatal:
            raise RefusedError(f"the referee ended the session: {sentence}")
        tell(f"the referee says: {sentence}")
        return []

    def _goodbye(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        self.over = True
        return []


@dataclass(frozen=True, slots=True)
class _Said:
    """What was said to a decision: an answer, or None where the bot resigned."""

    table_id: str
    decision_id: int
    answer: seat_pb2.Decision | None

    @classmethod
    def of(cls, decision: Decision, choice: Choice) -> _Said:
        answer = _answer(decision, choice) if choice is not RESIGN else None
        return cls(decision.table.id, decision.id, answer)


def _check_count(choices: Sequence[Choice], asked: int) -> None:
    """Raise TypeError for what cannot be counted, ValueError for another number than was asked."""
    try:
        given = len(choices)
    except TypeError:
        wanted = f"a list with one choice for each of its {asked} decisions"
        raise TypeError(f"act_batch() returned {choices!r}; it must return {wanted}") from None
    if given != asked:
        raise ValueError(f"act_batch() was asked {asked} decisions and returned {given} choices")


def _is_new(last: Mapping[str, _Said], asked: seat_pb2.DecisionRequest) -> bool:
    """Whether a decision was never asked before."""
    said = last.get(asked.table_id)
    return said is None or said.decision_id < asked.decision_id


def _is_answered(last: Mapping[str, _Said], asked: seat_pb2.DecisionRequest) -> bool:
    """Whether a decision was answered, and the referee does not know it. Of what is older still nothing is open."""
    said = last.get(asked.table_id)
    return said is not None and said.decision_id == asked.decision_id


def _answer(decision: Decision, choice: Choice) -> seat_pb2.Decision:
    """The answer to one decision. What is not legal is sent as well as it can be: the referee judges, stderr tells."""
    answer = seat_pb2.Decision(table_id=decision.request.table_id, decision_id=decision.id, note=decision.note)
    if isinstance(choice, (Action, str)):
        token = str(choice)
        tokens = [action.token for action in decision.request.legal_actions]
        answer.action = token
        if token in tokens:
            answer.action_index = tokens.index(token)
        else:
            tell(f"act() chose {token!r}, which is not legal: {decision!r}")
        return answer
    number = _number(choice)
    if number is None:
        wanted = "a legal action, its index or its token"
        raise TypeError(f"act() returned {choice!r} for {decision!r}; it must return {wanted}")
    if number not in range(decision.choices):
        tell(f"act() chose the index {number}, but there are {decision.choices} actions: {decision!r}")
    if number in _SENDABLE:
        answer.action_index = number
    return answer


def _number(choice: Choice) -> int | None:
    """The index that a choice is; None for what is none, and for a yes or no, which nobody means as one."""
    if isinstance(choice, bool):
        return None
    try:
        return index(choice)  # type: ignore[arg-type]  # what is no index raises here
    except TypeError:
        return None


def _fault(message: table_pb2.Fault) -> Fault:
    return Fault(message.seat, FAULTS.word(message.kind), message.detail)
