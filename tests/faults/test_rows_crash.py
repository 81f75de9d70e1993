"""Bots that end or leave in the middle of a game (FAULTS.md, rows 3 and 11)."""

from __future__ import annotations

import pytest
from offence import offend, slow, tell
from tables import bot


@pytest.mark.row(3)
@pytest.mark.parametrize(("mode", "detail"), [("killed", "signal 9 (SIGKILL)"), slow("exits", "exit status 3")])
def test_a_bot_that_ends_in_a_decision_is_crashed_at_once_and_not_at_its_limit(tmp_path, seen, mode, detail):
    """Its clock of 20 s is what it would otherwise have run into, as a TIMEOUT."""
    offence = offend(tmp_path, bot("bad", mode, "1"))
    assert (offence.fault.kind, offence.fault.detail) == ("CRASHED", detail)
    assert offence.record.result.ranks == (1, 2, 1, 2)
    tell(seen, offence)


@pytest.mark.row(11)
@pytest.mark.parametrize("mode", [slow("half-closes"), slow("hangs-up")])
def test_a_bot_that_leaves_in_the_middle_of_a_hand_is_disconnected(tmp_path, seen, mode):
    offence = offend(tmp_path, bot("bad", mode, "1"))
    assert (offence.fault.kind, offence.fault.detail) == ("DISCONNECTED", "its stream ended while its process lived")
    tell(seen, offence, mode)
