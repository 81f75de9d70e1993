"""What all tests share: the command with real processes, tests that need another language's toolchain, and skips."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from bowerbird_command import Bowerbird

REQUIRED = "BOWERBIRD_REQUIRE_TOOLCHAINS"
"""Set to 1 (CI does), a test that skips fails instead: what is not run there is run nowhere."""


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
    """Turn a skip into a failure where every toolchain is required."""
    report = yield
    if os.environ.get(REQUIRED) == "1" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} skipped, which {REQUIRED}=1 forbids: {reason}"
    return report


@pytest.fixture
def bowerbird(tmp_path: Path) -> Iterator[Bowerbird]:
    """The command, in an empty folder. After the test no process may be left."""
    command = Bowerbird(tmp_path)
    yield command
    left = command.wait_until_gone()
    assert not left, f"processes that outlived the command: {left}"
