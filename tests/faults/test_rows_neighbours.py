"""Honest bots do not notice a flooding, a stopped and a forking bot at other tables (row 9)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.records.replay.replay import check
from bowerbird.harness.records.values.game_record import GameRecord, TimeControl
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.isolated import printed, require
from tests.support.referee.tables import SEED, bot, conditions, play, running, table
from tests.support.referee.verdicts import thinking_times

HONEST = ("a", "b", "c", "d")
HOSTILE = {"flood": ("floods", "2", "--every"), "stop": ("stopped", "2", "--every"), "fork": ("bombs", "0")}
MISBEHAVED = {("flood", "PROTOCOL"), ("stop", "TIMEOUT")}
SLOW = {("fork", "TIMEOUT"), ("fork", "CRASHED")}
"""Hundreds of processes may take longer to start than a decision may, and leave room for no further thread."""

TABLES = 24
"""Tables at which the honest bots play among themselves."""

TIME = TimeControl(per_decision_ms=5000, bank_ms=5000, startup_ms=60_000)


def p99(records: list[GameRecord]) -> int:
    """Return the 99th percentile of the decisions' times in ms, by nearest rank."""
    times = sorted(ms for record in records for ms in thinking_times(record, set(range(len(HONEST)))))
    return times[-(-99 * len(times) // 100) - 1]


def honest_games(folder: Path, hostile: bool) -> list[GameRecord]:
    """Return the games of the honest bots, with or without hostile bots at tables of their own."""
    specs = [table(HONEST, n, max_hands=4) for n in range(TABLES)]
    bots = [bot(name, "last") for name in HONEST]
    if hostile:
        bots += [bot(name, *arguments) for name, arguments in HOSTILE.items()]
        seats = ("flood", "stop", "fork", "flood")
        others = [table(seats, TABLES + n, max_hands=4) for n in range(3)]
        specs = [*others, *specs]
    records, _ = play(specs, bots, folder, made=conditions("substitute", TIME, isolation="sandbox"), slots=4)
    assert not running(folder)
    if hostile:
        found = {(record.seats[fault.seat].bot, fault.kind) for record in records[:-TABLES] for fault in record.faults}
        assert found >= MISBEHAVED, "the flood and the stopped bot really misbehaved"
        assert found <= MISBEHAVED | SLOW
        assert printed(folder, "bombed"), "so did the fork bomb"
    return records[-TABLES:]


@pytest.mark.row(9)
def test_honest_bots_finish_every_game_beside_a_flood_a_stopped_bot_and_a_fork_bomb(tmp_path: Path, seen: Seen) -> None:
    require("sandbox")
    alone, beside = honest_games(tmp_path / "alone", False), honest_games(tmp_path / "beside", True)
    for record in [*alone, *beside]:
        check(record, SEED)
        assert record.faults == ()
        assert record.result.ended not in ("forfeit", "withdrawn")
    seen(f"p99 of a decision of 4 honest bots alone, {TABLES} games", ms=p99(alone), limit_ms=TIME.per_decision_ms)
    seen("p99 beside a flood, a stopped bot and a fork bomb", ms=p99(beside), limit_ms=TIME.per_decision_ms)
