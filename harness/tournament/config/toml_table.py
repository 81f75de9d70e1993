"""Strict reading of one table of a TOML document: each key is read by name, and a key that was not read is an error."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from engine import did_you_mean, listed
from harness.tournament.config.toml_document import KeyPath, TomlData, TomlDocument
from harness.tournament.errors import ConfigError

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_DAY_MS = 24 * _UNIT_MS["h"]


class TomlTable:
    """A table of a document, read key by key; `reject_unknown_keys` comes last.

    Every reader raises ConfigError with the file, the line, the key and the allowed values. A key without a default
    (None) is required. A default is returned as it is, without a check against the limits.
    """

    def __init__(self, document: TomlDocument, path: KeyPath, value: object, title: str) -> None:
        """Wrap the table `value` at `path`; messages call it `title`. Raises ConfigError if it is not a table."""
        if not isinstance(value, Mapping):
            raise document.error(path, f"a table {title} is needed, not {_shown(value)}")
        self.document = document
        self._path = path
        self._table: TomlData = value
        self._title = title
        self._read: list[str] = []

    @classmethod
    def root(cls, document: TomlDocument, title: str) -> TomlTable:
        """Return the table that holds all others of `document`."""
        return cls(document, (), document.data, title)

    def error(self, message: str, *keys: str | int) -> ConfigError:
        """Return the error to raise for the value at `keys`, a path below this table."""
        return self.document.error((*self._path, *keys), message)

    def has(self, key: str) -> bool:
        """Return whether the key was written."""
        return key in self._table

    def string(self, key: str, default: str | None = None) -> str:
        """Return a string."""
        value = self._value(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, value, "a string is")
        return value

    def choice(self, key: str, allowed: Sequence[str], default: str) -> str:
        """Return one of the allowed words."""
        value = self.string(key, default)
        if value in allowed or value == default:
            return value
        hint = did_you_mean(value, allowed)
        raise self.error(f"{value!r} is not allowed, {listed(allowed)} is{hint}", key)

    def boolean(self, key: str, default: bool = False) -> bool:
        """Return true or false."""
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, value, "true or false is")
        return value

    def integer(self, key: str, default: int | None, *, low: int, high: int | None = None) -> int:
        """Return a whole number from `low` to `high`, both allowed."""
        value = self._value(key, default)
        if default is not None and not self.has(key):
            return default
        limits = f"a whole number of at least {low} is" if high is None else f"a whole number from {low} to {high} is"
        if not isinstance(value, int) or isinstance(value, bool) or value < low or (high is not None and value > high):
            raise self._wrong(key, value, limits)
        return value

    def number(self, key: str, default: float, *, above: float | None = None, below: float | None = None) -> float:
        """Return a finite number strictly between `above` and `below`."""
        value = self._value(key, default)
        if not self.has(key):
            return default
        limits = " and ".join(
            f"{word} {limit:g}" for word, limit in (("above", above), ("below", below)) if limit is not None
        )
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise self._wrong(key, value, f"a number{limits and f' {limits}'} is")
        if (above is not None and value <= above) or (below is not None and value >= below):
            raise self._wrong(key, value, f"a number {limits} is")
        return float(value)

    def duration_ms(self, key: str, default_ms: int, *, low_ms: int = 0) -> int:
        """Return in milliseconds a duration such as "250ms", "1s" or "2m": whole, at least `low_ms`, at most a day."""
        value = self._value(key, default_ms)
        if not self.has(key):
            return default_ms
        match = _DURATION.fullmatch(value) if isinstance(value, str) else None
        duration = float(match[1]) * _UNIT_MS[match[2]] if match else -1.0
        if duration < low_ms or duration != int(duration) or duration > _DAY_MS:
            least = f" of at least {low_ms}ms" if low_ms else ""
            raise self._wrong(key, value, f'a time{least} such as "250ms", "1s" or "2m" is')
        return int(duration)

    def strings(self, key: str, default: Sequence[str] | None) -> tuple[str, ...]:
        """Return an array of strings."""
        value = self._value(key, default)
        if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(one, str) for one in value):
            raise self._wrong(key, value, "a list of strings is")
        return tuple(value)

    def mapping(self, key: str) -> TomlData:
        """Return a table inside this one as it was parsed; empty if it is absent."""
        value = self._value(key, {})
        if not isinstance(value, Mapping):
            raise self._wrong(key, value, "a table is")
        return value

    def table(self, key: str, title: str) -> TomlTable:
        """Return a reader of a table inside this one; of an empty one if it is absent."""
        return TomlTable(self.document, (*self._path, key), self._value(key, {}), title)

    def tables(self, key: str, title: str) -> list[TomlTable]:
        """Return a reader of each table of an array inside this one; none if it is absent."""
        value = self._value(key, [])
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise self.error(f"{_shown(value)} is not allowed, tables {title} are", key)
        return [TomlTable(self.document, (*self._path, key, index), one, title) for index, one in enumerate(value)]

    def reject_unknown_keys(self) -> None:
        """Raise ConfigError for the first key that was not read, with the key that may have been meant."""
        for key in self._table:
            if key not in self._read:
                hint = did_you_mean(key, self._read) or f", {listed(sorted(self._read))} is allowed"
                raise self.error(f"unknown key {key!r} in {self._title}{hint}", key)

    def _value(self, key: str, default: object) -> object:
        self._read.append(key)
        if key in self._table:
            return self._table[key]
        if default is None:
            raise self.error(f"{self._title} needs a key {key!r}")
        return default

    def _wrong(self, key: str, value: object, allowed: str) -> ConfigError:
        return self.error(f"{_shown(value)} is not allowed, {allowed}", key)


def _shown(value: object) -> str:
    """Return a value as TOML writes it, shortened to 60 characters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
