"""The player: asks the model at most twice for a decision, then takes the declared fallback, and counts it."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from bowerbird.bots.llm.answers import IllegalError, UnparsableError, read_answer
from bowerbird.bots.llm.endpoint import Endpoint, EndpointError
from bowerbird.bots.llm.prompt import after_illegal, after_unparsable, first_question, rules_text
from bowerbird.sdk import RESIGN, Bot, Capabilities, Choice, Decision

RESERVE_S = 0.5
"""The time that is kept back from the clock, to send the answer."""

NOTE_BYTES = 1024
"""The length of a note, in bytes (Limits.max_note_bytes). The thoughts are cut so that all of it fits."""


@dataclass(frozen=True, slots=True)
class Prices:
    """The price of a million tokens of questions and of answers, in any one currency."""

    question: float = 0.0
    answer: float = 0.0


@dataclass(slots=True)
class Outcome:
    """The course of a decision: the index that the model chose, or None, and what goes into the note.

    `retried` is the reason of the last repetition in the transport, "" without any.
    """

    index: int | None = None
    thoughts: str = ""
    failures: list[str] = field(default_factory=list)
    retried: str = ""
    prompt_tokens: int = 0
    answer_tokens: int = 0


async def consult(endpoint: Endpoint, page: str, position: str, tokens: Sequence[str], seconds: float) -> Outcome:
    """Ask the model for one of `tokens`, at most twice and for at most `seconds`."""
    outcome = Outcome()
    try:
        async with asyncio.timeout(seconds):
            await _ask_twice(endpoint, page, position, tokens, outcome)
    except TimeoutError:
        outcome.failures.append(f"late, after {outcome.retried}" if outcome.retried else "late")
    except EndpointError as error:
        outcome.failures.append(str(error))
    return outcome


async def _ask_twice(endpoint: Endpoint, page: str, position: str, tokens: Sequence[str], outcome: Outcome) -> None:
    messages = first_question(page, position, tokens)

    def retry(why: str) -> None:
        outcome.retried = why

    for _ in range(2):
        reply = await endpoint.ask(messages, retry)
        outcome.prompt_tokens += reply.prompt_tokens
        outcome.answer_tokens += reply.answer_tokens
        try:
            answer = read_answer(reply.text, len(tokens))
        except UnparsableError:
            outcome.failures.append("unparsable")
            messages = after_unparsable(messages, reply.text)
        except IllegalError:
            outcome.failures.append("illegal")
            messages = after_illegal(messages, reply.text, len(tokens))
        else:
            outcome.index, outcome.thoughts = answer.index, answer.thoughts
            return


class LlmBot(Bot):
    """A chat model at one table at a time. See `bowerbird.bots.llm`."""

    name = "llm"
    version = "1.0"
    capabilities = Capabilities(max_tables=1, max_batch=1)

    def __init__(self, endpoint: Endpoint, fallback: str = "resign", prices: Prices | None = None) -> None:
        self._endpoint = endpoint
        self._fallback = fallback
        self._prices = prices or Prices()
        self.fallbacks = 0
        """How often no answer came that could be played."""

    def act(self, decision: Decision) -> Choice:
        """Return the model's action, or the fallback. The note says how it came about."""
        began = time.monotonic()
        page = rules_text(decision.table.variant, decision.table.options)
        tokens = [str(action) for action in decision.legal]
        seconds = max(decision.remaining_ms / 1000 - RESERVE_S, 0)
        outcome = asyncio.run(consult(self._endpoint, page, str(decision), tokens, seconds))
        self.fallbacks += outcome.index is None
        decision.note = self._note(outcome, round(1000 * (time.monotonic() - began)))
        if outcome.index is not None:
            return outcome.index
        print(f"no answer of the model could be played ({'; '.join(outcome.failures)})", file=sys.stderr, flush=True)
        if self._fallback == "resign":
            return RESIGN
        return 0 if self._fallback == "first" else decision.table.rng.randrange(len(tokens))

    def _note(self, outcome: Outcome, ms: int) -> str:
        """Return one line of JSON, the thoughts first. The key is not in it, even if the model repeats it."""
        cost = outcome.prompt_tokens * self._prices.question + outcome.answer_tokens * self._prices.answer
        thoughts = outcome.thoughts
        if self._endpoint.key:
            thoughts = thoughts.replace(self._endpoint.key, "[key]")
        facts: dict[str, object] = {
            "model": self._endpoint.model,
            "ms": ms,
            "prompt_tokens": outcome.prompt_tokens,
            "answer_tokens": outcome.answer_tokens,
            "cost": round(cost / 1_000_000, 6),
            "fallbacks": self.fallbacks,
        }
        if outcome.failures:
            facts["failures"] = outcome.failures
        if outcome.index is None:
            facts["fallback"] = self._fallback
        room = NOTE_BYTES - len(_encoded({"thoughts": "", **facts}))
        return _encoded({"thoughts": _fitting(thoughts, room), **facts}).decode()


def _encoded(value: object) -> bytes:
    """Return JSON in which a half of a surrogate pair is replaced."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _fitting(text: str, room: int) -> str:
    """Return the beginning of a text that takes at most `room` bytes within a string of JSON."""
    text = text[: max(room, 0)]
    while text and len(_encoded(text)) - 2 > room:
        text = text[:-1]
    return text
