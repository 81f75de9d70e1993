"""The body of a question: messages, and the form of the answer in whatever way the endpoint takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bowerbird.bots.llm.prompt import Message

Body = dict[str, object]

SCHEMA, TOOLS, JSON, TEXT = "schema", "tools", "json", "text"
FORMS = (SCHEMA, TOOLS, JSON, TEXT)
"""How an answer's form is asked for: by a JSON schema, by a tool to call, as any JSON, or in words alone."""

WEAKER = {SCHEMA: JSON, JSON: TEXT, TOOLS: TEXT}
"""What is asked for instead of a form that the endpoint refuses."""

FIELDS = {SCHEMA: "response_format", JSON: "response_format", TOOLS: "tools"}
"""The field of the request that carries a form."""

_NOT_EXTRA = ("messages", "model")

_TOOL = "act"


class ExtraBodyError(ValueError):
    """The error for fields that --extra-body must not have; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a request has besides its messages: the form of the answer, and fields that the endpoint knows."""

    form: str = SCHEMA
    extra: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        """Raise ExtraBodyError if a field is one that another argument sets."""
        for name in _NOT_EXTRA:
            if name in (self.extra or ()):
                raise ExtraBodyError(f"--extra-body must not set {name!r}")


PLAIN_WISHES = Wishes()


def body_of(model: str, messages: Sequence[Message], wishes: Wishes, choices: int) -> Body:
    """Return the body of a question with `choices` numbered actions. The extra fields come last and win."""
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
    """Return the schema of an answer. The numbers are listed: strict schemas do not support minimum and maximum."""
    properties = {"thoughts": {"type": "string"}, "action": {"type": "integer", "enum": list(range(1, choices + 1))}}
    return {
        "type": "object",
        "properties": properties,
        "required": ["thoughts", "action"],
        "additionalProperties": False,
    }
