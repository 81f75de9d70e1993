"""Options of a variant, with their allowed values and defaults, and the check of given values.

Only the declaration of a variant reads options; it turns them into parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bowerbird.engine.errors import InvalidOption
from bowerbird.engine.wording import did_you_mean, known_are

OptionValue = bool | int | str


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The whole numbers from `low` up."""

    low: int

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and value >= self.low

    def __str__(self) -> str:
        return f"a whole number from {self.low} up"


@dataclass(frozen=True, slots=True)
class AnyInteger:
    """All whole numbers, including negative ones."""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)

    def __str__(self) -> str:
        return "any whole number"


@dataclass(frozen=True, slots=True)
class OneOf:
    """A choice among `values`, which are all of one type."""

    values: tuple[OptionValue, ...]

    def __contains__(self, value: object) -> bool:
        return any(type(value) is type(known) and value == known for known in self.values)

    def __iter__(self) -> Iterator[OptionValue]:
        return iter(self.values)

    def __str__(self) -> str:
        words = [_text(value) for value in self.values]
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


Allowed = AtLeast | AnyInteger | OneOf


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a variant: its default, its allowed values (in words: `str(allowed)`) and one line of help.

    added: whether the variant was played before it had the option. Records without it were played under the default.
    """

    default: OptionValue
    allowed: Allowed
    help: str
    added: bool = False

    def parse(self, text: str) -> OptionValue:
        """Return the value that `text` means ("true", "12", "alone"), or `text` itself if it is not a string."""
        if isinstance(self.default, bool):
            return {"true": True, "false": False}.get(text, text)
        if isinstance(self.default, int):
            try:
                return int(text)
            except ValueError:
                return text
        return text


def switch(text: str, *, default: bool = False) -> Option:
    """Return an option that is true or false."""
    return Option(default, OneOf((False, True)), text)


def number(default: int, text: str, *, low: int = 1) -> Option:
    """Return an option that is a whole number from `low` up (E16)."""
    return Option(default, AtLeast(low), text)


def choice(text: str, default: OptionValue, *others: OptionValue) -> Option:
    """Return an option that has one of the values `default` and `others`."""
    return Option(default, OneOf((default, *others)), text)


def added(option: Option) -> Option:
    """Return the option, marked as added after games of the variant had been recorded."""
    return replace(option, added=True)


class Options(Mapping[str, OptionValue]):
    """Every option of a game with its value. Immutable and hashable; equal to any mapping with the same items."""

    __slots__ = ("_hash", "_values")

    def __init__(self, values: Mapping[str, OptionValue]) -> None:
        self._values = dict(values)
        self._hash = hash(tuple(self._values.items()))

    def __getitem__(self, name: str) -> OptionValue:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Options):
            return self._values == other._values
        return self._values == dict(other) if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Options({self._values!r})"

    def __reduce__(self) -> tuple[type[Options], tuple[dict[str, OptionValue]]]:
        return Options, (self._values,)

    def on(self, name: str) -> bool:
        """Return the value of the switch `name`."""
        value = self._values[name]
        assert isinstance(value, bool), name
        return value

    def int(self, name: str) -> int:
        """Return the value of the whole-number option `name`."""
        value = self._values[name]
        assert isinstance(value, int), name
        return value

    def word(self, name: str) -> str:
        """Return the value of the option `name`, which is a choice among words."""
        value = self._values[name]
        assert isinstance(value, str), name
        return value


def resolve(variant: str, known: Mapping[str, Option], given: Mapping[str, object]) -> dict[str, OptionValue]:
    """Return every option in `known` with its given value or its default, in the order of `known`.

    Raises:
        InvalidOption: an option does not exist, or a value is not allowed.
    """
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or known_are(known)
            raise InvalidOption(f"unknown option {name!r} of {variant}{hint}")
    return {
        name: _checked(variant, name, option, given[name]) if name in given else option.default
        for name, option in known.items()
    }


def _checked(variant: str, name: str, option: Option, value: object) -> OptionValue:
    if isinstance(value, str):
        value = option.parse(value)
    if value in option.allowed and isinstance(value, (bool, int, str)):
        return value
    hint = ""
    if isinstance(value, str) and isinstance(option.allowed, OneOf) and isinstance(option.default, str):
        hint = did_you_mean(value, [str(word) for word in option.allowed])
    raise InvalidOption(f"option {name} of {variant} must be {option.allowed}, not {_text(value)}{hint}")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)
