"""Restarts and time that a run has used stay used, through kill -9, --resume and all workers of `--jobs N`."""

from __future__ import annotations

import re
import signal
from collections import Counter
from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.canonical import canonical
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.deadline import DEADLINE_S
from tests.support.records.every_game import every_game

MAX_RESTARTS = 14
CUP = f"""
[tournament]
sets = 10
seed = "withdrawn"
instances = "shared"
tables = 1
max_restarts = {MAX_RESTARTS}
max_faults = 30
[[variant]]
name = "euchre"
"""


@pytest.fixture
def cup(bowerbird: Bowerbird) -> Path:
    """Return a tournament of twenty games in sequence; a bot leaves each one at its first decision."""
    bad = bowerbird.bot("bad", "killed", "0", THINK_MS="500")  # the run is not over before it is killed
    return bowerbird.tournament(CUP, bowerbird.bot("good", "honest"), bad)


HOURGLASS = """
[tournament]
stop = { time = "4s", every = 1, sets = 1000 }
seed = "sand"
[[variant]]
name = "euchre"
"""


def ends(bowerbird: Bowerbird, db: str) -> Counter[str]:
    """Count the games by how they ended."""
    with Store.open(bowerbird.folder / db) as store:
        return Counter(game.ended for game in every_game(store))


def untimed(bowerbird: Bowerbird, db: str) -> dict[str, str]:
    """Return every record without measured values, by game."""
    with Store.open(bowerbird.folder / db) as store:
        return {
            game: "\n".join(
                line
                for line in canonical(store.record(game)).splitlines()
                if not line.startswith(("ms = ", "sha256 = ", "elapsed_ms = "))
            )
            for game in store.run().game_ids()
        }


def kill_after(bowerbird: Bowerbird, cup: Path, sets: int) -> None:
    """Begin or resume the run, and kill -9 the command once `sets` deal sets are stored."""
    resume = ["--resume"] if (bowerbird.folder / "killed.db").exists() else []
    with bowerbird.start("tournament", cup.name, "--db", "killed.db", *resume) as process:
        assert process.stderr is not None
        for line in process.stderr:
            said = re.match(r"(\d+) (of \d+ )?deal sets?\b", line)
            if said and int(said[1]) >= sets:
                break
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=DEADLINE_S)
    assert process.returncode == -signal.SIGKILL, "it ended before it could be killed"
    assert not bowerbird.wait_until_gone()


def stored_sets(bowerbird: Bowerbird, db: str) -> int:
    with Store.open(bowerbird.folder / db) as store:
        return len(store.run().stored_sets())


def test_a_bot_has_no_more_restarts_in_a_run_that_is_killed_than_in_one_that_is_not(
    bowerbird: Bowerbird, cup: Path
) -> None:
    """faults.md row 22: the same records as an undisturbed run. Killed after each of the first sets."""
    bowerbird.done("tournament", cup.name, "--db", "whole.db", "--quiet")
    assert ends(bowerbird, "whole.db") == {"forfeit": MAX_RESTARTS + 1, "withdrawn": 20 - MAX_RESTARTS - 1}
    for sets in (1, 2, 3):
        kill_after(bowerbird, cup, sets)
        assert sets <= stored_sets(bowerbird, "killed.db") < 10
    bowerbird.done("tournament", cup.name, "--db", "killed.db", "--resume", "--quiet")
    assert untimed(bowerbird, "killed.db") == untimed(bowerbird, "whole.db")


@pytest.mark.long
def test_a_bot_has_no_more_restarts_with_two_workers_than_with_one(bowerbird: Bowerbird, cup: Path) -> None:
    """One more is possible: one worker may be at a table when another uses the last restart."""
    bowerbird.done("tournament", cup.name, "--db", "two.db", "--jobs", "2", "--quiet")
    ended = ends(bowerbird, "two.db")
    assert ended.total() == 20
    assert MAX_RESTARTS + 1 <= ended["forfeit"] <= MAX_RESTARTS + 2
    with Store.open(bowerbird.folder / "two.db") as store:
        conduct = store.run().conduct()
    assert set(conduct.withdrawn) == {"bad"}
    assert len(conduct.incidents) == ended["forfeit"], "an incident was lost or stored twice"


def times(bowerbird: Bowerbird) -> dict[int, int]:
    """Return the milliseconds that the run had been played when each deal set was stored, by the set's number."""
    with Store.open(bowerbird.folder / "killed.db") as store:
        return {key.number: ms for key, ms in store.run().played_ms().items()}


def test_the_time_that_a_run_has_used_is_not_counted_anew(bowerbird: Bowerbird) -> None:
    """The run stops after the first deal set that is stored past its time, and no sooner."""
    glass = bowerbird.tournament(HOURGLASS, bowerbird.bot("one", "honest"), bowerbird.bot("two", "last"))
    kill_after(bowerbird, glass, 2)
    killed = times(bowerbird)
    assert 0 < max(killed.values()) < 4000, "the run must be killed in the middle"
    look = "tournament", glass.name, "--db", "killed.db", "--resume", "--dry-run"
    assert "nothing is left to play" not in bowerbird.done(*look)
    said = bowerbird("tournament", glass.name, "--db", "killed.db", "--resume")
    assert said.returncode == 0, said.stderr
    whole = times(bowerbird)
    assert killed.items() <= whole.items()
    in_order = [whole[number] for number in range(len(whole))]
    assert in_order == sorted(in_order), "the time began again at 0"
    assert in_order[-2] < 4000 <= in_order[-1]
    assert "were played, 4 s were wanted" in said.stderr
    assert "nothing is left to play" in bowerbird.done(*look)
