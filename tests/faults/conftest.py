"""Assigns tests to rows of the fault matrix, records what they saw, and prints the matrix.

A test of row 3 is marked `@pytest.mark.row(3)` and takes the fixture `seen`:

    seen("CRASHED: signal 9 (SIGKILL)", ms=12, limit_ms=20000)

Milliseconds are for the reader of the matrix and are never asserted. `make test-faults` runs this folder with its slow
tests, prints the matrix, and fails if a row has a test that failed, or none. Tests that cannot be tried here are
skipped; as root with control groups, that is a failure.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console

from bowerbird.harness.referee.process.cgroups import CgroupFactory
from tests.support.referee.fault_matrix import Outcome, Seen, Sighting, matrix_numbers, print_matrix, unproven, untried

SEEN = "seen in the matrix"
ROW = "row of the matrix"
NARROWEST = 120


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("fault matrix")
    group.addoption("--matrix", action="store_true", help="print the matrix; fail if a row has no test")
    group.addoption("--kills", type=int, default=2, help="how often the referee of row 22 is killed (default 2)")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Note the rows that a test is marked with. Fixtures could not: a test that `skipif` skips has none."""
    item.user_properties += [(ROW, number) for marker in item.iter_markers("row") for number in marker.args]


@pytest.fixture
def seen(record_property: Callable[[str, object], None]) -> Seen:
    """Record what a test saw, for the matrix."""

    def note(what: str, ms: int | None = None, limit_ms: int | None = None) -> None:
        record_property(SEEN, [what, ms, limit_ms])

    return note


@pytest.fixture
def runtime_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let runs put their sockets into a folder of this test. Its path is short, as a socket's path must be."""
    with tempfile.TemporaryDirectory(prefix="b-") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


def _outcomes(reporter: pytest.TerminalReporter) -> list[Outcome]:
    """Return the outcome of each test for each of its rows; an error in set-up or teardown counts as a failure."""
    found = []
    for result in ("passed", "failed", "error", "skipped"):
        for report in reporter.stats.get(result, []):
            if result == "passed" and report.when != "call":
                continue
            properties = list(report.user_properties)
            sightings = tuple(Sighting(*value) for key, value in properties if key == SEEN)
            found += [
                Outcome(number, report.nodeid.rpartition("::")[2], result, sightings)
                for key, number in properties
                if key == ROW
            ]
    return sorted(found, key=lambda outcome: (outcome.row, outcome.test))


def _can_try_all() -> bool:
    """Return whether this user can try every test: root with control groups."""
    return os.geteuid() == 0 and CgroupFactory.detect() is not None


def _wants_matrix(config: pytest.Config) -> bool:
    return bool(config.getoption("--matrix")) and not hasattr(config, "workerinput")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """With --matrix, fail the session if a row has no test. Tests that fail do so anyway."""
    if not _wants_matrix(session.config) or session.config.option.collectonly:
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    assert isinstance(reporter, pytest.TerminalReporter)
    if unproven(_outcomes(reporter), can_try_all=_can_try_all()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not _wants_matrix(config):
        return
    outcomes = _outcomes(terminalreporter)
    terminalreporter.section("fault matrix")
    console = Console(file=terminalreporter._tw._file, highlight=False)
    console.width = max(console.width, NARROWEST)
    print_matrix(outcomes, console)
    all_tried = _can_try_all()
    missing, skipped = unproven(outcomes, can_try_all=all_tried), untried(outcomes, can_try_all=all_tried)
    rows = len(matrix_numbers())
    terminalreporter.line(
        f"{rows - len(missing) - len(skipped)} of {rows} rows hold"
        + (f"; not shown: {missing}" if missing else "")
        + (f"; this machine or user cannot try all tests of: {skipped} (-rs says why)" if skipped else "")
    )
