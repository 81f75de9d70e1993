"""Whole games with real bot processes: FAULTS.md's matrix as far as processes without a sandbox can show it."""

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
from tables import HASTY, LIMIT_S, PATIENT, ROOT, SEED, Club, bot, conditions, play, running, table, with_club

from harness.records.canonical import canonical
from harness.records.record import GameRecord
from harness.records.replay import check
from harness.referee.referee import Referee

ABAB = ("a", "b", "a", "b")


def kinds(record: GameRecord) -> list[str]:
    return [fault.kind for fault in record.faults]


def without_times(record: GameRecord) -> str:
    hands = tuple(dataclasses.replace(hand, ms=(0,) * len(hand.ms)) for hand in record.hands)
    faults = tuple(dataclasses.replace(fault, limit_ms=0, elapsed_ms=0) for fault in record.faults)
    return canonical(dataclasses.replace(record, hands=hands, faults=faults))


@pytest.mark.parametrize("variant", ["euchre", "buck"])
@pytest.mark.parametrize("transport", ["unix", "tcp"])
def test_games_are_played_to_their_end_and_verify(tmp_path, variant, transport):
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
def test_what_is_allowed_or_harmless_is_no_fault(tmp_path, mode):
    """PROTOCOL.md, contract 1, 5 and 10; FAULTS.md 13, 15, 18."""
    records, referee = play(
        [table(ABAB, n) for n in range(4)], [bot("a", "last"), bot("b", *mode.split(), "2")], tmp_path
    )
    assert [kinds(record) for record in records] == [[]] * 4
    assert referee.bot_story("b").failure == ""


@pytest.mark.parametrize(
    ("mode", "kind", "detail"),
    [
        ("illegal", "ILLEGAL", "action_index 99 of"),
        ("disagrees", "ILLEGAL", "action says 'play nonsense'"),
        ("nothing", "ILLEGAL", "neither action_index nor action"),
        ("unasked", "ILLEGAL", "answered decision 4000000 before it was asked"),
        ("killed", "CRASHED", "signal 9 (SIGKILL)"),
        ("exits", "CRASHED", "exit status 3"),
        ("half-closes", "DISCONNECTED", "its stream ended while its process lived"),
        ("hangs-up", "DISCONNECTED", "its stream ended while its process lived"),
        ("malformed", "PROTOCOL", "bytes that are no PlayRequest"),
        ("oversize", "PROTOCOL", "at most 65536 are taken"),
        ("huge", "PROTOCOL", "at most 65536 are taken"),
        ("floods", "PROTOCOL", "that nobody asked for"),
        ("hello-again", "PROTOCOL", "said hello a second time"),
        ("gives-up", "PROTOCOL", "the bot reported a failure of its own: out of ideas"),
        ("resigns", "RESIGNED", "resigned"),
    ],
)
def test_each_fault_has_its_kind_and_harms_nobody_else(tmp_path, mode, kind, detail):
    """FAULTS.md 3, 6, 7, 8, 9, 11. One table is the offender's, the others are not."""
    specs = [table(("a", "bad", "a", "bad"), 0), *(table(("a", "c", "a", "c"), n) for n in range(1, 5))]
    bots = [bot("a", "last"), bot("c", "last"), bot("bad", mode, "1")]
    [faulty, *others], referee = play(specs, bots, tmp_path)
    assert kinds(faulty) == [kind]
    assert detail in faulty.faults[0].detail
    assert faulty.result.ended == "forfeit"
    assert faulty.result.ranks == (1, 2, 1, 2)
    check(faulty, SEED)
    for record in others:
        assert record.faults == ()
        assert record.result.ended != "forfeit"
    assert not running(tmp_path), f"no process is left; {referee.bot_story('bad')}"


@pytest.mark.parametrize("mode", ["silent", "stopped"])
def test_a_bot_that_does_not_answer_runs_out_of_time(tmp_path, mode):
    """FAULTS.md 4 and 10."""
    specs = [table(("a", "bad", "a", "bad"), 0)]
    [record], _ = play(specs, [bot("a", "last"), bot("bad", mode, "1")], tmp_path, made=conditions(time=HASTY))
    assert kinds(record) == ["TIMEOUT"]
    assert record.faults[0].limit_ms == 2020
    assert record.faults[0].elapsed_ms > 2020
    assert not running(tmp_path)


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("exits-at-once", "exit status 1 before its Hello"),
        ("leaves-before-ready", "left before its Ready"),
        ("garbage-before-ready", "bytes that are no PlayRequest instead of its Ready"),
        ("wrong-token", "exit status 0 before its Hello; its stream was refused: this token is not known here"),
        ("ready-first", "the first message must be a Hello"),
        ("speaks-2", "the referee speaks protocol version 1, the bot 2"),
    ],
)
def test_a_bot_that_never_was_ready_is_withdrawn_with_the_reason(tmp_path, mode, reason):
    """FAULTS.md 1, 2, 12. What is not the offender's is played."""
    specs = [table(("a", "bad", "a", "bad"), 0), table(("a", "c", "a", "c"), 1)]
    [given_up, played], referee = play(specs, [bot("a", "last"), bot("c", "last"), bot("bad", mode)], tmp_path)
    assert given_up.result.ended == "withdrawn"
    assert given_up.hands == ()
    assert kinds(given_up) == ["NEVER_STARTED"] * 2
    assert reason in given_up.faults[0].detail
    assert kinds(played) == []
    story = referee.bot_story("bad")
    assert story.failure.startswith("NEVER_STARTED")
    assert mode != "exits-at-once" or "no such model: queen of spades" in story.stderr
    assert not running(tmp_path)


@pytest.mark.parametrize(
    ("mode", "startup_ms", "reason"),
    [
        ("never-connects", 700, "did not connect and say Hello within 700 ms"),
        ("never-hello", 700, "did not connect and say Hello within 700 ms"),
        ("never-ready", 6000, "connected but did not say Ready within 6000 ms"),
    ],
)
def test_start_up_has_a_clock_of_its_own(tmp_path, mode, startup_ms, reason):
    """PROTOCOL.md, Clocks; FAULTS.md 2. Both bots are late: the game is given up when both are known to be."""
    time_control = dataclasses.replace(PATIENT, startup_ms=startup_ms)
    bots = [bot("a", mode), bot("b", mode)]
    [record], _ = play([table(ABAB, 0)], bots, tmp_path, made=conditions(time=time_control))
    assert record.result.ended == "withdrawn"
    assert [fault.detail for fault in record.faults] == [f"withdrawn: {reason}"] * 4
    assert not running(tmp_path)


@pytest.mark.parametrize("command", [("/no/such/program",), (str(Path(__file__)),)])
def test_a_command_that_cannot_be_run_is_never_started(tmp_path, command):
    """FAULTS.md 1."""
    records, _ = play([table(ABAB, 0)], [bot("a", "last"), bot("b", command=command)], tmp_path)
    assert records[0].result.ended == "withdrawn"
    assert "cannot be started: " in records[0].faults[0].detail
    assert str(command[0]) not in records[0].faults[0].detail, "records hold no paths"


def test_substitute_plays_on_for_the_others(tmp_path):
    """PROTOCOL.md, on_fault: nobody's win is lost by a stranger's crash."""
    specs = [table(("a", "b", "c", "bad"), 0, "buck")]
    bots = [bot("a", "last"), bot("b", "last"), bot("c", "last"), bot("bad", "killed", "1")]
    [record], _ = play(specs, bots, tmp_path, made=conditions("substitute"))
    assert kinds(record) == ["CRASHED"]
    assert record.faults[0].seat == 3
    assert record.result.ended != "forfeit"
    assert sum(len(hand.substituted) for hand in record.hands) > 0
    check(record, SEED)


def test_a_crashed_bot_is_restarted_for_its_further_tables_until_it_is_withdrawn(tmp_path):
    """PROTOCOL.md, Faults: a fresh process up to 3 times."""
    specs = [table(("a", "bad", "a", "a"), n) for n in range(8)]
    bots = [bot("a", "last"), bot("bad", "killed", "1")]
    records, referee = play(specs, bots, tmp_path, tables=1)
    assert [record.result.ended for record in records] == ["forfeit"] * 4 + ["withdrawn"] * 4
    assert kinds(records[-1]) == ["CRASHED"]
    assert referee.bot_story("bad").withdrawn == "withdrawn: signal 9 (SIGKILL)"


def test_a_bot_past_its_faults_is_withdrawn(tmp_path):
    """PROTOCOL.md, Faults: past 5 faults its unplayed games are not played."""
    specs = [table(("a", "bad", "a", "a"), n) for n in range(8)]
    bots = [bot("a", "last"), bot("bad", "illegal", "0", "--every")]
    records, _ = play(specs, bots, tmp_path, tables=1)
    assert [record.result.ended for record in records] == ["forfeit"] * 6 + ["withdrawn"] * 2


def test_the_same_seed_and_the_same_faults_give_the_same_records_twice(tmp_path):
    """FAULTS.md 26; equal to the byte, times apart."""
    specs = [table(("a", "bad", "a", "c"), n, "buck") for n in range(3)]
    bots = [bot("a", "last"), bot("c", "honest"), bot("bad", "exits", "4")]

    def once(folder: str) -> list[str]:
        records, _ = play(specs, bots, tmp_path / folder, made=conditions("substitute"), tables=1)
        assert any(record.faults for record in records)
        return [without_times(record) for record in records]

    assert once("first") == once("second")


def test_shared_processes_may_sit_at_several_seats(tmp_path):
    specs = [table(("a", "a", "a", "a"), n, shared=True) for n in range(3)]
    records, _ = play(specs, [bot("a", "last", tables=1)], tmp_path, made=conditions(instances="shared"), tables=2)
    assert [kinds(record) for record in records] == [[]] * 3


def test_processes_that_are_not_needed_any_more_are_closed(tmp_path):
    async def body(club: Club) -> None:
        await club.play([table(ABAB, 0)])
        assert len(running(tmp_path)) == 4
        await club.play([table(ABAB, 1)])
        assert len(running(tmp_path)) == 4, "the same processes, still there"
        await club.play([table(("c", "c", "c", "c"), 2)])
        await club.play([table(("c", "c", "c", "c"), 3)])
        assert len(running(tmp_path)) == 4

    with_club(body, {name: bot(name, "last") for name in "abc"}, tmp_path)
    assert not running(tmp_path)


def test_a_bot_that_ignores_goodbye_is_killed_with_its_children(tmp_path):
    """PROTOCOL.md, contract 8."""
    records, referee = play([table(ABAB, 0)], [bot("a", "deaf"), bot("b", "has-children")], tmp_path)
    assert records[0].faults == ()
    assert referee.bot_story("a").exit == "signal 15 (SIGTERM)"
    assert not running(tmp_path)


@pytest.mark.parametrize("trouble", ["cancel", "error", "interrupt", "callback"])
def test_no_process_is_left_however_the_referee_is_left(tmp_path, trouble):
    """FAULTS.md 28, as far as it is the referee's."""

    async def body(club: Club) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(club.play, [table(ABAB, n, max_hands=100) for n in range(50)])
            while len(running(tmp_path)) < 2:
                await trio.sleep(0.01)
            if trouble == "cancel":
                nursery.cancel_scope.cancel()
            elif trouble == "error":
                raise ZeroDivisionError
            elif trouble == "interrupt":
                raise KeyboardInterrupt

    async def callback(club: Club) -> None:
        def refuse(*_: object) -> None:
            raise ZeroDivisionError

        await club.referee.play([table(ABAB, n) for n in range(9)], refuse)

    bots = {name: bot(name, "last") for name in "ab"}
    if trouble == "cancel":
        with_club(body, bots, tmp_path)
    elif trouble == "callback":
        with pytest.raises(ZeroDivisionError):
            with_club(callback, bots, tmp_path)
    else:
        with pytest.raises(BaseExceptionGroup):
            with_club(body, bots, tmp_path)
    assert not running(tmp_path)


RUN = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tables import bot, play, table
specs = [table(("a", "b", "a", "b"), n, max_hands=100) for n in range(2000)]
play(specs, [bot("a", "last"), bot("b", "honest")], Path(sys.argv[2]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_when_the_referee_gets_a_signal(tmp_path, number):
    """FAULTS.md 21 and 28: Ctrl-C, an ordinary kill, kill -9."""
    arguments = [sys.executable, "-c", RUN, str(Path(__file__).parent), str(tmp_path)]
    with subprocess.Popen(arguments, cwd=ROOT, stderr=subprocess.PIPE, text=True) as referee:
        deadline = time.monotonic() + LIMIT_S
        while len(running(tmp_path)) < 4 and time.monotonic() < deadline:
            os.sched_yield()
        referee.send_signal(number)
        _, errors = referee.communicate(timeout=LIMIT_S)
    if number == signal.SIGINT:
        assert "KeyboardInterrupt" in errors
        assert "Group" not in errors, "Ctrl-C comes through as it is"
    while running(tmp_path) and time.monotonic() < deadline:
        os.sched_yield()
    assert not running(tmp_path)


def test_logs_are_kept_in_the_workspace(tmp_path):
    play([table(ABAB, 0)], [bot("a", "exits-at-once"), bot("b", "last")], tmp_path)
    [log] = [path for path in tmp_path.glob("a-*.log") if "queen of spades" in path.read_text()][:1]
    assert log.name in {"a-0-1.log", "a-2-1.log"}


def test_conditions_that_are_not_kept_are_refused(tmp_path):
    claim = dataclasses.replace(conditions(), isolation="sandbox")
    with pytest.raises(ValueError, match="isolation 'sandbox' is not what processes run under here: 'none'"):
        Referee({}, claim, workspace=tmp_path, slots=1, tables=1)


def test_bots_of_the_bundle_play(tmp_path):
    """bots/random, through the SDK."""
    command = (sys.executable, "-m", "bots.random")
    bots = [dataclasses.replace(bot(name, command=command), cwd=ROOT) for name in "ab"]
    for variant in ("euchre", "buck"):
        records, _ = play([table(ABAB, n, variant) for n in range(4)], bots, tmp_path)
        assert [kinds(record) for record in records] == [[]] * 4
        for record in records:
            check(record, SEED)
