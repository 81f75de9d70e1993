"""A bot's side of the conversation, without any transport: each message of the referee -> what the bot says to it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from operator import index
from typing import TYPE_CHECKING

from engine import Action
from harness.sdk.bot import RESIGN, Bot
from harness.sdk.client import PROTOCOLS
from harness.sdk.decision import Decision, Fault, HandEnd, Table, TableEnd
from harness.v1 import seat_pb2, table_pb2
from harness.wire import decode
from harness.wire.vocabulary import FAULTS

if TYPE_CHECKING:
    from harness.sdk.bot import Choice

_SENDABLE = range(1 << 32)
"""What an action_index has room for."""


class RefusedError(Exception):
    """The referee and the bot do not come together; one sentence for people."""


def _log(line: str) -> None:
    sys.stderr.write(f"{line}\n")


class Session:
    """One bot process at its referee.

    `hear` takes one message and returns the answers to send, in order. `over` is true after a Goodbye. An exception
    of the bot comes through as it is.
    """

    def __init__(self, bot: Bot, token: str = "") -> None:
        """The bot and the secret that it was started with."""
        self.over = False
        self._bot = bot
        self._token = token
        self._tables: dict[str, Table] = {}
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

    def hello(self) -> seat_pb2.PlayRequest:
        """The first message."""
        able = self._bot.capabilities
        capabilities = seat_pb2.Capabilities(
            max_tables=able.max_tables,
            max_batch=able.max_batch,
            wants_events=able.wants_events,
            wants_forced=able.wants_forced,
        )
        return seat_pb2.PlayRequest(
            hello=seat_pb2.Hello(
                token=self._token,
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
            raise RefusedError(
                f"the referee chose protocol {version}; this bot speaks {', '.join(map(str, PROTOCOLS))}"
            )
        self._bot.prepare()
        return [seat_pb2.PlayRequest(ready=seat_pb2.Ready())]

    def _open(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        table = Table(decode.table(response.table_opened))
        self._tables[table.id] = table
        self._bot.table_opened(table)
        return []

    def _decide(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        requests = response.decision_requests.requests
        decisions = [Decision(self._tables[request.table_id], request) for request in requests]
        choices = self._bot.act_batch(decisions)
        if len(choices) != len(decisions):
            raise ValueError(f"act_batch() was asked {len(decisions)} decisions and returned {len(choices)} choices")
        answers = [_answer(*pair) for pair in zip(decisions, choices, strict=True) if pair[1] is not RESIGN]
        said = [seat_pb2.PlayRequest(decisions=seat_pb2.Decisions(decisions=answers))] if answers else []
        return said + _resignations(decisions, choices)

    def _hand_ended(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        hand = response.hand_ended
        end = HandEnd(hand.hand_number, tuple(hand.scores), tuple(hand.games), hand.ended, decode.events(hand))
        self._bot.hand_ended(self._tables[hand.table_id], end)
        return []

    def _close(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        closed = response.table_closed
        faults = tuple(map(_fault, closed.faults))
        end = TableEnd(tuple(closed.ranks), tuple(closed.scores), tuple(closed.games), closed.ended, faults)
        self._bot.table_closed(self._tables.pop(closed.table_id), end)
        return []

    def _pong(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        return [seat_pb2.PlayRequest(pong=seat_pb2.Pong(ping_id=response.ping.ping_id))]

    def _error(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        error = response.error
        sentence = f"{error.message} ({error.hint})" if error.hint else error.message
        if error.fatal:
            raise RefusedError(f"the referee ended the session: {sentence}")
        _log(f"the referee says: {sentence}")
        return []

    def _goodbye(self, response: seat_pb2.PlayResponse) -> list[seat_pb2.PlayRequest]:
        self.over = True
        return []


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
            _log(f"act() chose {token!r}, which is not legal: {decision!r}")
        return answer
    try:
        number = index(choice)  # type: ignore[arg-type]  # what is no index raises here
    except TypeError:
        wanted = "a legal action, its index or its token"
        raise TypeError(f"act() returned {choice!r} for {decision!r}; it must return {wanted}") from None
    if number not in range(decision.choices):
        _log(f"act() chose the index {number}, but there are {decision.choices} actions: {decision!r}")
    if number in _SENDABLE:
        answer.action_index = number
    return answer


def _resignations(decisions: Sequence[Decision], choices: Sequence[Choice]) -> list[seat_pb2.PlayRequest]:
    return [
        seat_pb2.PlayRequest(resign=seat_pb2.Resign(table_id=decision.table.id))
        for decision, choice in zip(decisions, choices, strict=True)
        if choice is RESIGN
    ]


def _fault(message: table_pb2.Fault) -> Fault:
    return Fault(message.seat, FAULTS.word(message.kind), message.detail)
