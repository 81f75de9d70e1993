"""Bots that end or leave in the middle of a game (FAULTS.md, rows 3 and 11)."""

from __future__ import annotations

import pytest
from tables import SEED, bot, play, running, table

from harness.records.replay import check


@pytest.mark.row(3)
def test_a_killed_bot_is_crashed_with_the_signal_at_once(tmp_path, seen):
    """At once: the clock of 20 s that was running is nowhere near its end."""
    bots = [bot("a", "last"), bot("bad", "killed", "1")]
    [record], _ = play([table(("a", "bad", "a", "bad"))], bots, tmp_path)
    [fault] = record.faults
    assert (fault.kind, fault.detail) == ("CRASHED", "signal 9 (SIGKILL)")
    check(record, SEED)
    assert not running(tmp_path)
    seen(f"{fault.kind}: {fault.detail}", ms=fault.elapsed_ms, limit_ms=fault.limit_ms)


@pytest.mark.row(11)
@pytest.mark.parametrize("mode", ["half-closes", "hangs-up"])
def test_a_bot_that_leaves_in_the_middle_of_a_hand_is_disconnected(tmp_path, seen, mode):
    bots = [bot("a", "last"), bot("bad", mode, "1")]
    [record], _ = play([table(("a", "bad", "a", "bad"))], bots, tmp_path)
    [fault] = record.faults
    assert (fault.kind, fault.detail) == ("DISCONNECTED", "its stream ended while its process lived")
    check(record, SEED)
    assert not running(tmp_path)
    seen(f"{mode}: {fault.kind}: {fault.detail}", ms=fault.elapsed_ms, limit_ms=fault.limit_ms)
