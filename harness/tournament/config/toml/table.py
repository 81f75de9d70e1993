"""Reads one table of a TOML document by its schema. Unknown keys, missing keys and wrong values are errors."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from bowerbird.engine import did_you_mean
from bowerbird.harness.tournament.config.toml.document import KeyPath, TomlData, TomlDocument, shown
from bowerbird.harness.tournament.config.toml.keys import (
    DAY_MS,
    BooleanKey,
    ChoiceKey,
    CountOrShareKey,
    DurationKey,
    IntegerKey,
    Key,
    NumberKey,
    StringKey,
    StringsKey,
    TableKey,
    TableSchema,
    duration_ms,
    integer_limits,
)
from bowerbird.harness.tournament.config.toml.misplaced import check_layout, unknown_key
from bowerbird.harness.tournament.errors import ConfigError

_LARGEST = sys.float_info.max


class TomlTable:
    """A table of a document, with its schema. Call `reject_unknown_keys` before reading keys.

    Every reader takes a key of the schema and raises ConfigError with the file, the line, the key and the allowed
    values. If the key is absent, it returns the `default` of the call, else the schema's default; a key with neither is
    required. Defaults are not checked against the limits.
    """

    def __init__(self, document: TomlDocument, path: KeyPath, value: object, schema: TableSchema) -> None:
        """Wrap the table `value` at `path`. Raises ConfigError if it is not a table."""
        if not isinstance(value, Mapping):
            raise document.error(path, f"got {shown(value)}; must be a table {schema.title}")
        self.document = document
        self._path = path
        self._table: TomlData = value
        self._schema = schema

    @classmethod
    def root(cls, document: TomlDocument, schema: TableSchema) -> TomlTable:
        """Return the table that holds all others. Raises ConfigError for an unknown or misplaced table or key."""
        check_layout(document, schema)
        return cls(document, (), document.data, schema)

    def error(self, message: str, *keys: Key | str | int) -> ConfigError:
        """Return the error to raise for the value at `keys`, a path below this table."""
        names = (key.name if isinstance(key, Key) else key for key in keys)
        return self.document.error((*self._path, *names), message)

    def has(self, key: Key) -> bool:
        """Return whether the key was written."""
        return key.name in self._table

    def written(self) -> Sequence[str]:
        """Return the names of all keys that were written."""
        return list(self._table)

    def reject_unknown_keys(self, elsewhere: Sequence[TableSchema] = ()) -> None:
        """Raise ConfigError for the first unknown key, with the key that was probably meant.

        elsewhere: other tables that may have the key.
        """
        for name in self._table:
            if self._schema.key(name) is None:
                raise self.error(unknown_key(self._schema, name, elsewhere), name)

    def string(self, key: StringKey, default: str | None = None) -> str:
        """Return a string."""
        value = self._value(key, key.default if default is None else default)
        if not isinstance(value, str):
            raise self._wrong(key, value, "a string")
        self._refuse_nul(key, value)
        return value

    def choice(self, key: ChoiceKey, default: str | None = None) -> str:
        """Return one of the allowed words."""
        value = self._value(key, key.default if default is None else default)
        if not isinstance(value, str):
            raise self._wrong(key, value, "a string")
        if value not in key.allowed and self.has(key):
            raise self.error(f"got {value!r}; must be {key.refusal}{did_you_mean(value, key.allowed)}", key)
        return value

    def boolean(self, key: BooleanKey) -> bool:
        """Return true or false."""
        value = self._value(key, key.default)
        if not isinstance(value, bool):
            raise self._wrong(key, value, "true or false")
        return value

    def integer(self, key: IntegerKey, default: int | None = None, *, high: int | None = None) -> int:
        """Return a whole number. `high` replaces the maximum of the key."""
        found = self._value(key, key.default if default is None else default)
        highest = key.high if high is None else high
        if isinstance(found, int) and not isinstance(found, bool):
            is_within = found >= key.low and (highest is None or found <= highest)
            if is_within or not self.has(key):
                return found
        raise self._wrong(key, found, integer_limits(key.low, highest))

    def count_or_share(self, key: CountOrShareKey) -> int | float:
        """Return a whole number, or a share as a float."""
        value = self._value(key, key.default)
        if isinstance(value, float):
            if 0.0 < value < 1.0:
                return value
            raise self._wrong(key, value, f"{key.value_text} is")
        return self.integer(key)

    def number(self, key: NumberKey, default: float | None = None) -> float:
        """Return a finite number."""
        value = self._value(key, key.default if default is None else default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not -_LARGEST <= value <= _LARGEST:
            raise self._wrong(key, value, key.limits)
        is_low, is_high = (
            key.above is not None and value <= key.above,
            key.below is not None and value >= key.below,
        )
        if (is_low or is_high) and self.has(key):
            raise self._wrong(key, value, key.limits)
        return float(value)

    def duration_ms(self, key: DurationKey, default_ms: int | None = None) -> int:
        """Return a duration such as "250ms", "1s" or "2m" in milliseconds."""
        absent = key.default_ms if default_ms is None else default_ms
        value = self._value(key, absent)
        if absent is not None and not self.has(key):
            return absent
        duration = duration_ms(value) if isinstance(value, str) else None
        if duration is None or duration < key.low_ms or duration > DAY_MS or duration != int(duration):
            raise self._wrong(key, value, key.refusal)
        return int(duration)

    def strings(self, key: StringsKey, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return an array of strings."""
        value = self._value(key, key.default if default is None else default)
        if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(one, str) for one in value):
            raise self._wrong(key, value, "a list of strings")
        self._refuse_nul(key, *value)
        return tuple(value)

    def mapping(self, key: TableKey) -> TomlData:
        """Return a table with free keys as it was parsed; empty if it is absent."""
        value = self._value(key, {})
        if not isinstance(value, Mapping):
            raise self._wrong(key, value, "a table")
        return value

    def table(self, key: TableKey) -> TomlTable:
        """Return a reader of a table inside this one; an absent table reads as empty."""
        assert key.table is not None, "a table with free keys is read with `mapping`"
        return TomlTable(self.document, (*self._path, key.name), self._value(key, {}), key.table)

    def tables(self, key: TableKey) -> list[TomlTable]:
        """Return a reader of each table of an array inside this one; none if it is absent."""
        assert key.table is not None, "arrays of tables have declared keys"
        value = self._value(key, [])
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise self._wrong(key, value, f"tables {key.header}")
        return [TomlTable(self.document, (*self._path, key.name, at), one, key.table) for at, one in enumerate(value)]

    def with_schema(self, schema: TableSchema) -> TomlTable:
        """Return this table with another schema."""
        return TomlTable(self.document, self._path, self._table, schema)

    def _refuse_nul(self, key: Key, *texts: str) -> None:
        """Raise ConfigError for U+0000, which TOML allows but no path, name or argument can hold."""
        if any("\0" in text for text in texts):
            raise self.error("the character U+0000 is not allowed", key)

    def _value(self, key: Key, default: object) -> object:
        assert key in self._schema.keys, f"{self._schema.title} does not declare {key.name!r}"
        if key.name in self._table:
            return self._table[key.name]
        if default is None:
            raise self.error(f"{self._schema.title} needs a key {key.name!r}")
        return default

    def _wrong(self, key: Key, value: object, allowed: str) -> ConfigError:
        return self.error(f"got {shown(value)}; must be {allowed}", key)
