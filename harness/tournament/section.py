"""Strict reading of one table of a document: every key is asked for once, and what nobody asked for is an error."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from engine.wording import did_you_mean, listed
from harness.tournament.source import KeyPath, Source

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")
_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}
_DAY_MS = 24 * _UNIT_MS["h"]


class Section:
    """A table of a document, read key by key. `done` refuses the keys that were not read.

    Every reader raises ConfigError with the file, the line, the key and what is allowed.
    """

    def __init__(self, source: Source, path: KeyPath, table: object, title: str) -> None:
        """A reader of `table`, which stands at `path`; messages call it `title`. Raises ConfigError if it is none."""
        if not isinstance(table, Mapping):
            raise source.error(path, f"a table {title} is needed, not {_shown(table)}")
        self._source = source
        self._path = path
        self._table: Mapping[str, object] = table
        self._title = title
        self._known: list[str] = []

    def where(self, key: str) -> KeyPath:
        """The path of a key of this table."""
        return (*self._path, key)

    def has(self, key: str) -> bool:
        """Whether the key was written."""
        return key in self._table

    def text(self, key: str, default: str | None = None) -> str:
        """A string; required when there is no default."""
        value = self._value(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, value, "a string is")
        return value

    def choice(self, key: str, allowed: Sequence[str], default: str, later: Mapping[str, str] | None = None) -> str:
        """One of the allowed words. `later` holds words of the design that this version does not play, with why."""
        value = self.text(key, default)
        if value in allowed or value == default:
            return value
        names = listed(allowed)
        if later and value in later:
            raise self._source.error(self.where(key), f"{value!r} is {later[value]}, allowed: {names}")
        hint = did_you_mean(value, allowed)
        raise self._source.error(self.where(key), f"{value!r} is not allowed, {names} is{hint}")

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false; the default, which is false, where it is absent."""
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, value, "true or false is")
        return value

    def integer(self, key: str, default: int | None, *, low: int, high: int | None = None) -> int:
        """A whole number from `low` to `high`, both allowed. The default is taken as it is."""
        value = self._value(key, default)
        if default is not None and not self.has(key):
            return default
        limits = f"a whole number of at least {low} is" if high is None else f"a whole number from {low} to {high} is"
        if not isinstance(value, int) or isinstance(value, bool) or value < low or (high is not None and value > high):
            raise self._wrong(key, value, limits)
        return value

    def number(self, key: str, default: float, *, above: float | None = None, below: float | None = None) -> float:
        """A number between `above` and `below`, neither allowed itself. The default is taken as it is."""
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

    def duration(self, key: str, default: int, *, low: int = 0) -> int:
        """A span of time such as "250ms", "1s" or "2m", in milliseconds. `default` is in milliseconds."""
        value = self._value(key, default)
        if not self.has(key):
            return default
        match = _DURATION.fullmatch(value) if isinstance(value, str) else None
        span = float(match[1]) * _UNIT_MS[match[2]] if match else -1.0
        if span < low or span != int(span) or span > _DAY_MS:
            least = f" of at least {low}ms" if low else ""
            raise self._wrong(key, value, f'a time{least} such as "250ms", "1s" or "2m" is')
        return int(span)

    def texts(self, key: str, default: Sequence[str] | None) -> tuple[str, ...]:
        """A list of strings."""
        value = self._value(key, default)
        if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(one, str) for one in value):
            raise self._wrong(key, value, "a list of strings is")
        return tuple(value)

    def table(self, key: str) -> Mapping[str, object]:
        """A table inside this one, as it stands; empty where it is absent."""
        value = self._value(key, {})
        if not isinstance(value, Mapping):
            raise self._wrong(key, value, "a table is")
        return value

    def section(self, key: str, title: str) -> Section:
        """A table inside this one, to be read strictly in its turn."""
        return Section(self._source, self.where(key), self._value(key, {}), title)

    def sections(self, key: str, title: str) -> list[Section]:
        """An array of tables inside this one; empty where it is absent."""
        value = self._value(key, [])
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise self._source.error(self.where(key), f"{_shown(value)} is not allowed, tables {title} are")
        return [Section(self._source, (*self.where(key), index), one, title) for index, one in enumerate(value)]

    def not_yet(self, key: str) -> None:
        """Refuse a key of the design that this version does not know what to do with."""
        if self.has(key):
            raise self._source.error(self.where(key), f"{self._title} {key} is not in this version yet, leave it out")

    def done(self) -> None:
        """Refuse every key that was not read, with the nearest one that could have been meant."""
        for key in self._table:
            if key not in self._known:
                hint = did_you_mean(key, self._known) or f", {listed(sorted(self._known))} is allowed"
                raise self._source.error(self.where(key), f"unknown key {key!r} in {self._title}{hint}")

    def _value(self, key: str, default: object) -> object:
        self._known.append(key)
        if key in self._table:
            return self._table[key]
        if default is None:
            raise self._source.error(self._path, f"{self._title} needs a key {key!r}")
        return default

    def _wrong(self, key: str, value: object, allowed: str) -> Exception:
        return self._source.error(self.where(key), f"{_shown(value)} is not allowed, {allowed}")


def _shown(value: object) -> str:
    """A value as TOML would write it, shortened."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
