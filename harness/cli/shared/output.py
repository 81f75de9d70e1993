"""Output of commands: JSON, tables, command lines to suggest, and a progress bar.

Results go to stdout, everything else to stderr.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass

import click

PROGRAM = "bowerbird"

_UNUSUAL = re.compile(r"[^\n -~]")
"""The characters of a JSON document that are not plain text. Control characters below them are escaped already."""


def plain(value: object) -> object:
    """Return `value` in types that json.dumps takes.

    Dataclasses and named tuples become objects, bytes hex digits, and a dataclass with a `__str__` of its own (an id)
    that text.
    """
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


def plain_fields(value: object) -> dict[str, object]:
    """Return the fields of a dataclass instance, by name, in types that json.dumps takes."""
    found = plain(value)
    assert isinstance(found, dict), "callers pass dataclasses without a __str__ of their own"
    return found


def json_text(value: object) -> str:
    """Return `value` as one indented JSON document. Characters that could control a terminal are escaped."""
    return _UNUSUAL.sub(_escaped, json.dumps(plain(value), indent=2, ensure_ascii=False))


def _escaped(sign: re.Match[str]) -> str:
    return sign[0] if sign[0].isprintable() else json.dumps(sign[0])[1:-1]


def print_json(value: object) -> None:
    """Print `value` on stdout as JSON."""
    click.echo(json_text(value))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; `right` aligns its cells to the right, for numbers."""

    title: str
    right: bool = False


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table: titles, a rule, the rows; two spaces between columns, no trailing space."""
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


def command_line(arguments: Sequence[str]) -> str:
    """Return the command line that runs `arguments` in the user's shell.

    It begins with `bowerbird` if the PATH finds this program, else with the path to it.
    """
    return shlex.join([_program(), *arguments])


def _program() -> str:
    started = shutil.which(sys.argv[0])
    if started is None or os.path.basename(started) != PROGRAM:
        return PROGRAM
    found = shutil.which(PROGRAM)
    if found is not None and os.path.samefile(found, started):
        return PROGRAM
    relative = os.path.relpath(started)
    return started if relative.startswith(os.pardir) else relative


@contextmanager
def progress_bar(title: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on stderr and yield a function (done, total) that moves it; no bar if stderr is no terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
