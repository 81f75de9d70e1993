"""Bots that take more than their share: rows 16 and 17 of faults.md."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import bowerbird.harness.referee.process.supervisor_handle
from bowerbird.harness.referee.isolation.launch import PROCESS_LIMIT
from bowerbird.harness.referee.isolation.staging import SCRATCH_BYTES
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.isolated import play_beside_honest_bots, printed
from tests.support.referee.supervisor_programs import UNGROUPED
from tests.support.referee.tables import bot, running

MEMORY_MB = 96
OVER = f"signal 9 (SIGKILL) for using more than its memory_mb = {MEMORY_MB}"


@pytest.mark.row(16)
def test_a_fork_bomb_is_bounded_and_gone_after_the_match(tmp_path: Path, seen: Seen) -> None:
    records = play_beside_honest_bots(bot("bad", "bombs", "0"), tmp_path, "sandbox")
    assert records[1].faults == (), "the others play on"
    bombed = printed(tmp_path, "bombed")
    started = [int(word.removeprefix("started ")) for [word] in bombed]
    assert started, "the bomb went off"
    assert not any("memory_mb" in fault.detail for fault in records[0].faults), "what they share counts once"
    assert 0 < max(started) < PROCESS_LIMIT
    assert not running(tmp_path)
    seen(f"refused after {max(started)} processes; none is left")


@pytest.mark.row(16)
@pytest.mark.parametrize("tier", ["sandbox", "limits"])
def test_a_double_forked_child_with_its_own_session_is_gone_after_the_match(
    tmp_path: Path, seen: Seen, tier: str
) -> None:
    records = play_beside_honest_bots(bot("bad", "strays", "0"), tmp_path, tier)
    assert [record.faults for record in records] == [(), ()]
    assert not running(tmp_path)
    seen(f"{tier}: none is left")


@pytest.mark.row(17)
@pytest.mark.parametrize(
    ("tier", "program"),
    [
        ("sandbox", bowerbird.harness.referee.process.supervisor_handle.PROGRAM),
        ("sandbox", UNGROUPED),
        ("limits", bowerbird.harness.referee.process.supervisor_handle.PROGRAM),
        ("limits", UNGROUPED),
    ],
)
def test_only_the_memory_hog_dies_and_its_story_says_why(
    tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, tier: str, program: str
) -> None:
    """A control group bounds its memory if one can be made, otherwise a watch does."""
    monkeypatch.setattr(bowerbird.harness.referee.process.supervisor_handle, "PROGRAM", program)
    hog = dataclasses.replace(bot("bad", "hogs", "0"), memory_mb=MEMORY_MB)
    records = play_beside_honest_bots(hog, tmp_path, tier)
    assert {(fault.kind, fault.detail) for fault in records[0].faults} == {("CRASHED", OVER)}
    assert records[1].faults == (), "only that bot dies"
    assert not printed(tmp_path, "hogged")
    assert not running(tmp_path)
    seen(f"{tier}: CRASHED: {OVER}", ms=records[0].faults[0].elapsed_ms)


@pytest.mark.row(17)
def test_a_bot_that_fills_its_tmp_fills_nobody_elses(tmp_path: Path, seen: Seen) -> None:
    records = play_beside_honest_bots(bot("bad", "fills", "0"), tmp_path, "sandbox")
    assert [record.faults for record in records] == [(), ()]
    most = SCRATCH_BYTES >> 20
    assert printed(tmp_path, "filled") == [[f"/tmp {most} MiB", f"/dev/shm {most} MiB"]] * 2, "each has its own"
    seen(f"no more than {most} MiB could be written, and each process has its own")
