"""The fault matrix: what is injected into a run, and the required outcome (faults.md). `make test-faults` prints it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """A row of the matrix; `number` is its number in faults.md."""

    number: int
    injected: str
    expected: str


ROWS = (
    Row(
        1,
        "exits before connecting; wrong command; not executable",
        "NEVER_STARTED, reason and stderr shown, run goes on",
    ),
    Row(2, "never connects; connects and never says Hello or Ready", "start-up timeout"),
    Row(3, "SIGKILL in mid-decision", "CRASHED with the signal, at once, not at the turn limit"),
    Row(4, "SIGSTOP", "TIMEOUT at its limit; the lateness is small against the limit"),
    Row(5, "slow but inside its budget, bank included", "no penalty; time charged right"),
    Row(6, "index out of range; token of no action; action of another decision", "ILLEGAL"),
    Row(7, "malformed bytes", "PROTOCOL, that seat"),
    Row(8, "10 MB message; gzip bomb", "PROTOCOL; memory bounded"),
    Row(9, "floods messages", "PROTOCOL; other bots' p99 bounded"),
    Row(10, "never reads but keeps the connection alive", "turn clock frees everything"),
    Row(11, "half-closes; leaves in the middle of a hand", "DISCONNECTED"),
    Row(12, "wrong, stolen, reused token", "refused; the game goes on"),
    Row(13, "second stream for one seat", "refused"),
    Row(14, "40 streams, 500 idle connections", "others play on"),
    Row(
        15,
        "answers twice, late, out of order, for a closed table",
        "ignored and counted, or the contract's fault; the same every time",
    ),
    Row(16, "fork bomb; double-forked setsid child", "all gone after the match"),
    Row(17, "memory hog; fills its /tmp", "only that bot dies"),
    Row(18, "writes 100 MB to stdout and stderr", "drained, tail kept"),
    Row(19, "reads the referee's memory, /proc, the store, another seat's socket or token", "denied (sandbox)"),
    Row(20, "signals the referee or another bot; opens a network connection", "denied (sandbox)"),
    Row(21, "kill -9 of the referee 0 to 30 ms after a launch", "no process left"),
    Row(
        22,
        "kill -9 of the referee at any moment of a tournament, then resume",
        "nothing lost, nothing twice; records and ratings as undisturbed",
    ),
    Row(23, "disk full or I/O error at commit", "said, retried or stopped; store intact"),
    Row(24, "two referees, one run", "second refused"),
    Row(25, "bot idle for 15 s between its decisions", "still alive"),
    Row(26, "same seed, same faults, twice", "same verdicts"),
    Row(27, "every byte sent to a seat", "only what it may know: same bytes on a deal it cannot tell apart"),
    Row(28, "Ctrl-C once, twice", "drains, then stops at once; resume command; no process left"),
    Row(29, "all seats pass for ever", "ends by max_hands, rated by score"),
    Row(30, "an instance tries to tell another of its bot what it sees", "cannot (sandbox)"),
)

BY_NUMBER = {row.number: row for row in ROWS}


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
    for row in ROWS:
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


def unproven(outcomes: Iterable[Outcome]) -> list[int]:
    """Return the rows that have no passed test, or one that did not pass."""
    passed: set[int] = set()
    failed: set[int] = set()
    for outcome in outcomes:
        (passed if outcome.result == "passed" else failed).add(outcome.row)
    return sorted((set(BY_NUMBER) - passed) | failed)
