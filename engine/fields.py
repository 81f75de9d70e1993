"""Fields of a state, each declared once with who may know it, its value at the start of a hand, and how to copy it.

    class State(Record):
        trump: str = public("")
        hands: list[int] = own(lambda rules: [], is_list=True)

The declarations become slots. At import, `clear` and `copy` are generated from them once, as in dataclasses. A loop
over the names would be four times slower, and searches spend most of their time copying states.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Self


class Know(Enum):
    """The seats that may know a field."""

    CARRIED = "every seat; it lasts from hand to hand"
    PUBLIC = "every seat; it belongs to the hand in play"
    OWN = "by seat, each its own entry"
    HIDDEN = "no seat"


KEPT = object()
"""A mark for a field that a new hand leaves unchanged."""


class Field(NamedTuple):
    """A field: who may know it, its value at the start of a hand, and whether it is a list, which `copy` duplicates.

    `start` is the value itself, a function that returns it from the rules, or KEPT.
    """

    know: Know
    start: object
    is_list: bool


def carried() -> Any:
    """Declare a field that every seat knows and that lasts from hand to hand."""
    return Field(Know.CARRIED, KEPT, False)


def public(start: object, *, is_list: bool = False) -> Any:
    """Declare a field of the hand that every seat knows."""
    return Field(Know.PUBLIC, start, is_list)


def own(start: object, *, is_list: bool = False) -> Any:
    """Declare a field with an entry for each seat, known only to that seat."""
    return Field(Know.OWN, start, is_list)


def hidden(start: object = KEPT, *, is_list: bool = False) -> Any:
    """Declare a field that no seat knows."""
    return Field(Know.HIDDEN, start, is_list)


def _generated(owner: type, method: str, fields: dict[str, Field]) -> Any:
    """Compile the method `clear` or `copy` for the class `owner` with `fields`."""
    names: dict[str, object] = {"owner": owner}
    if method == "clear":
        lines = ["def clear(self):", " rules = self.rules" if fields else " pass"]
        for name, field in fields.items():
            if field.start is not KEPT:
                names[f"start_{name}"] = field.start
                lines.append(f" self.{name} = start_{name}{'(rules)' if callable(field.start) else ''}")
    else:
        lines = ["def copy(self):", " twin = owner()"]
        lines += [f" twin.{name} = self.{name}{'[:]' if field.is_list else ''}" for name, field in fields.items()]
        lines.append(" return twin")
    exec("\n".join(lines), names)
    made: Any = names[method]
    made.__qualname__ = f"{owner.__qualname__}.{method}"
    return made


class _Declared(type):
    """A metaclass that turns the fields of a class body into slots and generates their `clear` and `copy`."""

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> _Declared:
        declared = {key: value for key, value in body.items() if isinstance(value, Field)}
        fields = {key: field for base in bases for key, field in getattr(base, "fields", {}).items()} | declared
        rest = {key: value for key, value in body.items() if key not in declared}
        made = super().__new__(cls, name, bases, {**rest, "__slots__": tuple(declared), "fields": fields})
        for method in ("clear", "copy"):
            setattr(made, method, _generated(made, method, fields))
        return made


class Record(metaclass=_Declared):
    """Base of classes with declared fields (see the module's docstring)."""

    fields: dict[str, Field]

    if TYPE_CHECKING:

        def clear(self) -> None:
            """Set every field except the KEPT ones to its value at the start of a hand; needs `self.rules`."""

        def copy(self) -> Self:
            """Return an independent state with the same future for the same actions."""
