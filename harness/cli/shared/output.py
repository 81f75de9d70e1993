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
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from itertools import zip_longest
from pathlib import Path

import click

from bowerbird.harness.cli.shared.options import DEFAULT_DB

PROGRAM = "bowerbird"

_UNUSUAL = re.compile(r"[^\n -~]")
"""The characters to escape in a JSON document. Lower control characters are already escaped."""


def plain(value: object) -> object:
    """Return `value` converted to types that json.dumps accepts.

    Dataclasses and named tuples become objects, bytes become hex digits, and a dataclass with its own `__str__` (an id)
    becomes that text.
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
    """Return the fields of a dataclass instance, by name, converted to types that json.dumps accepts."""
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


GAP = "  "
"""The text between two columns of a table."""

ELLIPSIS = "…"

_LAST_COMMAND = re.compile(rf"(.+:) (\S*{PROGRAM} [a-z].*)")
"""A line that ends with a command: `resume it with: bowerbird runs resume 4f1c9a`."""

READABLE, LEAST = 20, 8
"""Cells are cut to the first width before any column is dropped, and to the second once all droppable ones are gone.
"""

FALLBACK_WIDTH = 80
"""The assumed width of a terminal that does not report one."""

HEADS = (0.5, 0.7, 0.3, 1.0, 0.0)
"""Possible shares of the beginning in a cut text. The first share that keeps all texts distinct is used."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    right: align its cells to the right, for numbers.
    cut: its cells can be cut in the middle, for names.
    wrap: its cells can be wrapped between words, for titles and sentences.
    drop: its place in the order in which columns are dropped; 0 to keep it always.
    below: if the table is too wide, write its cells below the row, each after this text; None to keep it in the row.
    """

    title: str
    right: bool = False
    cut: bool = False
    wrap: bool = False
    drop: int = 0
    below: str | None = None


def note(text: str) -> None:
    """Print a message on stderr; on a terminal, break it as `message_lines` does."""
    for line in message_lines(text, _terminal_width(sys.stderr.fileno()) if sys.stderr.isatty() else None):
        echo(line, err=True)


def echo(line: str, *, err: bool = False) -> None:
    """Print one line as `shown` shows it, on stdout or stderr.

    Every command prints every line through this function, so that no escape sequence, writing direction or newline in
    untrusted text reaches a terminal.

    Only the stepper and the progress bar add styles elsewhere, around text that is already safe.
    """
    from bowerbird.harness.records.quoting import shown

    click.echo(shown(line), err=err)


def message_lines(text: str, width: int | None) -> list[str]:
    """Return the lines of a message, wrapped between words at `width`.

    An indented line (a command or a token) stays whole, so that it can be copied. A command at the end of a line also
    stays whole; it gets its own line if the line is too wide.
    """
    lines = []
    for line in text.split("\n"):
        if width is None or len(line) <= width or line.startswith(" "):
            lines.append(line)
        elif command := _LAST_COMMAND.fullmatch(line):
            lines += [*wrapped(command[1], width), f"  {command[2]}"]
        else:
            lines += wrapped(line, width)
    return lines


def _terminal_width(descriptor: int) -> int:
    try:
        return os.get_terminal_size(descriptor).columns or FALLBACK_WIDTH
    except OSError:
        return FALLBACK_WIDTH


def output_width() -> int | None:
    """Return the width of stdout: the terminal's, or else the variable COLUMNS.

    Returns None, for no limit, if a program reads the output, so that it gets whole lines.
    """
    if sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else None


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None = None) -> list[str]:
    """Return the lines of a table: titles, a rule, the rows; two spaces between columns, no trailing space.

    width: the longest line; None for no limit.

    A table that is too wide is narrowed step by step until it fits: `below` columns move below their row, the widest
    first; names are cut to `READABLE`; titles and sentences are wrapped, to `READABLE` at the narrowest; columns are
    dropped in their order; names are cut to `LEAST`; the rest is written in parts below one another, each with the
    first column. A last line names the columns that were dropped.
    """
    from bowerbird.harness.records.quoting import shown

    return _Table(columns, [list(map(shown, row)) for row in rows], width).lines()


class _Table:
    """A table that is being narrowed to a width. `at` are the indexes of the columns still in the row."""

    def __init__(self, columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None) -> None:
        self._columns = columns
        self._whole = [[row[at] for row in rows] for at in range(len(columns))]
        self._cells = list(self._whole)
        self._rows = len(rows)
        self._limit = width
        self._at = list(range(len(columns)))
        self._below: list[int] = []
        self._dropped: list[int] = []
        self._wraps: dict[int, int] = {}

    def lines(self) -> list[str]:
        """Return the lines of the table, narrowed only as far as necessary."""
        while not self._fits() and (able := [at for at in self._at if self._columns[at].below is not None]):
            widest = max(able, key=lambda at: self._widths()[at])
            self._at.remove(widest)
            self._below = sorted([*self._below, widest])
        self._cut(READABLE)
        self._wrap()
        for at in sorted(self._at, key=lambda at: self._columns[at].drop):
            if self._columns[at].drop and not self._fits():
                self._at.remove(at)
                self._dropped.append(at)
                self._wrap()
        self._cut(LEAST)
        first, *others = self._parts()
        lines = self._drawn(first, is_first=True)
        for part in others:
            lines += ["", *self._drawn(part, is_first=False)]
        if self._dropped:
            titles = ", ".join(self._columns[at].title for at in self._dropped)
            lines += self._wrapped(f"(not shown: {titles}; a wider terminal and --json show all)", "")
        return lines

    def _widths(self) -> list[int]:
        widest = [
            max([len(column.title), *map(len, cells)]) for column, cells in zip(self._columns, self._cells, strict=True)
        ]
        return [self._wraps.get(at, width) for at, width in enumerate(widest)]

    def _total(self, at: Sequence[int]) -> int:
        widths = self._widths()
        return sum(widths[each] for each in at) + len(GAP) * (len(at) - 1)

    def _fits(self) -> bool:
        return self._limit is None or self._total(self._at) <= self._limit

    def _cut(self, least: int) -> None:
        """Cut names until the table fits, longest column first, but never below `least` characters."""
        self._cells = list(self._whole)
        able = {at for at in self._at if self._columns[at].cut}
        while not self._fits() and self._limit is not None:
            widths = self._widths()
            able = {at for at in able if widths[at] > max(least, len(self._columns[at].title))}
            if not able:
                return
            widest = max(able, key=lambda at: widths[at])
            others = [widths[at] for at in able if at != widest]
            floor = max(least, len(self._columns[widest].title), *others)
            wanted = max(floor, widths[widest] - (self._total(self._at) - self._limit))
            for length in range(min(wanted, widths[widest] - 1), widths[widest]):
                cells = cut_texts(self._whole[widest], length)
                if cells is not None:
                    self._cells[widest] = cells
                    break
            else:
                able.remove(widest)

    def _wrap(self) -> None:
        """Wrap columns to the remaining width, widest first, if that is at least `READABLE`.

        Change nothing if the table would still be too wide.
        """
        self._wraps = {}
        able = {at for at in self._at if self._columns[at].wrap and self._widths()[at] > READABLE}
        while able and not self._fits() and self._limit is not None:
            widths = self._widths()
            widest = max(able, key=lambda at: widths[at])
            able.remove(widest)
            left = widths[widest] - (self._total(self._at) - self._limit)
            self._wraps[widest] = max(READABLE, len(self._columns[widest].title), left)
        if not self._fits():
            self._wraps = {}

    def _parts(self) -> list[list[int]]:
        """Return the columns of each part of the table. Every part begins with the first column."""
        if self._fits() or len(self._at) < 2:
            return [self._at]
        first, *others = self._at
        parts = [[first]]
        for at in others:
            if self._limit is not None and len(parts[-1]) > 1 and self._total([*parts[-1], at]) > self._limit:
                parts.append([first])
            parts[-1].append(at)
        return parts

    def _drawn(self, part: Sequence[int], *, is_first: bool) -> list[str]:
        widths = self._widths()

        def line(cells: Sequence[str]) -> str:
            padded = [
                cell.rjust(widths[at]) if self._columns[at].right else cell.ljust(widths[at])
                for cell, at in zip(cells, part, strict=True)
            ]
            return GAP.join(padded).rstrip()

        below = self._below if is_first else []
        lines = [line([self._columns[at].title for at in part])]
        lines += [f"{GAP}{self._columns[at].title}" for at in below if not self._columns[at].below]
        lines.append(GAP.join("─" * widths[at] for at in part)[: self._limit])
        for row in range(self._rows):
            pieces = [wrapped(self._cells[at][row], self._wraps.get(at)) for at in part]
            lines += [line(cells) for cells in zip_longest(*pieces, fillvalue="")]
            cells = [(self._columns[at].below, self._cells[at][row]) for at in below]
            if text := "; ".join(f"{before}{cell}" for before, cell in cells if cell not in ("", "-")):
                lines += self._wrapped(text, GAP)
        return lines

    def _wrapped(self, text: str, indent: str) -> list[str]:
        assert self._limit is not None, "only a table with a limit has lines that do not fit"
        return wrapped(f"{indent}{text}", self._limit)


def cut_texts(texts: Sequence[str], width: int) -> list[str] | None:
    """Return texts of at most `width` characters, cut in the middle: `two-handed…random`.

    Different texts stay different; return None if no way of cutting keeps them distinct.
    """
    for head in HEADS:
        cut = [_cut_text(text, width, head) for text in texts]
        if len(set(cut)) == len(set(texts)):
            return cut
    return None


def _cut_text(text: str, width: int, head: float) -> str:
    if len(text) <= width:
        return text
    room = max(0, width - len(ELLIPSIS))
    begins = round(room * head)
    return f"{text[:begins]}{ELLIPSIS}{text[len(text) - (room - begins) :]}"


def print_lines(lines: Iterable[str]) -> None:
    """Print lines on stdout, with invisible characters escaped and lines wrapped to the width of the output."""
    from bowerbird.harness.records.quoting import shown

    width = output_width()
    for text in lines:
        for line in wrapped(shown(text), width):
            click.echo(line)


HEAD = re.compile(r" *(?:(?:[A-Z][a-z]+|[0-9]+) {2,})?")
"""The indentation of a line, with its heading or number, if any: `Pack 24: A K Q`."""


def rejoined(lines: Sequence[str], width: int | None) -> list[str]:
    """Return lines for `wrapped`. If a line is too wide, join continuation lines to the heading before them."""
    if width is None or max(map(len, lines), default=0) <= width:
        return list(lines)
    joined: list[str] = []
    for line in lines:
        head = _head(joined[-1]) if joined else ""
        if head.strip() and _head(line) == " " * len(head):
            joined[-1] = f"{joined[-1]} {line.lstrip()}"
        else:
            joined.append(line)
    return joined


def _head(line: str) -> str:
    head = HEAD.match(line)
    assert head is not None, "the pattern matches an empty text"
    return head[0]


def wrapped(text: str, width: int | None) -> list[str]:
    """Break a line between words into lines of at most `width` characters, keeping the text aligned."""
    if width is None or len(text) <= width:
        return [text]
    indent = " " * min(len(_head(text)), width // 2)
    return textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def command_line(arguments: Sequence[str]) -> str:
    """Return the command line that runs `arguments` in the user's shell.

    It begins with `bowerbird` if this program is on the PATH, else with the path to it.
    """
    return shlex.join([_program(), *arguments])


def recorded_command(db: Path, *arguments: str) -> str:
    """Return the command line that runs `arguments` on the database `db`. Leave out --db if `db` is the default."""
    return command_line([*arguments, *([] if db == DEFAULT_DB else ["--db", str(db)])])


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
    """Show a bar on stderr and yield a function (done, total) that moves it; no bar if stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
