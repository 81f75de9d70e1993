"""Fixtures of the tests of an installed wheel. No process may outlive a test."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.installed_wheel import (
    Installed,
    installed,
    ordinary_tools,
    ordinary_user,
    runs_for_others,
    tools_of_this_user,
)


@pytest.fixture(scope="session")
def venv(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the virtual environment with the wheel, made once for all test processes."""
    base = tmp_path_factory.getbasetemp()
    with installed(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) as path:
        yield path


@pytest.fixture
def wheel(venv: Path) -> Iterator[Installed]:
    """Return the installed command of this user, in an empty folder, with an empty home."""
    with _in_empty_folders(venv, None, tools_of_this_user()) as command:
        yield command


@pytest.fixture
def stranger(venv: Path) -> Iterator[Installed]:
    """Return the installed command of an ordinary user who can write neither the environment nor its caches."""
    user = ordinary_user()
    if not runs_for_others(str(venv / "bin" / "python")):
        pytest.skip("needs a Python 3.11 or newer that an ordinary user can run")
    folders = [] if user is not None else [path for path in venv.rglob("*") if path.is_dir() and not path.is_symlink()]
    for folder in folders:
        folder.chmod(0o555)
    try:
        with _in_empty_folders(venv, user, ordinary_tools()) as command:
            yield command
    finally:
        for folder in folders:
            folder.chmod(0o755)


@contextmanager
def _in_empty_folders(venv: Path, user: int | None, tools: Mapping[str, str]) -> Iterator[Installed]:
    top = Path(tempfile.mkdtemp(prefix="bowerbird-home-"))
    try:
        top.chmod(0o755)
        command = Installed(venv, top / "work", top / "home", user, tools)
        for folder in (command.folder, command.home):
            folder.mkdir()
            if user is not None:
                os.chown(folder, user, user)
        yield command
        left = command.wait_until_gone()
        assert not left, f"processes that outlived the command: {left}"
    finally:
        shutil.rmtree(top, ignore_errors=True)
