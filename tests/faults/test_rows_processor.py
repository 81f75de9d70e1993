"""Bots that take more than their share of the processor, and bots that think in their opponents' time (row 37)."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import bowerbird.harness.referee.process.supervisor_handle
from bowerbird.harness.records.values.game_record import FROZEN, TimeControl
from bowerbird.harness.referee.process.cgroups import CgroupFactory
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.isolated import require
from tests.support.referee.measured import play
from tests.support.referee.supervisor_programs import ONLY_V1, UNGROUPED
from tests.support.referee.tables import MARK, bot, conditions, running, table
from tests.support.referee.verdicts import thinking_times

THINK_MS = 200
TIME = TimeControl(per_decision_ms=1500, bank_ms=3000, startup_ms=60_000)


def require_freezer() -> None:
    """Skip the test where no control group can freeze."""
    if not _made_groups(0):
        pytest.skip("no control group can freeze here")


def _made_groups(number: int) -> str:
    factory = CgroupFactory.detect()
    if factory is None:
        return ""
    group = factory.make(number, 0, 0)
    group.remove()
    return group.freeze_file


@pytest.mark.alone
@pytest.mark.row(37)
@pytest.mark.parametrize("may_ponder", [False, True], ids=["frozen", "pondering"])
@pytest.mark.parametrize(("games", "spinners"), [(1, 60), pytest.param(5, 100, marks=pytest.mark.long)])
def test_spinners_in_sessions_of_their_own_cost_another_bot_no_fault(
    tmp_path: Path, seen: Seen, games: int, spinners: int, may_ponder: bool
) -> None:
    """Where bots may ponder, the spinners run all the time, and only the weight of their group holds them back."""
    require("limits")
    require_freezer()
    victim = bot("victim", "computes", THINK_MS=str(THINK_MS))
    hog = bot("hog", "spins", "0", SPINNERS=str(spinners))
    specs = [table(("victim", "hog", "victim", "hog"), number, max_hands=1) for number in range(games)]
    made = conditions("substitute", time=TIME, isolation="limits")
    played = play(specs, [victim, hog], tmp_path, made, may_ponder=may_ponder)
    faults = [fault for record in played.records for fault in record.faults if fault.seat in (0, 2)]
    assert faults == [], "a bot paid for the spinners of another"
    assert len(played.records) == games
    assert played.cpu_ms["victim"] >= THINK_MS, "its processor time was not counted"
    slowest = max(ms for record in played.records for ms in thinking_times(record, {0, 2}))
    how = "may ponder" if may_ponder else "frozen"
    what = f"{spinners} spinners, {how}, {games} games: no fault of the other bot"
    seen(f"{what}; processor time: {played.shares()}", ms=slowest, limit_ms=TIME.per_decision_ms + TIME.bank_ms)


@pytest.mark.row(37)
def test_a_bot_without_an_open_decision_stands_still_and_leaves_with_its_goodbye(tmp_path: Path, seen: Seen) -> None:
    require("sandbox")
    require_freezer()
    bots = [bot("ticks", "ticks"), bot("slow", "slow", THINK_MS="600")]
    specs = [table(("ticks", "slow", "ticks", "slow"), max_hands=1)]
    played = play(specs, bots, tmp_path, conditions(isolation="sandbox"))
    [record] = played.records
    assert record.faults == ()
    assert record.conditions.measures == (FROZEN,)
    pauses = [
        int(ms) for log in tmp_path.rglob("ticks-*.log") for ms in re.findall(r"longest pause: (\d+)", log.read_text())
    ]
    assert max(pauses) > 300, f"a thread of the bot ran while its opponent thought for 600 ms: {pauses}"
    assert played.ends == {"ticks": "exit status 0", "slow": "exit status 0"}, "both ended by themselves"
    seen(
        f"it stood still for up to {max(pauses)} ms while its opponent thought for 600 ms, and left with exit status 0"
    )


@pytest.mark.row(37)
def test_without_control_groups_bots_play_unfrozen_and_the_record_does_not_claim_it(
    tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bowerbird.harness.referee.process.supervisor_handle, "PROGRAM", UNGROUPED)
    bots = [bot("a", "computes", THINK_MS="50"), bot("b")]
    played = play([table(("a", "b", "a", "b"), max_hands=1)], bots, tmp_path, conditions(isolation="limits"))
    assert [record.faults for record in played.records] == [()]
    assert played.records[0].conditions.measures == ()
    assert played.cpu_ms["a"] > played.cpu_ms["b"] > 0
    assert played.processes == {"a": 2, "b": 2}
    seen(f"no control group: no measure in the record; processor time: {played.shares()}")


REFEREE = """
import dataclasses, os, sys, trio
from pathlib import Path
from bowerbird.harness.referee.process import supervisor_handle
from bowerbird.harness.referee.process.output import OutputLog
from bowerbird.harness.referee.process.supervisor import Supervisor
from bowerbird.harness.referee.isolation.tiers import tier_named
from tests.support.referee.tables import bot

async def main():
    if sys.argv[3]:
        supervisor_handle.PROGRAM = sys.argv[3]
    handle = supervisor_handle.SupervisorHandle.start()
    supervisor = Supervisor(handle)
    shell = ("/bin/sh", "-c", "setsid sleep 600 & exec sleep 600")
    spec = dataclasses.replace(bot("orphan", command=shell), environment={sys.argv[1]: sys.argv[2]})
    async with trio.open_nursery() as nursery:
        nursery.start_soon(supervisor.run)
        for number in range(2):
            launch = tier_named("limits").launch(spec, {})
            process = await supervisor.start(launch, OutputLog(Path(f"log-{number}")), nursery)
            while len(list(Path(process.freezer.group, "cgroup.procs").read_text().split())) < 2:
                await trio.sleep(0.01)
            process.freezer.freeze()
            print(process.freezer.group, flush=True)
        print(handle._process.pid, flush=True)
        await trio.sleep_forever()

trio.run(main)
"""


@pytest.mark.row(37)
@pytest.mark.parametrize("program", ["", ONLY_V1], ids=["v2", "v1"])
@pytest.mark.parametrize("killed", ["referee", "supervisor", "both"])
def test_kill_9_leaves_no_frozen_process(tmp_path: Path, seen: Seen, program: str, killed: str) -> None:
    require("limits")
    require_freezer()
    if program and not Path("/sys/fs/cgroup/freezer").exists():
        pytest.skip("there is no freezer of version 1 here")
    mark = uuid.uuid4().hex
    code = f"import sys; sys.path.append({str(ROOT)!r})\n{REFEREE}"
    with subprocess.Popen(
        [sys.executable, "-c", code, MARK, mark, program],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as referee:
        assert referee.stdout is not None
        groups = [Path(referee.stdout.readline().strip()) for _ in range(2)]
        supervisor = int(referee.stdout.readline())
        assert len(running(mark)) >= 4, "the bots and their children run"
        victims = {"referee": [referee.pid], "supervisor": [supervisor], "both": [supervisor, referee.pid]}[killed]
        for pid in victims:
            subprocess.run(["kill", f"-{int(signal.SIGKILL)}", str(pid)], check=True)
        referee.stdout.read()
    assert not list(_left(mark, groups)), "frozen processes or their groups are left"
    seen(f"kill -9 of {killed} ({'version 1' if program else 'version 2'}): no frozen process is left")


def _left(mark: str, groups: Sequence[Path]) -> Iterator[object]:
    """Wait until no process and no group is left, or time is up; yield what is left."""
    deadline = time.monotonic() + DEADLINE_S
    while (running(mark) or any(map(Path.exists, groups))) and time.monotonic() < deadline:
        time.sleep(0.01)  # no event to wait for: they are not our children
    yield from running(mark)
    yield from filter(Path.exists, groups)
