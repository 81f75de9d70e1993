"""Only the turn clock decides what happens to a bot that does not answer (faults.md rows 4, 5, 10 and 25)."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from bowerbird.harness.records.values.game_record import TimeControl
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.offence import offend, tell
from tests.support.referee.tables import HASTY, bot, conditions, play, running, table
from tests.support.referee.verdicts import thinking_times

LIMIT_MS = 2020
"""The limit of a first decision under HASTY: budget, bank and margin."""


@pytest.mark.row(4)
def test_a_stopped_bot_is_late_at_its_limit(tmp_path: Path, seen: Seen) -> None:
    offence = offend(tmp_path, bot("bad", "stopped", "1"), HASTY)
    assert offence.fault.kind == "TIMEOUT"
    assert offence.fault.limit_ms == LIMIT_MS
    assert offence.fault.elapsed_ms > LIMIT_MS
    tell(seen, offence)


@pytest.mark.row(10)
@pytest.mark.parametrize(
    ("mode", "transport"),
    [("deaf-ears", "unix"), ("deaf-ears", "tcp"), ("silent", "unix"), ("silent", "tcp")],
)
def test_a_bot_that_never_reads_holds_up_nobody(tmp_path: Path, seen: Seen, mode: str, transport: str) -> None:
    """Its connection stays alive all the while; that makes no difference."""
    offence = offend(tmp_path, bot("bad", mode, "1", "--events"), HASTY, transport)
    assert offence.fault.kind == "TIMEOUT"
    tell(seen, offence, f"{mode}, {transport}")


@pytest.mark.row(5)
def test_a_slow_bot_inside_its_budget_and_bank_is_charged_right_and_not_punished(tmp_path: Path, seen: Seen) -> None:
    """It takes 300 ms with a budget of 250: each decision takes 50 ms from the bank of a minute. It has two seats.

    Without control groups the time in which a thread of the bot waits for a processor is not charged (row 59).
    """
    think, budget = 300, 250
    time = TimeControl(per_decision_ms=budget, bank_ms=60_000, startup_ms=30_000)
    bots = [bot("a", "last"), bot("b", "slow", THINK_MS=str(think))]
    [record], _ = play([table(("a", "b", "a", "b"), max_hands=1)], bots, tmp_path, made=conditions(time=time))
    assert record.faults == ()
    times = thinking_times(record, {1, 3})
    assert max(times) > budget, "the bank paid nothing for thoughts that are longer than the budget"
    seen(f"no fault; charged {min(times)} to {max(times)} for {think} ms of thought", ms=max(times), limit_ms=budget)


@pytest.mark.row(25)
@pytest.mark.parametrize("transport", ["unix", pytest.param("tcp", marks=pytest.mark.long)])
def test_a_bot_that_is_idle_for_15_s_between_its_decisions_is_still_there(
    tmp_path: Path, seen: Seen, transport: str
) -> None:
    """faults.md, gRPC server: no transport time-out is shorter than an open decision.

    The referee's clock leaves out the gaps in which the host let nobody run (faults.md row 31), so that on a loaded
    machine a bot that thinks for 15 s is charged less.
    """
    bots = [bot("a", "last"), bot("b", "ponders", "1", THINK_MS="15000")]
    begun = monotonic()
    [record], _ = play([table(("a", "b", "a", "b"))], bots, tmp_path, transport=transport)
    assert record.faults == ()
    longest = max(thinking_times(record, {1, 3}))
    assert monotonic() - begun >= 15, "nobody was idle"
    assert longest >= 10_000, "the clock left out more than the host can have taken"
    assert not running(tmp_path)
    seen(f"{transport}: no fault; both the idle one and the one that thought", ms=longest, limit_ms=20_020)
