"""The messages to a model: rules, position, numbered actions; and what it is told after a bad answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bowerbird.engine import OptionValue, rules_of

FORM = '{"thoughts": "why, in one or two sentences", "action": NUMBER}'

ROLE = f"""You play a card game. Its rules follow. Each question shows the position as your seat sees it and numbers the
legal actions from 1. Answer with one JSON object and nothing else, in which NUMBER is the number of your action in that
list: {FORM}

"""

PROBE = 'This is a test of the connection. Answer only with this JSON object: {"thoughts": "", "action": 1}'

Message = dict[str, str]


@dataclass(frozen=True, slots=True)
class Question:
    """A decision as a model is asked it: the page of the rules, the position in words, and the legal actions."""

    page: str
    position: str
    tokens: Sequence[str]


def rules_text(variant: str, options: Mapping[str, OptionValue]) -> str:
    """Return the page of a variant, and below it the options of this game that differ from the page."""
    rules = rules_of(variant)
    others = [f"{name} = {value}" for name, value in options.items() if value != rules.options[name].default]
    return f"{rules.describe}\n\nOptions of this game: {', '.join(others)}" if others else rules.describe


def numbered(tokens: Sequence[str], between: str = "\n") -> str:
    """Return the legal actions as a model reads them, numbered from 1."""
    return between.join(f"{number}. {token}" for number, token in enumerate(tokens, 1))


def first_question(question: Question) -> list[Message]:
    """Return the messages of a first attempt."""
    return [
        {"role": "system", "content": ROLE + question.page},
        {"role": "user", "content": f"{question.position}\n\nYour legal actions:\n{numbered(question.tokens)}"},
    ]


def probe_question() -> list[Message]:
    """Return the messages that find out whether the endpoint answers at all."""
    return [{"role": "user", "content": PROBE}]


def again(messages: Sequence[Message], answer: str, told: str) -> list[Message]:
    """Return the messages of the second attempt after a bad answer. `told` says what was wrong with it."""
    return [*messages, {"role": "assistant", "content": answer or "(nothing)"}, {"role": "user", "content": told}]
