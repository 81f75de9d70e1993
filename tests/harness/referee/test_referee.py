"""Whole games with real bot processes. The faults of the matrix are tested in tests/faults."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import trio

from bowerbird.harness.records.replay.replay import check
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.referee import Referee
from bowerbird.harness.wire import WireError
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT
from tests.support.referee.tables import SEED, bot, conditions, no_void, open_club, play, running, table

pytestmark = pytest.mark.usefixtures("processes")

ABAB = ("a", "b", "a", "b")


def kinds(record: GameRecord) -> list[str]:
    return [fault.kind for fault in record.faults]


@pytest.mark.parametrize("variant", ["euchre", "buck"])
@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_games_are_played_to_their_end_and_verify(tmp_path: Path, variant: str, transport: str) -> None:
    specs = [table(ABAB, n, variant) for n in range(6)]
    records, referee = play(specs, [bot("a", "last"), bot("b", "last")], tmp_path, transport=transport)
    for record in records:
        assert record.faults == ()
        check(record, SEED)
    assert referee.bot_story("a").exit == "exit status 0", "a bot that is told Goodbye ends by itself"
    assert not running(tmp_path)


@pytest.mark.parametrize(
    "mode", ["parts", "tokens", "one-by-one", "repeats", "honest --events", "second-stream", "noisy"]
)
def test_what_is_allowed_or_harmless_is_no_fault(tmp_path: Path, mode: str) -> None:
    """protocol.md, Decisions and The bot's environment; faults.md rows 13, 15 and 18."""
    records, referee = play(
        [table(ABAB, n) for n in range(4)], [bot("a", "last"), bot("b", *mode.split(), "2")], tmp_path
    )
    assert [kinds(record) for record in records] == [[]] * 4
    assert referee.bot_story("b").failure == ""


def test_substitute_plays_on_for_the_others(tmp_path: Path) -> None:
    """protocol.md, Faults at a table: no bot loses a win because another bot crashes."""
    specs = [table(("a", "b", "c", "bad"), 0, "buck")]
    bots = [bot("a", "last"), bot("b", "last"), bot("c", "last"), bot("bad", "killed", "1")]
    [record], _ = play(specs, bots, tmp_path, made=conditions("substitute"))
    assert kinds(record) == ["CRASHED"]
    assert record.faults[0].seat == 3
    assert record.result.ended != "forfeit"
    assert sum(len(hand.substituted) for hand in record.hands) > 0
    check(record, SEED)


def test_a_crashed_bot_is_restarted_for_its_further_tables_until_it_is_withdrawn(tmp_path: Path) -> None:
    """protocol.md, Faults at a table: a fresh process up to 3 times."""
    specs = [table(("a", "bad", "a", "a"), n) for n in range(8)]
    bots = [bot("a", "last"), bot("bad", "killed", "1")]
    records, referee = play(specs, bots, tmp_path, tables=1)
    assert [record.result.ended for record in records] == ["forfeit"] * 4 + ["withdrawn"] * 4
    assert kinds(records[-1]) == ["CRASHED"]
    assert referee.bot_story("bad").withdrawn == "withdrawn: signal 9 (SIGKILL)"


def test_a_bot_past_its_faults_is_withdrawn(tmp_path: Path) -> None:
    """protocol.md, Faults at a table: past 5 faults its unplayed games are not played."""
    specs = [table(("a", "bad", "a", "a"), n) for n in range(8)]
    bots = [bot("a", "last"), bot("bad", "illegal", "0", "--every")]
    records, _ = play(specs, bots, tmp_path, tables=1)
    assert [record.result.ended for record in records] == ["forfeit"] * 6 + ["withdrawn"] * 2


def test_shared_processes_may_sit_at_several_seats(tmp_path: Path) -> None:
    specs = [table(("a", "a", "a", "a"), n, shared=True) for n in range(3)]
    records, _ = play(specs, [bot("a", "last", tables=1)], tmp_path, made=conditions(instances="shared"), tables=2)
    assert [kinds(record) for record in records] == [[]] * 3


async def test_processes_that_are_not_needed_any_more_make_room_for_others(tmp_path: Path) -> None:
    async with open_club({name: bot(name, "last") for name in "abc"}, tmp_path, processes=4) as club:
        await club.play([table(ABAB, 0)])
        assert len(running(tmp_path)) == 4
        await club.play([table(ABAB, 1)])
        assert len(running(tmp_path)) == 4, "the same processes, still there"
        await club.play([table(("c", "c", "c", "c"), 2)])
        await club.play([table(("c", "c", "c", "c"), 3)])
        assert len(running(tmp_path)) == 4
    assert not running(tmp_path)


def test_a_bot_that_ignores_goodbye_is_killed_with_its_children(tmp_path: Path) -> None:
    """protocol.md, The order of messages."""
    records, referee = play([table(ABAB, 0)], [bot("a", "deaf"), bot("b", "has-children")], tmp_path)
    assert records[0].faults == ()
    assert referee.bot_story("a").exit == "signal 15 (SIGTERM)"
    assert not running(tmp_path)


async def test_a_table_that_cannot_be_opened_keeps_no_process_from_the_next_ones(tmp_path: Path) -> None:
    """Its fault policy has no form on the wire; each process can sit at one table."""
    broken = dataclasses.replace(table(ABAB, 0), on_fault="typo")
    async with open_club({name: bot(name, "last", tables=1) for name in "ab"}, tmp_path) as club:
        await club.referee.roll_call({seat.instance for seat in broken.seats})
        with pytest.raises(WireError, match="typo"):
            await club.play([broken])
        [record] = await club.play([table(ABAB, 1)])
    assert record.faults == ()


async def test_two_tables_of_one_game_are_refused(tmp_path: Path) -> None:
    async with open_club({name: bot(name, "last") for name in "ab"}, tmp_path) as club:
        with pytest.raises(ValueError, match="same game id"):
            await club.play([table(ABAB, 0), table(ABAB, 0)])
        [record] = await club.play([table(ABAB, 0)])
    assert record.faults == ()


@pytest.mark.parametrize("trouble", ["cancel", "error", "interrupt", "callback"])
async def test_no_process_is_left_however_the_referee_is_left(tmp_path: Path, trouble: str) -> None:
    """faults.md row 28, the referee's part."""
    bots = {name: bot(name, "last") for name in "ab"}

    async def leave() -> None:
        async with open_club(bots, tmp_path) as club, trio.open_nursery() as nursery:
            nursery.start_soon(club.play, [table(ABAB, n, max_hands=100) for n in range(50)])
            while len(running(tmp_path)) < 2:
                await trio.sleep(0.01)
            if trouble == "cancel":
                nursery.cancel_scope.cancel()
            elif trouble == "error":
                raise ZeroDivisionError
            elif trouble == "interrupt":
                raise KeyboardInterrupt

    async def fail_in_callback() -> None:
        def refuse(*_: object) -> None:
            raise ZeroDivisionError

        async with open_club(bots, tmp_path) as club:
            await club.referee.play([table(ABAB, n) for n in range(9)], refuse, no_void)

    if trouble == "cancel":
        await leave()
    elif trouble == "callback":
        with pytest.raises(ZeroDivisionError):
            await fail_in_callback()
    else:
        with pytest.raises(BaseExceptionGroup):
            await leave()
    assert not running(tmp_path)


RUN = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.support.referee.tables import bot, play, table
specs = [table(("a", "b", "a", "b"), n, max_hands=100) for n in range(2000)]
play(specs, [bot("a", "last"), bot("b", "honest")], Path(sys.argv[2]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_when_the_referee_gets_a_signal(tmp_path: Path, number: int) -> None:
    """faults.md rows 21 and 28: Ctrl-C, an ordinary kill, kill -9."""
    arguments = [sys.executable, "-c", RUN, str(ROOT), str(tmp_path)]
    with subprocess.Popen(arguments, cwd=ROOT, stderr=subprocess.PIPE, text=True) as referee:
        deadline = time.monotonic() + DEADLINE_S
        while len(running(tmp_path)) < 4 and time.monotonic() < deadline:
            os.sched_yield()
        referee.send_signal(number)
        _, errors = referee.communicate(timeout=DEADLINE_S)
    if number == signal.SIGINT:
        assert "KeyboardInterrupt" in errors
        assert "Group" not in errors, "Ctrl-C comes through as it is"
    while running(tmp_path) and time.monotonic() < deadline:
        os.sched_yield()
    assert not running(tmp_path)


def test_logs_are_kept_in_the_workspace(tmp_path: Path) -> None:
    play([table(ABAB, 0)], [bot("a", "exits-at-once"), bot("b", "last")], tmp_path)
    [log] = [path for path in tmp_path.glob("a-*.log") if "queen of spades" in path.read_text()][:1]
    assert log.name in {"a-0-1.log", "a-2-1.log"}


def test_conditions_that_are_not_kept_are_refused(tmp_path: Path) -> None:
    claim = dataclasses.replace(conditions(), isolation="jail")
    with pytest.raises(ValueError, match="isolation must be one of sandbox, limits, none, not 'jail'"):
        Referee({}, claim, workspace=tmp_path, slots=1, tables=1)
    claim = dataclasses.replace(conditions(), isolation="sandbox")
    with pytest.raises(ValueError, match="a sandbox has no network"):
        Referee({}, claim, workspace=tmp_path, slots=1, tables=1, transport="tcp")


def test_bots_of_the_bundle_play(tmp_path: Path) -> None:
    """bots/random, through the SDK."""
    command = (sys.executable, "-m", "bowerbird.bots.random")
    bots = [dataclasses.replace(bot(name, command=command), cwd=ROOT) for name in "ab"]
    for variant in ("euchre", "buck"):
        records, _ = play([table(ABAB, n, variant) for n in range(4)], bots, tmp_path)
        assert [kinds(record) for record in records] == [[]] * 4
        for record in records:
            check(record, SEED)
