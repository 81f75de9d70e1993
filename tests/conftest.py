"""Hooks and fixtures of all tests: async tests, the command with real processes, and tests that need a toolchain."""

from __future__ import annotations

import inspect
import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path

import hypothesis
import pytest
import trio
import trio.testing

from harness.process_settings import configure_grpc, configure_linear_algebra
from tests.support.command.bowerbird_command import Bowerbird

# As the command does; gRPC and numpy read it when they are imported.
configure_grpc()
configure_linear_algebra()

REQUIRED = "BOWERBIRD_REQUIRE_TOOLCHAINS"
"""If set to 1, as in CI, a test that would skip fails instead: a test that CI skips runs nowhere."""

DEADLINE_S = 300
"""The deadline of an async test and its fixtures, in real time. Only a broken test reaches it."""

MOCKED_DEADLINE_S = 86_400
"""The same deadline on a mock clock, which jumps whenever all tasks wait."""


_CONFIGURATION = tempfile.TemporaryDirectory(prefix="bowerbird-tests-")


def pytest_configure() -> None:
    """Let no drawn example fail for the time that it takes: the machine may be busy. Keep keys out of the home.

    Programs that tests start must take Ctrl-C, also where a shell runs the tests in the background, which ignores it.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["XDG_CONFIG_HOME"] = _CONFIGURATION.name
    hypothesis.settings.register_profile("no deadline", deadline=None)
    hypothesis.settings.load_profile("no deadline")


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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let tests with the marker `long` take their time. All others end at `timeout` in pyproject.toml, with a trace."""
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.timeout(0))


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


@pytest.fixture
def bowerbird(tmp_path: Path) -> Iterator[Bowerbird]:
    """Return the command, in an empty folder. After the test no process may be left."""
    command = Bowerbird(tmp_path)
    yield command
    left = command.wait_until_gone()
    assert not left, f"processes that outlived the command: {left}"
