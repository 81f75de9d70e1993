"""A run with the real referee and real processes."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bot_yard import Yard
from plans import keys_of

from harness.ratings.ladder import rate
from harness.records.store import Store
from harness.records.verify import verify_run
from harness.tournament.config import load_tournament
from harness.tournament.errors import BotNotStartingError
from harness.tournament.events import Event, GamePlayed, RunEnded
from harness.tournament.plan import make_plan
from harness.tournament.play import play_tournament

RANDOM = Path(__file__).resolve().parents[3] / "bots" / "random"

FILE = f"""
[tournament]
sets = 1
seed = "leaves"
packs = "own"
[[variant]]
name = "euchre"
[[variant]]
name = "buck"
[[bot]]
path = "{RANDOM}"
[[bot]]
path = "{RANDOM}"
name = "twin"
[[bot]]
path = "bots/dead"
"""


STARTS_ONCE = 'mkdir "$ONCE" || exit 3; exec "$PYTHON" -m bots.random'
"""For a shell: the first process plays, those after it end before they have said anything."""


def test_a_bot_that_does_not_start_is_found_before_the_first_game(yard: Yard, tmp_path: Path) -> None:
    """One sentence with file, bot, status and what it wrote; nothing is recorded."""
    source = yard.bot("dead", """command = ["{python}", "-c", "raise SystemExit('no model here')"]""", "tables = 64")
    plan = make_plan(load_tournament(yard.write("autumn.toml", FILE)))
    with Store.create(tmp_path / "one.db") as store:
        with pytest.raises(BotNotStartingError) as caught:
            play_tournament(plan, store, workspace=tmp_path / "logs", progress=lambda event: None)
        assert str(caught.value).startswith(
            f"{source}: bot 'dead' does not start: exit status 1 before its Hello; "
            "the last line it wrote: no model here"
        )
        assert store.runs() == []
    assert _children() == [], "a process is left"


def test_a_bot_that_stops_starting_stops_nobody(yard: Yard, tmp_path: Path) -> None:
    """FAULTS.md, row 1: NEVER_STARTED, the run goes on; its games are losses."""
    yard.bot(
        "dead",
        f"command = ['sh', '-c', '{STARTS_ONCE}']",
        f'cwd = "{RANDOM.parents[1]}"',
        "tables = 64",
        f'[environment]\nONCE = "{tmp_path}/once"\nPYTHON = "{sys.executable}"',
    )
    file = replace(load_tournament(yard.write("autumn.toml", FILE)), isolation="limits")  # it makes a folder
    plan = make_plan(file)
    events: list[Event] = []
    with Store.create(tmp_path / "one.db") as store:
        play_tournament(plan, store, workspace=tmp_path / "logs", progress=events.append)
        run = plan.header.fingerprint
        games = [event for event in events if isinstance(event, GamePlayed)]
        assert len(games) == plan.extent.games
        assert isinstance(events[-1], RunEnded)
        assert store.stored_sets(run) == frozenset(keys_of(plan))
        kinds = {fault for event in games for fault in event.faults}
        assert kinds == {("dead", "NEVER_STARTED")}
        ratings = store.ratings(run)
        assert ratings is not None
        assert {"random", "twin"} <= {row.bot for row in ratings.rows}
        assert verify_run(store, run, rate) == []
    assert _children() == [], "a process is left"


def _children() -> list[str]:
    """The processes that this one has started and that are still there; bots are children of one of them."""
    return [pid for thread in Path("/proc/self/task").iterdir() for pid in (thread / "children").read_text().split()]
