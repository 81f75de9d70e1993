"""Errors for keys and tables that a file should not have. Each suggests the nearest allowed name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bowerbird.engine import did_you_mean, known_are
from bowerbird.harness.records.quoting import quote
from bowerbird.harness.tournament.config.toml.document import TomlDocument, shown
from bowerbird.harness.tournament.config.toml.keys import TableKey, TableSchema, alternatives

_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key that needs no quotes in TOML."""


def check_layout(document: TomlDocument, schema: TableSchema) -> None:
    """Raise ConfigError for the first table or key at the top of a file that is unknown or in the wrong form."""
    for name, value in document.data.items():
        key = schema.key(name)
        if key is None:
            path = (name, 0) if _is_array(value) else (name,)
            if isinstance(value, Mapping) or _is_array(value):
                raise document.error(path, _unknown_table(schema, name, value), with_key=False)
            raise document.error(path, _unknown_top_key(schema, name))
        if isinstance(key, TableKey):
            _check_brackets(document, key, value)


def unknown_key(schema: TableSchema, name: str, elsewhere: Sequence[TableSchema] = ()) -> str:
    """Return the sentence for a key that the table `schema` does not have. `elsewhere`: tables that may have it."""
    sentence = f"unknown key {name!r} in {schema.title}"
    for table in elsewhere:
        key = table.key(name)
        if isinstance(key, TableKey) and len(table.table_keys) == len(table.keys):  # a table of the file's top
            return f"{sentence}, did you mean {key.header}?"
    if homes := _homes(name, elsewhere):
        return f"{sentence}; it belongs in {alternatives(homes)}"
    return sentence + (did_you_mean(name, schema.names) or known_are(sorted(schema.names)))


def single_brackets(text: str, schema: TableSchema) -> tuple[int, str] | None:
    """Return the line and the message for a header such as [bot] that should be [[bot]]; None if there is none.

    This is for files that are not valid TOML, since repeating [bot] makes a file invalid.
    """
    for key in schema.table_keys:
        header = re.compile(rf"^[ \t]*\[[ \t]*{key.name}[ \t]*\][ \t]*(?:#.*)?$", re.MULTILINE)
        if key.many and (found := header.search(text)):
            return text.count("\n", 0, found.start()) + 1, _double(key)
    return None


def _unknown_table(schema: TableSchema, name: str, value: object) -> str:
    plain = name if _BARE.fullmatch(name) else quote(name)
    written = f"[[{plain}]]" if _is_array(value) else f"[{plain}]"
    headers = [key.header for key in schema.table_keys]
    if isinstance(value, Mapping) and any(schema.key(one) for one in value):
        return f"unknown table {written}; the keys of {schema.title} come before the first table"
    if hint := did_you_mean(f"[{name.lower()}]", headers):
        return f"unknown table {written}{hint.replace(chr(39), '')}"
    return f"unknown table {written}; must be {alternatives(headers)}"


def _unknown_top_key(schema: TableSchema, name: str) -> str:
    if len(schema.table_keys) < len(schema.keys):  # the file has keys outside its tables
        return unknown_key(schema, name, [key.table for key in schema.table_keys if key.table])
    below = [key.table for key in schema.table_keys if key.table is not None]
    if homes := _homes(name, below):
        return f"key {name!r} comes before the first table; it belongs in {alternatives(homes)}"
    hint = did_you_mean(name, dict.fromkeys(one for table in below for one in table.names))
    return f"unknown key {name!r} before the first table{hint}"


def _check_brackets(document: TomlDocument, key: TableKey, value: object) -> None:
    if key.many and isinstance(value, Mapping):
        raise document.error((key.name,), _double(key), with_key=False)
    if not key.many and _is_array(value):
        raise document.error(
            (key.name, 0), f"write {key.header} in single brackets: a file has only one", with_key=False
        )
    if not isinstance(value, Mapping) and not isinstance(value, list):
        needed = f"tables {key.header}" if key.many else f"a table {key.header}"
        raise document.error((key.name,), f"got {shown(value)}; must be {needed}")


def _double(key: TableKey) -> str:
    return f"got [{key.name}]; write {key.header} in double brackets for each {key.name}"


def _homes(name: str, tables: Sequence[TableSchema]) -> list[str]:
    """Return the titles of the tables that have a key of this name; if there are none, of nested tables that do."""
    found = [table.title for table in tables if table.key(name) is not None]
    inside = [key.table for table in tables for key in table.table_keys if key.table is not None]
    return list(dict.fromkeys(found)) or (_homes(name, inside) if inside else [])


def _is_array(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)
