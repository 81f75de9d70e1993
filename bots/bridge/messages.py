"""The messages of a bridge (bridges.md), and the answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from bowerbird.engine import Event
from bowerbird.sdk import BotFailedError, Decision, Fault, HandEnd, Table, TableEnd


class LateError(Exception):
    """The other side has not answered in time. The referee's clock determines the consequence."""


class EndedError(Exception):
    """The program has ended unexpectedly.

    `status` is its exit status, or minus the number of the signal that killed it.

    The text is a sentence for people.
    """

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


PROTOCOL = "bowerbird-bridge/1"

MAX_ANSWER_BYTES = 65536
"""The maximum length of an answer in bytes."""

MAX_TOKEN = 100
"""How many characters of a token reach the referee. Legal tokens are shorter."""

MAX_NOTE_BYTES = 1024
"""The maximum length of a note. The referee cuts off longer ones (protocol.md, Limits)."""

QUOTED = 80
"""How many characters of a wrong answer a sentence quotes."""


def hello() -> dict[str, object]:
    """Return the first message. The other side loads everything it needs and answers that it is ready."""
    return {"type": "hello", "protocol": PROTOCOL}


def table_opened(table: Table) -> dict[str, object]:
    """Return the constants of a game."""
    return {
        "type": "table_opened",
        "table": table.id,
        "variant": table.variant,
        "options": plain(table.options),
        "seat": table.seat,
        "players": table.players,
        "sides": list(table.sides),
        "pack": list(table.pack),
        "copies": table.copies,
        "hand_size": table.hand_size,
        "tricks": table.tricks,
        "score_order": table.score_order,
        "per_decision_ms": table.per_decision_ms,
        "bank_ms": table.bank_ms,
        "increment_ms": table.increment_ms,
        "game_ms": table.game_ms,
        "on_fault": table.on_fault,
        "names": list(table.names),
        "seed": table.constants.seed.hex(),
    }


def decision(asked: Decision) -> dict[str, object]:
    """Return a question. It has everything that a bot needs, so the other side may forget everything in between."""
    return {
        "type": "decision",
        "table": asked.table.id,
        "id": asked.id,
        "legal": list(map(str, asked.legal)),
        "budget_ms": asked.budget_ms,
        "bank_ms": asked.bank_ms,
        "remaining_ms": asked.remaining_ms,
        "charged_ms": asked.charged_ms,
        "events": list(map(_event, asked.events)),
        "view": plain(asked.view),
    }


def hand_ended(table: Table, end: HandEnd) -> dict[str, object]:
    """Return the end of a hand."""
    return {
        "type": "hand_ended",
        "table": table.id,
        "hand_number": end.hand_number,
        "scores": list(end.scores),
        "games": list(end.games),
        "ended": end.ended,
        "events": list(map(_event, end.events)),
        "shown": list(map(list, end.shown)),
    }


def table_closed(table: Table, end: TableEnd) -> dict[str, object]:
    """Return the end of a game."""
    return {
        "type": "table_closed",
        "table": table.id,
        "ranks": list(end.ranks),
        "scores": list(end.scores),
        "games": list(end.games),
        "ended": end.ended,
        "faults": list(map(_fault, end.faults)),
    }


def _event(event: Event) -> dict[str, object]:
    return {"seat": event.seat, "action": str(event.action)}


def _fault(fault: Fault) -> dict[str, object]:
    return {"seat": fault.seat, "kind": fault.kind, "detail": fault.detail}


def encoded(message: Mapping[str, object]) -> bytes:
    """Return a message as one line of ASCII without its end."""
    return json.dumps(message, separators=(",", ":")).encode("ascii")


def plain(value: object) -> object:
    """Return a view or a part of it as JSON types, as `bowerbird ask --json` prints it (json.md)."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return str(value)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a decision. `action` is the chosen token, or None to resign."""

    action: str | None
    note: str


def check_ready(data: bytes, who: str) -> None:
    """Raise BotFailedError unless `data` answers `hello`. `who` names the other side in the sentence."""
    answer = _object(data, who)
    if answer.get("ready") is not True:
        raise BotFailedError(f'{who} answered hello with {_quoted(data)} instead of {{"ready": true}}')


def parse_answer(data: bytes, number: int, who: str) -> Answer:
    """Return the answer to the decision `number`, legal or not. Raises BotFailedError if it is not an answer."""
    answer = _object(data, who)
    found = answer.get("id")
    if isinstance(found, bool) or found != number:
        raise BotFailedError(f"{who} was asked decision {number} and answered {_quoted(data)}, whose id is another")
    note = answer.get("note", "")
    if not isinstance(note, str):
        raise BotFailedError(f"{who} answered decision {number} with a note that is not a text: {_quoted(data)}")
    if answer.get("resign") is True:
        return Answer(None, _cut(note))
    action = answer.get("action")
    if not isinstance(action, str):
        raise BotFailedError(f"{who} answered decision {number} without the token of an action: {_quoted(data)}")
    return Answer(_encodable(action)[:MAX_TOKEN], _cut(note))


def _object(data: bytes, who: str) -> Mapping[str, object]:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        raise BotFailedError(f"{who} answered {_quoted(data)}, which is not JSON") from None
    if not isinstance(answer, dict):
        raise BotFailedError(f"{who} answered {_quoted(data)}, which is not a JSON object")
    return answer


def _quoted(data: bytes) -> str:
    """Return the beginning of an answer in quotes, with everything unusual escaped."""
    text = data[: QUOTED * 4].decode("utf-8", "replace")
    return ascii(text if len(text) <= QUOTED else f"{text[:QUOTED]}...")


def _encodable(text: str) -> str:
    """Replace halves of surrogate pairs, which JSON can write and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _cut(note: str) -> str:
    return note.encode("utf-8", "replace")[:MAX_NOTE_BYTES].decode("utf-8", "ignore")
