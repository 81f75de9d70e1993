"""A folder with recorded games, as a reader of the public package's examples has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command.bowerbird_command import Bowerbird


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory, processes: None) -> Path:
    """Return a folder with `bowerbird.db`, four deal sets of greedy against random, and their archive `run.tar.gz`."""
    folder = tmp_path_factory.mktemp("recorded")
    bowerbird = Bowerbird(folder)
    bots = ("greedy", "random", "--variant", "euchre", "--sets", "4", "--seed", "study")
    bowerbird.done("match", *bots, "--db", "bowerbird.db", "--isolation", "none")
    bowerbird.done("export", "match-euchre-greedy-random", "-o", "run.tar.gz", "--db", "bowerbird.db")
    return folder


@pytest.fixture
def in_recorded(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the folder `recorded` the working folder."""
    monkeypatch.chdir(recorded)
    return recorded
