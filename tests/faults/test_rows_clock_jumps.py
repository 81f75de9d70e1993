"""The wall clock jumps while a run is being played, as after a correction by NTP or by hand (row 60)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.command.run_records import untimed_games
from tests.support.referee.fault_matrix import Seen

CUP = """
[tournament]
sets = 6
seed = "jumping"
[time]
per_decision = "20s"
startup = "60s"
[[variant]]
name = "two-handed"
options = { max_hands = 2 }
"""

JUMPING = """
import datetime, sys, time

DAY = 86400.0
JUMPS = (0.0, 400 * DAY, -400 * DAY, 3600.0, -3600.0)
now, now_ns, began = time.time, time.time_ns, time.monotonic()


def offset(depth):
    # Libraries keep their clock: what they read in C does not jump, and both must agree.
    ours = sys._getframe(depth).f_globals.get("__name__", "").startswith("bowerbird")
    return JUMPS[int((time.monotonic() - began) * 20) % len(JUMPS)] if ours else 0.0


class Jumping(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(now() + offset(2), tz)


time.time = lambda: now() + offset(2)
time.time_ns = lambda: now_ns() + int(offset(2) * 1e9)
datetime.datetime = Jumping
sys.argv[0] = "bowerbird"
from bowerbird.harness.cli.entry import main
main()
"""
"""The command, in a process in which every wall clock that our code reads jumps 20 times a second."""


@pytest.mark.row(60)
def test_a_clock_that_jumps_forwards_and_backwards_costs_nobody_anything(bowerbird: Bowerbird, seen: Seen) -> None:
    file = bowerbird.tournament(CUP, bowerbird.bot("one", "slow", THINK_MS="20"), bowerbird.bot("two", "last"))
    played = bowerbird.run(sys.executable, "-c", JUMPING, "tournament", file.name, "--db", "x.db", "--quiet")
    assert played.returncode == 0, played.stderr
    assert "Traceback" not in played.stderr
    db: Path = bowerbird.folder / "x.db"
    with Store.open(db) as store:
        assert not store.run(None).faults()
        assert store.run(None).row.ended is not None
    bowerbird.done("tournament", file.name, "--db", "calm.db", "--quiet")
    assert untimed_games(db) == untimed_games(bowerbird.folder / "calm.db")
    assert "no differences" in bowerbird.done("verify", "--db", "x.db")
    seen("jumps of 400 days and of an hour, 20 a second, both ways: no fault, every game as undisturbed, verified")
