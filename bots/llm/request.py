"""A question to a model: the messages (rules, position, numbered actions), and its body for the endpoint."""

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
    """A decision in the form for a model: the page of rules, the position in words, and the legal actions."""

    page: str
    position: str
    tokens: Sequence[str]


def rules_text(variant: str, options: Mapping[str, OptionValue]) -> str:
    """Return the page of a variant, followed by the options of this game that differ from the page."""
    rules = rules_of(variant)
    others = [f"{name} = {value}" for name, value in options.items() if value != rules.options[name].default]
    return f"{rules.describe}\n\nOptions of this game: {', '.join(others)}" if others else rules.describe


def numbered(tokens: Sequence[str], between: str = "\n") -> str:
    """Return the legal actions for a model, numbered from 1."""
    return between.join(f"{number}. {token}" for number, token in enumerate(tokens, 1))


def first_question(question: Question) -> list[Message]:
    """Return the messages of a first attempt."""
    return [
        {"role": "system", "content": ROLE + question.page},
        {"role": "user", "content": f"{question.position}\n\nYour legal actions:\n{numbered(question.tokens)}"},
    ]


def probe_question() -> list[Message]:
    """Return the messages that test whether the endpoint answers at all."""
    return [{"role": "user", "content": PROBE}]


def again(messages: Sequence[Message], answer: str, told: str) -> list[Message]:
    """Return the messages of the second attempt, after a bad answer. `told` says what was wrong with it."""
    return [*messages, {"role": "assistant", "content": answer or "(nothing)"}, {"role": "user", "content": told}]


Body = dict[str, object]

SCHEMA, TOOLS, JSON, TEXT = "schema", "tools", "json", "text"
FORMS = (SCHEMA, TOOLS, JSON, TEXT)
"""The ways to request an answer's form: by a JSON schema, by a tool to call, as any JSON, or only in words."""

WEAKER = {SCHEMA: JSON, JSON: TEXT, TOOLS: TEXT}
"""The form to request instead if the endpoint refuses one."""

FIELDS = {SCHEMA: "response_format", JSON: "response_format", TOOLS: "tools"}
"""The field of the request for each form."""

_NOT_EXTRA = ("messages", "model")

_TOOL = "act"


class ExtraBodyError(ValueError):
    """--extra-body has a field that it must not have. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """The parts of a request besides its messages: the form of the answer, and fields that the endpoint knows."""

    form: str = SCHEMA
    extra: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        """Raise ExtraBodyError if another argument sets one of the fields."""
        for name in _NOT_EXTRA:
            if name in (self.extra or ()):
                raise ExtraBodyError(f"--extra-body must not set {name!r}")


PLAIN_WISHES = Wishes()


def body_of(model: str, messages: Sequence[Message], wishes: Wishes, choices: int) -> Body:
    """Return the body of a question with `choices` numbered actions. The extra fields come last and take precedence."""
    return {"model": model, "messages": list(messages), **_form(wishes.form, choices), **(wishes.extra or {})}


def _form(form: str, choices: int) -> Body:
    if form == SCHEMA:
        schema = {"name": "action", "strict": True, "schema": _schema(choices)}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    if form == JSON:
        return {"response_format": {"type": "json_object"}}
    if form == TOOLS:
        function = {"name": _TOOL, "description": "Choose your action.", "parameters": _schema(choices)}
        choice = {"type": "function", "function": {"name": _TOOL}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    return {}


def _schema(choices: int) -> Body:
    """Return the schema of an answer. It lists the numbers, since strict schemas do not support minimum and maximum."""
    properties = {"thoughts": {"type": "string"}, "action": {"type": "integer", "enum": list(range(1, choices + 1))}}
    return {
        "type": "object",
        "properties": properties,
        "required": ["thoughts", "action"],
        "additionalProperties": False,
    }
