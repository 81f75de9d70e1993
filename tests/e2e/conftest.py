"""Fixtures of the end-to-end tests: an empty folder, or one with a run in it. No process may outlive a test."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import GOOD, Bowerbird


@pytest.fixture(scope="session")
def _played_once(tmp_path_factory: pytest.TempPathFactory) -> Bowerbird:
    """Return the folder that `played` copies."""
    command = Bowerbird(tmp_path_factory.mktemp("played"))
    file = command.tournament(GOOD, command.bot("one", "honest"), command.bot("two", "honest"), name="good")
    command.done("tournament", file, "--db", "x.db", "--quiet")
    return command


@pytest.fixture
def played(tmp_path: Path, _played_once: Bowerbird) -> Bowerbird:
    """Return the command in a folder with bots one and two, good.toml, and x.db, which holds that run."""
    folder = tmp_path / "played"
    shutil.copytree(_played_once.folder, folder)
    return Bowerbird(folder, _played_once.mark)
