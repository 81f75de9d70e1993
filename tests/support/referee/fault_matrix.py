"""The fault matrix: what is injected into a run, and the required outcome. `make test-faults` prints it.

The rows come from faults.md, Fault matrix.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "reference" / "faults.md"


@dataclass(frozen=True)
class Row:
    """A row of the matrix."""

    number: int
    injected: str
    expected: str


@cache
def matrix_rows() -> tuple[Row, ...]:
    """Return the rows of the table in faults.md, in its order."""
    section = PAGE.read_text(encoding="utf-8").partition("## Fault matrix\n")[2]
    cells = re.findall(r"^\| (\d+) \| (.+?) \| (.+?) \|$", section.replace("`", ""), re.MULTILINE)
    return tuple(Row(int(number), injected, expected) for number, injected, expected in cells)


def matrix_numbers() -> frozenset[int]:
    """Return the numbers of the rows."""
    return frozenset(row.number for row in matrix_rows())


@dataclass(frozen=True)
class Sighting:
    """One observation of a test: words and, where time matters, milliseconds and their limit."""

    what: str
    ms: int | None = None
    limit_ms: int | None = None

    @property
    def milliseconds(self) -> str:
        """Return `1523 of 1520`, `12`, or nothing."""
        if self.ms is None:
            return ""
        return f"{self.ms} of {self.limit_ms}" if self.limit_ms is not None else str(self.ms)


@dataclass(frozen=True)
class Outcome:
    """The outcome of one test of a row."""

    row: int
    test: str
    result: str
    seen: tuple[Sighting, ...]


class Seen(Protocol):
    """Records an observation for the matrix: words and, where time matters, milliseconds with their limit."""

    def __call__(self, what: str, ms: int | None = None, limit_ms: int | None = None) -> None: ...


def print_matrix(outcomes: Iterable[Outcome], console: Console) -> None:
    """Print every row with the observations of its tests; highlight rows without a test, and failed tests."""
    by_row: dict[int, list[Outcome]] = {}
    for outcome in outcomes:
        by_row.setdefault(outcome.row, []).append(outcome)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title, share in (("injected", 3), ("expected", 3), ("seen", 4)):
        if title == "injected":
            table.add_column("row", justify="right", no_wrap=True)
        table.add_column(title, ratio=share)
    table.add_column("ms", justify="right", no_wrap=True)
    for row in matrix_rows():
        done = by_row.get(row.number, [])
        first = True
        for sighting in _sightings(done):
            head = (str(row.number), row.injected, row.expected) if first else ("", "", "")
            table.add_row(*head, sighting.what, sighting.milliseconds)
            first = False
        table.add_section()
    console.print(table, markup=False)


def _sightings(done: Sequence[Outcome]) -> list[Sighting]:
    if not done:
        return [Sighting("NO TEST RAN")]
    lines = []
    for outcome in done:
        if outcome.result != "passed":
            lines.append(Sighting(f"{outcome.result.upper()}: {outcome.test}"))
        lines += outcome.seen
    return lines or [Sighting("passed")]


def unproven(outcomes: Collection[Outcome], *, can_try_all: bool) -> list[int]:
    """Return the rows that do not hold: those with a test that failed, and those without any test.

    Who can try all tests may skip none.
    """
    tried = {outcome.row for outcome in outcomes}
    holds = {"passed"} if can_try_all else {"passed", "skipped"}
    failed = {outcome.row for outcome in outcomes if outcome.result not in holds}
    return sorted((matrix_numbers() - tried) | failed)


def untried(outcomes: Collection[Outcome], *, can_try_all: bool) -> list[int]:
    """Return the rows that hold as far as can be told here: some of their tests were skipped, none failed."""
    skipped = {outcome.row for outcome in outcomes if outcome.result == "skipped"}
    return sorted(skipped.difference(unproven(outcomes, can_try_all=can_try_all)))
