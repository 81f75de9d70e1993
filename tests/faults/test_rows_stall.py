"""The host stops or is loaded (faults.md row 31): nobody is charged for it, and nobody gains by it."""

from __future__ import annotations

import dataclasses
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import trio

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import GameRecord, TimeControl
from bowerbird.harness.referee.host.host_clock import NS_PER_S
from bowerbird.harness.referee.host.stall_log import LONG_NS
from bowerbird.harness.referee.process.procfs import all_processes, process_tree
from bowerbird.harness.referee.spec import BotSpec, VoidedGame
from tests.support.command.bowerbird_command import COMMAND, Bowerbird, said_until
from tests.support.command.run_records import untimed_games
from tests.support.command.terminal import ESCAPES, read_piece
from tests.support.deadline import DEADLINE_S
from tests.support.records.every_game import every_game
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.offence import long
from tests.support.referee.tables import PATIENT, Club, bot, conditions, open_club, running, table

STOOD_STILL = "the machine stalled for"

CUP = """
[tournament]
sets = {sets}
seed = "stood still"
tables = 2
[time]
per_decision = "{decision_ms}ms"
bank = "0s"
startup = "{startup_ms}ms"
[[variant]]
name = "two-handed"
options = {{ max_hands = 2 }}
"""

STALL_S = 4.0
"""Longer than the time for a decision: without a host clock, every open decision would be a TIMEOUT."""

DECISION_MS = 3000
"""Long enough for a decision on a busy machine."""

STALL_OF_LONG = 3
"""How many times as long as a long stall: what bots use in the meantime on a busy machine is deducted."""

SETS = 8


def tree(pid: int) -> list[int]:
    return list(process_tree(pid, all_processes()))


def alone(pid: int) -> list[int]:
    return [pid]


@contextmanager
def standing_still(chosen: Callable[[int], Sequence[int]], pid: int) -> Iterator[None]:
    """Stop processes while the body runs, the referee's own first: it must not see the others stop."""
    stopped = chosen(pid)
    for one in stopped:
        with suppress(ProcessLookupError):
            os.kill(one, signal.SIGSTOP)
    try:
        yield
    finally:
        for one in stopped:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGCONT)


def stand_still(chosen: Callable[[int], Sequence[int]], pid: int, stall_s: float) -> None:
    """Stop processes for a time."""
    with standing_still(chosen, pid):
        time.sleep(stall_s)  # the fault itself


def cup(bowerbird: Bowerbird, *, sets: int = SETS, decision_ms: int = DECISION_MS, startup_ms: int = 30_000) -> Path:
    bots = bowerbird.bot("one", "slow", THINK_MS="40"), bowerbird.bot("two", "slow", THINK_MS="60")
    text = CUP.format(sets=sets, decision_ms=decision_ms, startup_ms=startup_ms)
    return bowerbird.tournament(text, *bots)


def finish(process: subprocess.Popen[str], said: str) -> str:
    _, rest = process.communicate(timeout=DEADLINE_S)
    text = said + rest
    assert process.returncode == 0, f"exit code {process.returncode}: {text}"
    return text


def faults(db: Path) -> list[tuple[str, str]]:
    with Store.open(db) as store:
        records = [store.record(game.id) for game in every_game(store)]
    return [(fault.kind, fault.detail) for record in records for fault in record.faults]


def assert_undisturbed(bowerbird: Bowerbird, disturbed: Path, file: Path) -> None:
    """Compare a run with an undisturbed one: no fault, all games, and every action the same."""
    assert faults(disturbed) == []
    calm = bowerbird.folder / "calm.db"
    bowerbird.done("tournament", file.name, "--db", calm.name, "--quiet")
    assert untimed_games(disturbed) == untimed_games(calm)


@pytest.mark.row(31)
@pytest.mark.parametrize(
    ("chosen", "jobs", "stall_s"),
    [(tree, 1, STALL_S), long(alone, 1, STALL_S), long(tree, 2, STALL_S), long(alone, 2, STALL_S), long(tree, 1, 25.0)],
    ids=["all processes", "the referee alone", "all of two workers", "the pool alone", "all for 25 s"],
)
def test_a_tournament_that_is_stopped_and_continued_plays_on_as_if_nothing_had_happened(
    bowerbird: Bowerbird, seen: Seen, chosen: Callable[[int], Sequence[int]], jobs: int, stall_s: float
) -> None:
    file = cup(bowerbird)
    with bowerbird.start("tournament", file.name, "--db", "x.db", "--jobs", str(jobs)) as process:
        said = said_until(process, f"of {SETS} deal sets")
        stand_still(chosen, process.pid, stall_s)
        text = finish(process, said)
    assert_undisturbed(bowerbird, bowerbird.folder / "x.db", file)
    if chosen is tree or jobs == 1:
        assert text.count(STOOD_STILL) == 1, f"people are told, once: {text}"
    seen(f"stopped for {stall_s:g} s in play: no fault, every game as undisturbed", ms=int(1000 * stall_s))


@pytest.mark.row(31)
@pytest.mark.parametrize("chosen", [long(tree), long(alone)], ids=["all processes", "the referee alone"])
def test_a_stall_in_the_start_up_is_nobodys_fault(
    bowerbird: Bowerbird, seen: Seen, chosen: Callable[[int], Sequence[int]]
) -> None:
    """The bots are stopped before they say Hello, for longer than they may take to start."""
    file = cup(bowerbird, sets=1, startup_ms=9000)
    with bowerbird.start("tournament", file.name, "--db", "x.db") as process:
        wait_until(lambda: len(bowerbird.processes()) > 1, "a bot is started")
        stand_still(chosen, process.pid, 11.0)
        finish(process, "")
    assert_undisturbed(bowerbird, bowerbird.folder / "x.db", file)
    seen("stopped for 11 s while bots start, with 9 s to start: no fault")


def wait_until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < deadline, f"it never came to this: {what}"
        time.sleep(0.02)  # nothing to wait on: another program does it


@pytest.mark.row(31)
def test_ctrl_z_and_fg_in_a_shell_are_nobodys_fault(bowerbird: Bowerbird, seen: Seen) -> None:
    file = cup(bowerbird)
    with shell(bowerbird) as (keyboard, shown):
        os.write(keyboard, f"{COMMAND} tournament {file.name} --db x.db\n".encode())
        shown.wait(*(f"{played}/16" for played in range(1, 16)))  # it may skip some
        os.write(keyboard, CTRL_Z)
        shown.wait("Stopped")
        time.sleep(STALL_S)  # the fault itself
        os.write(keyboard, b"fg\n")
        shown.wait(STOOD_STILL)
        shown.wait("is complete; its seed")
        os.write(keyboard, b"exit\n")
    assert_undisturbed(bowerbird, bowerbird.folder / "x.db", file)
    seen("Ctrl-Z and fg: no fault, every game as undisturbed", ms=int(1000 * STALL_S))


CTRL_Z = b"\x1a"


class Shown:
    """What a terminal has shown since it was last asked."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._text = ""

    def wait(self, *awaited: str) -> None:
        """Wait until the terminal shows one of these texts, with any blanks and line breaks in it."""
        texts = [text.replace(" ", "") for text in awaited]
        said = ""
        while not any(text in said for text in texts):
            piece = read_piece(self._descriptor)
            assert piece, f"the terminal closed before it showed {' or '.join(awaited)}: {said[-2000:]}"
            self._text += piece.decode(errors="replace")
            said = "".join(ESCAPES.sub("", self._text).split())
        self._text = ""


@contextmanager
def shell(bowerbird: Bowerbird) -> Iterator[tuple[int, Shown]]:
    """A shell on a pseudo-terminal: only a shell with job control makes Ctrl-Z stop a command."""
    ours, theirs = pty.openpty()
    environment = {**bowerbird.environment(), "TERM": "xterm", "COLUMNS": "120", "LINES": "40"}
    process = subprocess.Popen(
        ["setsid", "--ctty", "--wait", "bash", "--norc", "--noprofile", "-i"],
        cwd=bowerbird.folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        yield ours, Shown(ours)
        process.wait(DEADLINE_S)
    finally:
        process.kill()
        process.wait(DEADLINE_S)
        os.close(ours)


ABAB = ("a", "b", "a", "b")


def club_games(
    folder: Path, names: Sequence[tuple[str, ...]], first: BotSpec, time_control: TimeControl
) -> list[GameRecord]:
    """Play a table for each line of names, with honest bots beside `first`."""
    specs = [table(seats, number, shared=True) for number, seats in enumerate(names)]
    bots = {spec.name: spec for spec in (first, bot("b"), bot("c"))}

    async def main() -> list[GameRecord]:
        with trio.fail_after(DEADLINE_S):
            async with open_club(bots, folder, made=conditions(time=time_control)) as club:
                records = await club.play(specs)
                assert club.voided == {}
                return records

    return trio.run(main)


@pytest.mark.row(31)
@pytest.mark.parametrize("in_stall", [True, False], ids=["in a stall", "in play"])
def test_a_process_that_is_killed_in_a_stall_voids_its_games_and_no_others(
    tmp_path: Path, seen: Seen, in_stall: bool
) -> None:
    """Without a stall the same death is a crash. The referee's own thread stops, and the referee with it."""
    specs = [table(ABAB, shared=True), table(("c", "d", "c", "d"), 1, shared=True)]
    thinking = [bot(name, "slow", THINK_MS="100") for name in "abcd"]
    victims: list[int] = []

    async def kill_one(club: Club) -> None:
        while club.referee.open_games < len(specs):
            await trio.sleep(0.02)
        victims.extend(pid for pid in running(tmp_path) if "THE_VICTIM" in environment_of(pid))
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        if in_stall:
            time.sleep(STALL_OF_LONG * LONG_NS / NS_PER_S)  # the fault itself: trio's thread is blocked

    async def main() -> tuple[list[GameRecord], Club]:
        named = {spec.name: spec for spec in thinking}
        named["a"] = dataclasses.replace(named["a"], environment={**named["a"].environment, "THE_VICTIM": "1"})
        with trio.fail_after(DEADLINE_S):
            async with open_club(named, tmp_path) as club, trio.open_nursery() as nursery:
                nursery.start_soon(kill_one, club)
                return await club.play(specs), club

    records, club = trio.run(main)
    assert victims
    if in_stall:
        assert list(club.voided) == [specs[0].game_id]
        assert club.voided[specs[0].game_id] == VoidedGame(("a",), "a process was lost while the host stood still")
        assert club.referee.bot_story("a").faults == 0
        [other] = records
        assert other.id == specs[1].game_id
        assert other.faults == ()
        seen("killed in a long stall: its game has no result, no incident; the other table plays on")
    else:
        assert club.voided == {}
        assert [fault.kind for fault in records[0].faults] == ["CRASHED"]
        seen("killed in play: CRASHED")


def environment_of(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/environ").read_text(errors="replace")
    return ""


@pytest.mark.row(31)
def test_a_start_that_fails_twice_and_then_works_is_no_fault(tmp_path: Path, seen: Seen) -> None:
    bots = {"a": bot("a", "fails-twice", ONCE=str(tmp_path / "started")), "b": bot("b")}

    async def main(pauses_s: Sequence[float]) -> tuple[GameRecord, int]:
        async with open_club(bots, tmp_path, start_pauses_s=pauses_s) as club:
            [record] = await club.play([table(ABAB, shared=True)])
            return record, club.referee.bot_story("a").faults

    record, count = trio.run(main, (0.01, 0.02))
    assert record.faults == ()
    assert count == 0
    seen("two starts failed, the third worked: no fault")


@pytest.mark.row(31)
def test_a_start_that_fails_three_times_is_one_fault(tmp_path: Path, seen: Seen) -> None:
    bots = {"a": bot("a", "unborn"), "b": bot("b")}

    async def main() -> tuple[GameRecord, int]:
        async with open_club(bots, tmp_path, start_pauses_s=(0.01, 0.02)) as club:
            [record] = await club.play([table(ABAB, shared=True)])
        return record, club.referee.bot_story("a").faults

    record, count = trio.run(main)
    assert {fault.kind for fault in record.faults} == {"NEVER_STARTED"}
    assert count == 1
    assert len(list(tmp_path.glob("a-*.log"))) == 3, "each try has a log"
    seen("three starts failed: NEVER_STARTED, one incident")


@pytest.mark.row(31)
def test_a_bot_that_loads_the_host_is_late_all_the_same(tmp_path: Path, seen: Seen) -> None:
    """It starts forty spinners at its decision and answers after twice its time. The others are not late."""
    attacker = bot("a", "loads", "2", SPINNERS="40", THINK_MS="5000")
    time_control = dataclasses.replace(PATIENT, per_decision_ms=2500)
    attacked, other = club_games(tmp_path, [ABAB, ("b", "c", "b", "c")], attacker, time_control)
    assert [fault.kind for fault in attacked.faults] == ["TIMEOUT"]
    assert attacked.seats[attacked.faults[0].seat].bot == "a"
    assert other.faults == ()
    seen("forty spinners of its own: its late answer is a TIMEOUT", ms=attacked.faults[0].elapsed_ms)


@pytest.mark.row(31)
def test_programs_beside_a_run_cost_no_bot_a_game(tmp_path: Path, seen: Seen) -> None:
    spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(40)]
    try:
        time_control = dataclasses.replace(PATIENT, per_decision_ms=5000)
        records = club_games(tmp_path, [ABAB, ("b", "c", "b", "c")], bot("a"), time_control)
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()
    assert [record.faults for record in records] == [(), ()]
    seen("forty spinners of another program: no fault")
