"""The costs of questions, and their limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bowerbird.bots.llm.reply import Reply
from bowerbird.bots.llm.request import Message

LETTERS_OF_A_TOKEN = 4
"""The assumed number of letters per token, for an endpoint that does not count tokens."""


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a million tokens of questions and of answers, in any currency."""

    question: float = 0.0
    answer: float = 0.0

    def cost(self, question_tokens: int, answer_tokens: int) -> float:
        """Return the cost of these tokens."""
        return (question_tokens * self.question + answer_tokens * self.answer) / 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The maximum number of tokens and amount of money that a process of the bot spends; None for no limit."""

    tokens: int | None = None
    cost: float | None = None


@dataclass(slots=True)
class Spent:
    """The number of questions and of their tokens. `is_estimated`: whether the endpoint did not count some."""

    questions: int = 0
    question_tokens: int = 0
    answer_tokens: int = 0
    is_estimated: bool = False

    def add(self, messages: Sequence[Message], reply: Reply) -> None:
        """Add a question and its answer."""
        self.questions += 1
        asked, answered = reply.question_tokens, reply.answer_tokens
        self.is_estimated |= asked is None or answered is None
        self.question_tokens += _tokens("".join(one["content"] for one in messages)) if asked is None else asked
        self.answer_tokens += _tokens(reply.text + reply.refusal) if answered is None else answered


@dataclass(slots=True)
class Budget:
    """The total costs of a process of the bot, and its limits."""

    prices: Prices = Prices()
    limits: Limits = Limits()
    spent: Spent = field(default_factory=Spent)

    @property
    def over(self) -> str:
        """A sentence about the limit that has been reached, or "". The last question may have exceeded it."""
        tokens = self.spent.question_tokens + self.spent.answer_tokens
        if self.limits.tokens is not None and tokens >= self.limits.tokens:
            return f"the budget of {self.limits.tokens} tokens is spent"
        cost = self.prices.cost(self.spent.question_tokens, self.spent.answer_tokens)
        if self.limits.cost is not None and cost >= self.limits.cost:
            return f"the budget of {self.limits.cost:g} is spent"
        return ""


def _tokens(text: str) -> int:
    return -(-len(text) // LETTERS_OF_A_TOKEN)
