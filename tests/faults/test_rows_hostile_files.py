"""Files of an organiser with content that nobody sane writes, through the command (faults.md row 58)."""

from __future__ import annotations

import pytest

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.hostile_texts import HOSTILE
from tests.support.referee.fault_matrix import Seen

MOST = 1100
"""Characters of an answer: a sentence and the name of the program."""


@pytest.mark.row(58)
def test_no_file_ends_a_command_with_a_defect(bowerbird: Bowerbird, seen: Seen) -> None:
    """One of each eleven; `tests/test_hostile_input.py` tries them all in one process."""
    for text in HOSTILE[::11]:
        (bowerbird.folder / "x.toml").write_text(text, encoding="utf-8")
        done = bowerbird.run(COMMAND, "tournament", "x.toml", "--db", "x.db")
        assert done.returncode == 2, (text[:60], done.stderr[:500])
        assert len(done.stderr) < MOST, text[:60]
    seen("exit code 2 and a short sentence")
