"""Slow play within the clock costs the run no more than was forecast, and costs the others nothing (faults.md row
45)."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from bowerbird.harness.records.values.game_record import TimeControl
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.tables import bot, conditions, play, table
from tests.support.referee.verdicts import thinking_times

SLOW_MS = 20


@pytest.fixture
def bowerbird(tmp_path: Path) -> Bowerbird:
    """Return the command, in a folder of its own."""
    return Bowerbird(tmp_path)


@pytest.mark.row(45)
def test_the_forecast_bounds_a_run_of_slow_bots_that_pass(bowerbird: Bowerbird, seen: Seen) -> None:
    """Each decision takes the budget and some of the bank. The increments and all hands count as well."""
    bots = [bowerbird.bot(name, "slow", THINK_MS=str(SLOW_MS)) for name in ("one", "two")]
    file = bowerbird.tournament(
        '[tournament]\nunit = "games"\nsets = 1\n[time]\nper_decision = "10ms"\nbank = "1s"\nincrement = "500ms"\n'
        '[[variant]]\nname = "two-handed"\noptions = { max_hands = 4 }\n',
        *bots,
    )
    forecast = bowerbird.json("tournament", file, "--dry-run", "--json")
    bowerbird.done("tournament", file, "--db", "x.db", "--isolation", "none", "--quiet")
    with sqlite3.connect(bowerbird.folder / "x.db") as database:
        ((used_ms, played_ms),) = database.execute("SELECT (SELECT SUM(time_ms) FROM seat), MAX(played_ms) FROM job")
    budgets_s = forecast["decisions"] * 10 / 1000
    assert used_ms / 1000 > budgets_s, "the bots were not slow enough to prove anything"
    assert max(used_ms, played_ms) / 1000 <= forecast["longest_seconds"]
    seen(f"thought {used_ms} ms, forecast at most {forecast['longest_seconds']:.0f} s", ms=played_ms)


@pytest.mark.row(45)
def test_the_games_of_a_slow_bot_come_last(bowerbird: Bowerbird, seen: Seen) -> None:
    """It comes first in the file, so its games would come first."""
    slow = bowerbird.bot("slow", "slow", THINK_MS=str(SLOW_MS))
    quick = [bowerbird.bot(name, "honest") for name in ("quick", "swift")]
    file = bowerbird.tournament(
        '[tournament]\nunit = "deals"\nsets = 60\ntables = 4\nmax_share = 0.4\nseed = "snail"\n'
        '[[variant]]\nname = "two-handed"\n',
        slow,
        *quick,
    )
    bowerbird.done("tournament", file, "--db", "x.db", "--isolation", "none", "--quiet")
    with sqlite3.connect(bowerbird.folder / "x.db") as database:
        found = database.execute("SELECT lineup, MIN(rowid), MAX(rowid), COUNT(*) FROM job GROUP BY lineup").fetchall()
    saved = {lineup: (first, last, sets) for lineup, first, last, sets in found}
    assert {sets for _, _, sets in saved.values()} == {60}, saved
    assert saved["quick+swift"][0] < saved["slow+swift"][0], f"the quick bots waited for the slow one: {saved}"
    assert saved["quick+swift"][1] < saved["slow+swift"][1], f"the quick bots waited for the slow one: {saved}"
    seen(f"sets of the quick bots saved as {saved['quick+swift'][:2]}, of the slow one as {saved['slow+swift'][:2]}")


@pytest.mark.row(45)
def test_a_bounded_game_ends_the_play_of_a_bot_that_uses_it_up(tmp_path: Path, seen: Seen) -> None:
    time = TimeControl(per_decision_ms=5000, bank_ms=5000, startup_ms=30_000, game_ms=400)
    bots = [bot("a", "last"), bot("b", "slow", THINK_MS="100")]
    [record], _ = play([table(("a", "b", "a", "b"), max_hands=3)], bots, tmp_path, made=conditions(time=time))
    (fault,) = record.faults
    assert (fault.kind, record.seats[fault.seat].bot) == ("TIMEOUT", "b")
    assert fault.limit_ms < 400, "the decision had more than the rest of the game"
    used = sum(thinking_times(record, {fault.seat}))
    assert used <= 400 + time.margin_ms, "the seat used more than the game's time and the margin"
    seen(f"TIMEOUT after {used} ms of thought, at a limit of {fault.limit_ms} ms", ms=used, limit_ms=400)
