"""The reports about a decision: its figures, a note for the replay, and the transcript for the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bowerbird.bots.llm.budget import Prices
from bowerbird.bots.llm.consulting import Exchange, Outcome
from bowerbird.bots.llm.masking import Mask, one_line
from bowerbird.bots.llm.request import numbered

NOTE_CHARACTERS = 250
"""The maximum lengths of a note's parts: the model's thoughts, the question, the answer, the failures."""


def figures_of(outcome: Outcome, prices: Prices) -> dict[str, float]:
    """Return the figures of a decision."""
    spent = outcome.spent
    found: dict[str, float] = {
        "questions": spent.questions,
        "question_tokens": spent.question_tokens,
        "answer_tokens": spent.answer_tokens,
    }
    if prices != Prices():
        found["cost"] = round(prices.cost(spent.question_tokens, spent.answer_tokens), 9)
    if spent.is_estimated:
        found["estimated"] = 1
    if outcome.index is None:
        found["fallback"] = 1
    if outcome.is_over_budget:
        found["over_budget"] = 1
    return found


@dataclass(frozen=True, slots=True)
class Course:
    """How a decision went, besides its outcome: the model, the legal actions, its time in ms, the declared fallback."""

    model: str
    tokens: Sequence[str]
    ms: int
    fallback: str


def note_of(outcome: Outcome, course: Course, mask: Mask) -> str:
    """Return the note of a decision: the action and the thoughts, then the question, the answer and the failures."""
    return "; ".join(mask(part) for part in _parts(outcome, course, mask))


def _parts(outcome: Outcome, course: Course, mask: Mask) -> Iterator[str]:
    model = one_line(course.model, 60)
    if outcome.index is None:
        yield f"fallback {course.fallback}, no answer of {model} after {course.ms} ms"
    else:
        yield f"{outcome.index + 1}. {course.tokens[outcome.index]}, {model} after {course.ms} ms"
    if outcome.thoughts:
        yield f"thoughts: {_short(outcome.thoughts, mask)}"
    if outcome.failures:
        yield f"failures: {_short(', '.join(outcome.failures), mask)}"
    if outcome.exchanges:
        yield f"asked: {_short(numbered(course.tokens, ' | '), mask)}"
        yield f"answered: {_short(outcome.exchanges[-1].answer, mask)}"


def _short(text: str, mask: Mask) -> str:
    return one_line(mask(text), NOTE_CHARACTERS)


def transcript_of(exchanges: Sequence[Exchange], mask: Mask) -> Iterator[str]:
    """Yield the lines of a decision's questions, answers and readings for a log."""
    for exchange in exchanges:
        yield "question:"
        yield from _lines(exchange.question, mask)
        yield f"answer, after {exchange.ms} ms:"
        yield from _lines(exchange.answer, mask)
        yield f"reading: {one_line(mask(exchange.reading), 500)}"


def _lines(text: str, mask: Mask) -> Iterator[str]:
    """Yield foreign text, each line printable and indented."""
    for line in printable(mask(text)).split("\n"):
        yield f"  | {line}"


def printable(text: str) -> str:
    """Return foreign text in which only line feeds move the cursor."""
    return "\n".join(
        "".join(sign if sign.isprintable() else "\ufffd" for sign in line) for line in text.splitlines() or [""]
    )
