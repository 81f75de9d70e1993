"""Fixtures of the tests of tournaments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.tournament.bot_folders import Yard


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    """Return a yard with the bots alpha and beta, which play everything."""
    made = Yard(tmp_path)
    made.bot("alpha")
    made.bot("beta")
    return made
