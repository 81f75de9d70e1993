"""Asks a model for one decision: at most two questions within the time, and a record of both."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from bowerbird.bots.llm.answers import Answer, AnswerError, read_answer
from bowerbird.bots.llm.budget import Budget, Spent
from bowerbird.bots.llm.endpoint import MOST_SHOWN, Asker, EndpointError
from bowerbird.bots.llm.masking import one_line
from bowerbird.bots.llm.reply import Reply
from bowerbird.bots.llm.request import Question, again, first_question

ATTEMPTS = 2
"""The maximum number of questions about one decision."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and its answer. `reading` describes how the answer was read, and `ms` is the time that it took.

    `is_bad`: whether the answer could not be played.
    """

    question: str
    answer: str
    reading: str
    ms: int
    is_bad: bool = False


@dataclass(slots=True)
class Outcome:
    """The course of a decision.

    index: the index that the model chose, or None.
    failures: the failures in order, each with what was received.
    retried: the reason for the last repetition of a question, or "".
    is_over_budget: whether a question was not asked because the budget is spent.
    """

    index: int | None = None
    thoughts: str = ""
    failures: list[str] = field(default_factory=list)
    retried: str = ""
    is_over_budget: bool = False
    spent: Spent = field(default_factory=Spent)
    exchanges: list[Exchange] = field(default_factory=list)


async def consult(asker: Asker, budget: Budget, question: Question, seconds: float) -> Outcome:
    """Ask the model for one of the legal actions, at most twice and for at most `seconds`."""
    outcome = Outcome()
    if seconds <= 0:
        outcome.failures.append("late")
        return outcome
    ends = time.monotonic() + seconds
    try:
        async with asyncio.timeout(seconds):
            await _ask(asker, budget, question, ends, outcome)
    except TimeoutError:
        outcome.failures.append(f"late, after {outcome.retried}" if outcome.retried else "late")
    except EndpointError as error:
        outcome.failures.append(str(error))
    return outcome


async def _ask(asker: Asker, budget: Budget, question: Question, ends: float, outcome: Outcome) -> None:
    def retry(why: str) -> None:
        outcome.retried = why

    tokens = question.tokens
    messages = first_question(question)
    for _ in range(ATTEMPTS):
        if over := budget.over:
            outcome.failures.append(over)
            outcome.is_over_budget = True
            return
        began = time.monotonic()
        reply = await asker.ask(messages, len(tokens), ends, retry)
        for spent in (outcome.spent, budget.spent):
            spent.add(messages, reply)
        asked = messages[-1]["content"]
        ms = round(1000 * (time.monotonic() - began))
        try:
            answer = _read(reply, tokens)
        except AnswerError as error:
            said = one_line(asker.mask(reply.text or reply.refusal), MOST_SHOWN)
            outcome.failures.append(f"{error.kind}: {said or '(an empty answer)'}")
            outcome.exchanges.append(Exchange(asked, reply.text or reply.refusal, f"{error.kind}: {error}", ms, True))
            messages = again(messages, reply.text or reply.refusal, error.told)
        else:
            reading = f"{answer.index + 1}. {tokens[answer.index]}"
            outcome.exchanges.append(Exchange(asked, reply.text, reading, ms))
            outcome.index, outcome.thoughts = answer.index, answer.thoughts
            return


class RefusedError(AnswerError):
    """The model refuses to answer."""

    kind = "refused"


def _read(reply: Reply, tokens: Sequence[str]) -> Answer:
    if reply.refusal and not reply.text:
        raise RefusedError(
            "This is a game of cards without stakes, and nobody is harmed by any action. "
            f"Choose a number from 1 to {len(tokens)} from the list of legal actions."
        )
    return read_answer(reply.text, tokens, is_cut=reply.is_cut)
