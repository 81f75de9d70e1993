"""Bots that never reach Ready (faults.md rows 1 and 2)."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.support.referee.fault_matrix import Seen
from tests.support.referee.offence import offend, tell
from tests.support.referee.tables import PATIENT, bot, conditions, play, running, table


@pytest.mark.row(1)
@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("exits-at-once", "exit status 1 before its Hello"),
        ("leaves-before-ready", "left before its Ready"),
        ("garbage-before-ready", "bytes that are not a PlayRequest instead of its Ready"),
        ("ready-first", "the first message must be a Hello"),
        ("speaks-2", "the referee speaks protocol version 1, the bot 2"),
    ],
)
def test_a_bot_that_never_was_ready_is_withdrawn_with_the_reason(
    tmp_path: Path, seen: Seen, mode: str, reason: str
) -> None:
    """Games without the offender are played."""
    offence = offend(tmp_path, bot("bad", mode))
    assert offence.record.result.ended == "withdrawn"
    assert offence.record.hands == ()
    assert offence.fault.kind == "NEVER_STARTED"
    assert reason in offence.fault.detail
    assert offence.story.failure.startswith("NEVER_STARTED")
    assert mode != "exits-at-once" or "no such model: queen of spades" in offence.story.stderr
    tell(seen, offence, mode)


@pytest.mark.row(1)
@pytest.mark.parametrize("command", [("/no/such/program",), (str(Path(__file__)),)], ids=["absent", "not executable"])
def test_a_command_that_cannot_be_run_is_never_started(tmp_path: Path, seen: Seen, command: tuple[str]) -> None:
    offence = offend(tmp_path, bot("bad", command=command))
    assert offence.fault.kind == "NEVER_STARTED"
    assert "cannot be started: " in offence.fault.detail
    assert str(command[0]) not in offence.fault.detail, "records hold no paths"
    tell(seen, offence)


@pytest.mark.row(2)
@pytest.mark.parametrize(
    ("mode", "startup_ms", "reason"),
    [
        ("never-connects", 700, "did not connect and say Hello within 700 ms"),
        ("never-hello", 700, "did not connect and say Hello within 700 ms"),
        ("never-ready", 6000, "connected but did not say Ready within 6000 ms"),
    ],
)
def test_start_up_has_a_clock_of_its_own(tmp_path: Path, seen: Seen, mode: str, startup_ms: int, reason: str) -> None:
    """protocol.md, The clock. Both bots are late: the game is given up once the second one is late, too."""
    time_control = dataclasses.replace(PATIENT, startup_ms=startup_ms)
    bots = [bot("a", mode), bot("b", mode)]
    [record], _ = play([table(("a", "b", "a", "b"), 0)], bots, tmp_path, made=conditions(time=time_control))
    assert record.result.ended == "withdrawn"
    assert [fault.detail for fault in record.faults] == [f"withdrawn: {reason}"] * 4
    assert not running(tmp_path)
    seen(f"{mode}: {record.faults[0].kind}: {reason}", limit_ms=startup_ms)
