"""What commands print: JSON for programs, aligned text for people. Results go to stdout, all else to stderr."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass

import click


def plain(value: object) -> object:
    """`value` as json.dumps takes it: dataclasses and named tuples as objects, bytes as hex digits, ids as text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    if is_dataclass(value) and type(value).__str__ is object.__str__:
        return {part.name: plain(getattr(value, part.name)) for part in fields(value)}
    return value.hex() if isinstance(value, bytes) else str(value)


def json_text(value: object) -> str:
    """`value` as one JSON document, indented."""
    return json.dumps(plain(value), indent=2, ensure_ascii=False)


def print_json(value: object) -> None:
    """Print `value` on stdout as JSON."""
    click.echo(json_text(value))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. Numbers stand to the right."""

    title: str
    right: bool = False


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table: titles, a rule, the rows; columns two spaces apart, no trailing space."""
    widths = [max(len(column.title), *(len(row[at]) for row in rows), 0) for at, column in enumerate(columns)]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if column.right else cell.ljust(width)
            for cell, width, column in zip(cells, widths, columns, strict=True)
        ]
        return "  ".join(padded).rstrip()

    return [line([column.title for column in columns]), "  ".join("─" * width for width in widths), *map(line, rows)]


def print_lines(lines: Sequence[str]) -> None:
    """Print lines on stdout."""
    for text in lines:
        click.echo(text)
