"""What the tests of tournaments share."""

from __future__ import annotations

from pathlib import Path

import pytest
from bot_yard import Yard


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    """A yard with the bots alpha and beta in it, which play everything."""
    made = Yard(tmp_path)
    made.bot("alpha")
    made.bot("beta")
    return made
