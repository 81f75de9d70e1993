"""A process is lost while the host is stopped (faults.md row 31): its deal set is void and played again."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.referee.process.procfs import all_processes, command_line_of, process_tree
from tests.support.command.bowerbird_command import Bowerbird, said_until
from tests.support.deadline import DEADLINE_S
from tests.support.referee.fault_matrix import Seen

CUP = """
[tournament]
sets = {sets}
seed = "stood still"
tables = 2
[time]
per_decision = "3000ms"
bank = "0s"
[[variant]]
name = "two-handed"
options = {{ max_hands = 2 }}
"""
SETS = 8
STALL_S = 4.0


def bot_processes(pid: int, act: str) -> list[int]:
    """Return the processes below `pid` that are hostile bots with this act as their argument."""
    return [one for one in process_tree(pid, all_processes()) if act in command_line_of(one).split()]


@pytest.mark.row(31)
@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.long), 2])
def test_a_process_that_is_lost_in_a_stall_voids_its_set_which_is_played_again(
    bowerbird: Bowerbird, seen: Seen, jobs: int
) -> None:
    bots = bowerbird.bot("one", "slow", THINK_MS="40"), bowerbird.bot("two", "slow", THINK_MS="60")
    file = bowerbird.tournament(CUP.format(sets=SETS), *bots)
    with bowerbird.start("tournament", file.name, "--db", "x.db", "--jobs", str(jobs)) as process:
        said = said_until(process, f"of {SETS} deal sets")
        tree = list(process_tree(process.pid, all_processes()))
        playing = bot_processes(process.pid, "slow")
        assert playing, f"no bot is found among {tree}"
        for one in tree:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGSTOP)
        for one in playing:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        time.sleep(STALL_S)  # the fault itself
        for one in tree:
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGCONT)
        _, rest = process.communicate(timeout=DEADLINE_S)
    text = said + rest
    assert process.returncode == 0, text
    with Store.open(bowerbird.folder / "x.db") as store:
        run = store.run()
        voids = run.voids()
        assert run.faults() == [], text
        assert voids, text
        assert (run.row.sets, run.row.left_out) == (SETS, 0)
    assert text.count("is void: ") == len(voids) == text.count("it is played again with new packs"), text
    standings = bowerbird.done("standings", "--db", "x.db")
    assert "voids: " in standings
    assert "no differences" in bowerbird.done("verify", "--db", "x.db")
    seen(
        f"jobs {jobs}: {len(voids)} of {SETS} deal sets void and played again, no fault, verified",
        ms=int(1000 * STALL_S),
    )
