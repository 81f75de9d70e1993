"""A bot that takes all processors where no control group shares them (row 59)."""

from __future__ import annotations

from pathlib import Path

import pytest

import bowerbird.harness.referee.process.supervisor_handle
from bowerbird.harness.records.values.faults import PROTOCOL
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.referee.connection.processor_shares import UNFAIR
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.measured import play
from tests.support.referee.supervisor_programs import UNGROUPED
from tests.support.referee.tables import bot, conditions, table
from tests.support.referee.verdicts import thinking_times

THINK_MS = 200
TIME = TimeControl(per_decision_ms=1500, bank_ms=1500, startup_ms=60_000)


@pytest.mark.alone
@pytest.mark.row(59)
@pytest.mark.parametrize("hides", [False, True], ids=["with its environment", "without it"])
@pytest.mark.parametrize(("games", "spinners"), [(1, 16), pytest.param(5, 40, marks=pytest.mark.long)])
def test_a_hog_is_the_one_at_fault_where_nothing_shares_the_processors(
    tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, *, games: int, spinners: int, hides: bool
) -> None:
    """Its spinners have sessions of their own and no parent. Those that hide whose they are are ended."""
    monkeypatch.setattr(bowerbird.harness.referee.process.supervisor_handle, "PROGRAM", UNGROUPED)
    victim = bot("victim", "computes", THINK_MS=str(THINK_MS))
    hog = bot("hog", "spins", "0", SPINNERS=str(spinners), HIDES="1" if hides else "")
    specs = [table(("victim", "hog", "victim", "hog"), number, max_hands=1) for number in range(games)]
    played = play(specs, [victim, hog], tmp_path, conditions("substitute", time=TIME, isolation="limits"))
    paid = [fault for record in played.records for fault in record.faults if fault.seat in (0, 2)]
    assert paid == [], "a bot paid for the spinners of another"
    assert len(played.records) == games, "no game is voided: what bots burn is no stall"
    blamed = [fault for record in played.records for fault in record.faults if fault.detail == UNFAIR]
    assert all(fault.kind == PROTOCOL for fault in blamed)
    slowest = max(ms for record in played.records for ms in thinking_times(record, {0, 2}))
    what = f"{spinners} spinners, no control group, {games} games: no fault of the other bot, {len(blamed)} of the hog"
    seen(f"{what}; processor time: {played.shares()}", ms=slowest, limit_ms=TIME.per_decision_ms + TIME.bank_ms)
