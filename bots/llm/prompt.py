"""The messages to a model: rules, position, numbered actions; and what it is told after a bad answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bowerbird.engine import OptionValue, rules_of

FORM = '{"thoughts": "why, in one or two sentences", "action": NUMBER}'

ROLE = f"""You play a card game. Its rules follow. Each question shows the position as your seat sees it and numbers the
legal actions. Answer with one JSON object and nothing else, without a code fence: {FORM}

"""

Message = dict[str, str]


def rules_text(variant: str, options: Mapping[str, OptionValue]) -> str:
    """Return the page of a variant, and below it the options of this game that differ from the page."""
    rules = rules_of(variant)
    others = [f"{name} = {value}" for name, value in options.items() if value != rules.options[name].default]
    return f"{rules.describe}\n\nOptions of this game: {', '.join(others)}" if others else rules.describe


def first_question(page: str, position: str, tokens: Sequence[str]) -> list[Message]:
    """Return the messages of a first attempt."""
    actions = "\n".join(f"{number}. {token}" for number, token in enumerate(tokens, 1))
    return [
        {"role": "system", "content": ROLE + page},
        {"role": "user", "content": f"{position}\n\nYour legal actions:\n{actions}"},
    ]


def after_unparsable(messages: Sequence[Message], answer: str) -> list[Message]:
    """Return the messages of the second attempt after an answer that is not the JSON that was asked for."""
    return _again(messages, answer, f"That is not the JSON object that was asked for. Answer only in this form: {FORM}")


def after_illegal(messages: Sequence[Message], answer: str, choices: int) -> list[Message]:
    """Return the messages of the second attempt after an answer with a number that is not in the list."""
    return _again(messages, answer, f"That action is not legal. Choose a number from 1 to {choices} of the list.")


def _again(messages: Sequence[Message], answer: str, request: str) -> list[Message]:
    return [*messages, {"role": "assistant", "content": answer}, {"role": "user", "content": request}]
