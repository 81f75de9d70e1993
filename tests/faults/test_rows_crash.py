"""Bots that end or leave in the middle of a game (faults.md rows 3 and 11)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.referee.fault_matrix import Seen
from tests.support.referee.offence import offend, tell
from tests.support.referee.tables import bot


@pytest.mark.row(3)
@pytest.mark.parametrize(("mode", "detail"), [("killed", "signal 9 (SIGKILL)"), ("exits", "exit status 3")])
def test_a_bot_that_ends_in_a_decision_is_crashed_at_once_and_not_at_its_limit(
    tmp_path: Path, seen: Seen, mode: str, detail: str
) -> None:
    """Otherwise its clock of 20 s would run out and the fault would be a TIMEOUT."""
    offence = offend(tmp_path, bot("bad", mode, "1"))
    assert (offence.fault.kind, offence.fault.detail) == ("CRASHED", detail)
    assert offence.record.result.ranks == (1, 2, 1, 2)
    tell(seen, offence)


@pytest.mark.row(11)
@pytest.mark.parametrize("mode", ["half-closes", "hangs-up"])
def test_a_bot_that_leaves_in_the_middle_of_a_hand_is_disconnected(tmp_path: Path, seen: Seen, mode: str) -> None:
    offence = offend(tmp_path, bot("bad", mode, "1"))
    assert (offence.fault.kind, offence.fault.detail) == (
        "DISCONNECTED",
        "its stream ended while its process was running",
    )
    tell(seen, offence, mode)
