"""The kinds of keys in a TOML file: the type of the value, its default and its limits, as values and as text.

`config.schema` declares every key with them. The strict reader (`table`), the template of `bowerbird new-tournament`
and the lists of keys in tournament-file.md and bot-file.md are all based on these declarations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bowerbird.engine import listed
from bowerbird.harness.records.quoting import toml_text

_DURATION = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?)(ms|s|m|h)")

MS_PER_UNIT = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
"""Milliseconds by unit of a duration."""

DAY_MS = 24 * MS_PER_UNIT["h"]
"""The longest duration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key of a table.

    name: as written in the file.
    text: one to three plain sentences; code is in backquotes.
    example: a value in TOML that the reader accepts.
    required: the reader refuses a table without it.
    otherwise: the default in words, if it depends on other values; "" if the key has a fixed default or is required.
    formats: the tournament formats that have the key; () for all.
    """

    name: str
    text: str
    example: str
    required: bool = False
    otherwise: str = ""
    formats: tuple[str, ...] = ()

    @property
    def value_text(self) -> str:
        """The kind of value, with limits and unit: "a whole number from 1 to 100000"."""
        raise NotImplementedError

    @property
    def default_value(self) -> object:
        """The fixed default as a TOML value (most kinds store it in `default`); None if there is none."""
        return getattr(self, "default", None)

    @property
    def default_text(self) -> str:
        """The default for a page: "required", the words of `otherwise`, or a value in TOML in backquotes."""
        if self.required:
            return "required"
        return self.otherwise or f"`{toml_text(self.default_value)}`"


@dataclass(frozen=True, slots=True, kw_only=True)
class StringKey(Key):
    """A key whose value is a string. `syntax` says which strings are valid; "" for any string."""

    default: str | None = None
    syntax: str = ""

    @property
    def value_text(self) -> str:
        """The kind of value."""
        return self.syntax or "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceKey(Key):
    """A key whose value is one of the words in `allowed`."""

    allowed: tuple[str, ...]
    default: str | None = None

    @property
    def value_text(self) -> str:
        """The allowed words."""
        return alternatives([f'`"{word}"`' for word in self.allowed])

    @property
    def refusal(self) -> str:
        """The allowed words for an error."""
        return listed(self.allowed)


def alternatives(words: Sequence[str]) -> str:
    """Return words as "a", "a or b", "a, b or c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BooleanKey(Key):
    """A key whose value is true or false."""

    default: bool

    @property
    def value_text(self) -> str:
        """The kind of value."""
        return "`true` or `false`"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegerKey(Key):
    """A key whose value is a whole number from `low` to `high`, both allowed. `unit` is the unit of the number."""

    default: int | None = None
    low: int
    high: int | None = None
    unit: str = ""

    @property
    def value_text(self) -> str:
        """The limits and the unit."""
        return f"{integer_limits(self.low, self.high)}{self.unit and f', in {self.unit}'}"


def integer_limits(low: int, high: int | None) -> str:
    """Return the limits of a whole number in words."""
    return f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CountOrShareKey(IntegerKey):
    """A key whose value is a whole number, as in an `IntegerKey`, or a share: a decimal between 0 and 1."""

    @property
    def value_text(self) -> str:
        """The kind of value."""
        return f"{integer_limits(self.low, self.high)}, or a share between 0.0 and 1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberKey(Key):
    """A key whose value is a finite number strictly between `above` and `below`. `unit` is the unit of the number."""

    default: float | None = None
    above: float | None = None
    below: float | None = None
    unit: str = ""

    @property
    def value_text(self) -> str:
        """The limits and the unit."""
        return f"{self.limits}{self.unit and f', in {self.unit}'}"

    @property
    def limits(self) -> str:
        """The limits in words."""
        bounds = (("above", self.above), ("below", self.below))
        limits = " and ".join(f"{word} {limit:g}" for word, limit in bounds if limit is not None)
        return f"a number {limits}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class DurationKey(Key):
    """A key whose value is a duration such as "250ms": whole milliseconds, at least `low_ms` and at most a day."""

    default_ms: int | None = None
    low_ms: int = 0

    @property
    def value_text(self) -> str:
        """The limits."""
        return f"a time of at least {self.low_ms}ms" if self.low_ms else "a time"

    @property
    def default_value(self) -> object:
        """The fixed default."""
        return None if self.default_ms is None else duration_text(self.default_ms)

    @property
    def refusal(self) -> str:
        """The limits for an error, with examples."""
        return f'{self.value_text} such as "250ms", "1s" or "2m"'


def duration_ms(written: str) -> float | None:
    """Return a duration such as "250ms", "1.5s" or "2h" in milliseconds; None if it is invalid or absurdly long."""
    match = _DURATION.fullmatch(written)
    return float(match[1]) * MS_PER_UNIT[match[2]] if match else None


def duration_text(ms: int) -> str:
    """Return a duration in the largest unit that divides it: `duration_text(90_000)` is "90s"."""
    unit = next(unit for unit in ("h", "m", "s", "ms") if ms % MS_PER_UNIT[unit] == 0 and (ms or unit == "ms"))
    return f"{ms // MS_PER_UNIT[unit]}{unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StringsKey(Key):
    """A key whose value is a list of strings. `of` says what they are."""

    default: tuple[str, ...] | None = None
    of: str = "strings"

    @property
    def value_text(self) -> str:
        """What the list holds."""
        return f"a list of {self.of}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKey(Key):
    """A key whose value is a table, or several (`many`).

    `table` declares its keys; None if the keys are free, as in [environment].
    """

    table: TableSchema | None = None
    many: bool = False

    @property
    def header(self) -> str:
        """The key as the header of a table: "[time]" or "[[bot]]"."""
        return f"[[{self.name}]]" if self.many else f"[{self.name}]"

    @property
    def value_text(self) -> str:
        """The kind of value."""
        return "tables" if self.many else "a table"

    @property
    def default_value(self) -> object:
        """An empty table."""
        return {}


@dataclass(frozen=True, slots=True)
class TableSchema:
    """The keys of a table, in the order of the pages. Messages call the table by its `title`, such as "[time]"."""

    title: str
    keys: tuple[Key, ...]

    def key(self, name: str) -> Key | None:
        """Return the key of this name; None if the table has none."""
        return next((key for key in self.keys if key.name == name), None)

    @property
    def names(self) -> Sequence[str]:
        """The names of the keys."""
        return [key.name for key in self.keys]

    @property
    def table_keys(self) -> list[TableKey]:
        """The keys whose values are tables."""
        return [key for key in self.keys if isinstance(key, TableKey)]
