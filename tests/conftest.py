"""Hooks and fixtures of all tests: their tiers, async tests, the command, tests that need a toolchain.

Every test belongs to one tier, which its marker `long`, its folder and its fixtures decide:

| tier | what it holds | run by |
|---|---|---|
| `process` | all that runs in one process | `make test` |
| `processes` | what starts others (referees, bots, browsers, compilers), and simulations | `make test-processes` |
| `pages` | pages compared with the code, in one process | `make docs` |
| `long` | what takes too long for every change | `make test-long` |
| `fuzz` | harnesses that draw input for a given time | `make fuzz` |

A test that starts a process takes the fixture `processes`, or one built on it such as `bowerbird`; without it the start
is refused. A test that computes for many seconds takes `simulations`. One that takes all processors is marked
`alone`, and `make test-processes` runs it before the others.
"""

from __future__ import annotations

import gc
import inspect
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path

import hypothesis
import pytest
import trio
import trio.testing

from bowerbird.harness.process_settings import configure_grpc, configure_linear_algebra
from tests.support.chromium import Browser, chromium
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.deadline import DEADLINE_S

# As the command does; gRPC and numpy read it when they are imported.
configure_grpc()
configure_linear_algebra()

SLOWER = frozenset({"processes", "simulations"})
"""Fixtures that put a test into the tier `processes`."""

TIERS = ("process", "processes", "pages", "long", "fuzz")

PROCESSES_FOLDERS = frozenset({"browser", "e2e", "faults", "wheel"})
"""Folders of tests that all start processes. The tier `process` does not even look into them."""

NAMES_SLOWER = re.compile(r"\b(processes|simulations|toolchain|Bowerbird)\b")
"""A file outside those folders has a test of the tier `processes` only if its text has one of these words."""

PAGES_FOLDERS = frozenset({"docs"})
FUZZ_FOLDERS = frozenset({"fuzz"})

UNREAD = {"process": PROCESSES_FOLDERS | PAGES_FOLDERS | FUZZ_FOLDERS, "processes": FUZZ_FOLDERS}
"""Folders that have nothing of a tier. Pages are in their own folder alone."""

STARTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"})
"""What Python reports to audit hooks before it starts a process."""

MEMORY = "/dev/shm"
"""A file system in memory, where there is one. Programs may not start from it, so it suits tests that start none."""

MOST_SHOWN = 10

TIER = pytest.StashKey[str]()
IN_MEMORY = pytest.StashKey[str]()
"""The folder of temporary files that this process made in MEMORY."""

REQUIRED = "BOWERBIRD_REQUIRE_TOOLCHAINS"
"""If set to 1, as in CI, a test that would skip fails instead: a test that CI skips runs nowhere."""


MOCKED_DEADLINE_S = 86_400
"""The deadline on a mock clock, which jumps whenever all tasks wait."""

RUNNING: list[pytest.Item] = []
"""The test that runs in this process, for the audit hook, which cannot be taken away."""

_CONFIGURATION = tempfile.TemporaryDirectory(prefix="bowerbird-tests-")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--tier", choices=TIERS, help="run the tests of this tier alone; all but `long` and `fuzz` if left out"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let no drawn example fail because it takes too long: the machine may be busy. Keep keys out of the home.

    Programs that tests start must take Ctrl-C, also where a shell runs the tests in the background, which ignores it.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["XDG_CONFIG_HOME"] = _CONFIGURATION.name
    hypothesis.settings.register_profile("no deadline", deadline=None)
    hypothesis.settings.load_profile("no deadline")
    sys.addaudithook(_refuse_processes)
    gc.disable()  # what collection makes is kept
    if config.getoption("--tier") == "process" and not config.option.basetemp and _has_room(MEMORY):
        config.option.basetemp = tempfile.mkdtemp(prefix="", dir=MEMORY)  # no database waits for a disk
        config.stash[IN_MEMORY] = config.option.basetemp


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Give the memory back; files that failed tests left stay."""
    if exitstatus == pytest.ExitCode.OK and (folder := session.config.stash.get(IN_MEMORY, "")):
        shutil.rmtree(folder, ignore_errors=True)


def _has_room(folder: str) -> bool:
    return os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > 2**31


def pytest_collection_finish() -> None:
    """Leave modules and items, which live as long as this process, out of each search for garbage: a tenth of all."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 50)


def _folder(path: Path) -> str:
    """Return the first folder below `tests` of a path."""
    return (*path.relative_to(Path(__file__).parent).parts, "")[0]


def _tier(item: pytest.Item) -> str:
    folder = _folder(item.path)
    if item.get_closest_marker("long"):
        return "long"
    if folder in FUZZ_FOLDERS:
        return "fuzz"
    taken = SLOWER.intersection(getattr(item, "fixturenames", ()))
    if taken or item.get_closest_marker("toolchain") or folder in PROCESSES_FOLDERS:
        return "processes"
    return "pages" if folder in PAGES_FOLDERS else "process"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Read no folder and no file that has nothing of the tier: reading all takes 20 s, in each process of tests."""
    tier, folder = config.getoption("--tier"), _folder(collection_path)
    if collection_path.is_dir():
        ignored = folder in UNREAD.get(tier, frozenset()) or (tier == "pages" and folder not in {*PAGES_FOLDERS, ""})
    else:
        ignored = tier == "processes" and collection_path.suffix == ".py" and not _may_be_slower(collection_path)
    return True if ignored else None


def _may_be_slower(file: Path) -> bool:
    """Return whether a file may have tests of the tier `processes`. `pytest_collection_modifyitems` checks the rule."""
    return _folder(file) in PROCESSES_FOLDERS or NAMES_SLOWER.search(file.read_text(encoding="utf-8")) is not None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the chosen tier. Give long tests their time: others end at `timeout`, with a trace."""
    chosen = config.getoption("--tier")
    unasked = {"fuzz"} if config.getoption("--matrix", False) else {"fuzz", "long"}  # a row may have long tests alone
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        tier = item.stash[TIER] = _tier(item)
        if tier == "processes" and not _may_be_slower(item.path):
            raise pytest.UsageError(f"{item.nodeid} would be left out: its file has no word of {NAMES_SLOWER.pattern}.")
        if tier in ("long", "fuzz"):
            item.add_marker(pytest.mark.timeout(0))
        (kept if tier == chosen or (chosen is None and tier not in unasked) else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept


def _refuse_processes(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse to start a process in a test that does not say that it does."""
    if event in STARTS and RUNNING and RUNNING[-1].stash[TIER] in ("process", "pages"):
        raise AssertionError(
            f"{RUNNING[-1].nodeid} starts a process ({event}: {arguments[:1]}). "
            'Give it the fixture "processes" (tests/conftest.py), so that it runs with `make test-processes`.'
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Remember which test is running, its fixtures included."""
    RUNNING.append(item)
    try:
        return (yield)
    finally:
        RUNNING.pop()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an `async def` test under trio, with a deadline.

    A fixture of such a test may return an async context manager. The test gets the value that the manager yields, in
    the same trio run. With the marker `mock_clock` the clock stands still while any task can run.
    """
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    mocked = pyfuncitem.get_closest_marker("mock_clock") is not None

    async def main() -> None:
        with trio.fail_after(MOCKED_DEADLINE_S if mocked else DEADLINE_S):
            async with AsyncExitStack() as entered:
                arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(test).parameters}
                for name, value in arguments.items():
                    if isinstance(value, AbstractAsyncContextManager):
                        arguments[name] = await entered.enter_async_context(value)
                await test(**arguments)

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0) if mocked else None)
    return True


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose marker `toolchain("node", "npm")` names a program that is not on the PATH."""
    for marker in item.iter_markers("toolchain"):
        missing = [program for program in marker.args if shutil.which(program) is None]
        if missing:
            pytest.skip(f"needs {' and '.join(missing)}, not on the PATH")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure if every toolchain is required."""
    report = yield
    if os.environ.get(REQUIRED) == "1" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} skipped, which {REQUIRED}=1 forbids: {reason}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how to run just what failed."""
    failed = {report.nodeid: report for kind in ("failed", "error") for report in terminalreporter.getreports(kind)}
    if failed:
        terminalreporter.section("run a failed test alone")
    for nodeid in list(failed)[:MOST_SHOWN]:
        terminalreporter.line(f".venv/bin/python -m pytest {shlex.quote(nodeid)}")
    if len(failed) > MOST_SHOWN:
        terminalreporter.line(f"… and {len(failed) - MOST_SHOWN} more; --last-failed runs them all")


@pytest.fixture(scope="session")
def processes() -> None:
    """Say that a test starts processes. Fixtures that do so take it."""


@pytest.fixture(scope="session")
def simulations() -> None:
    """Mark a test that computes for so long that `make test` leaves it out, such as coverage over many tournaments."""


@pytest.fixture(scope="session")
def _chromium(processes: None) -> Iterator[Browser]:
    """Start the browser of all tests."""
    with chromium() as found:
        yield found


@pytest.fixture
def browser(_chromium: Browser) -> Iterator[Browser]:
    """Return the browser of all tests, which closes the test's pages afterwards."""
    yield _chromium
    _chromium.close_pages()


@pytest.fixture
def bowerbird(tmp_path: Path, processes: None) -> Iterator[Bowerbird]:
    """Return the command, in an empty folder. After the test no process may be left."""
    command = Bowerbird(tmp_path)
    yield command
    left = command.wait_until_gone()
    assert not left, f"processes that outlived the command: {left}"
