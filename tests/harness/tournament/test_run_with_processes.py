"""A run with the real referee and real processes."""

from __future__ import annotations

from pathlib import Path

from bot_yard import Yard

from harness.ratings.ladder import rate
from harness.records.store import Store
from harness.records.verify import verify_run
from harness.tournament.config import load_tournament
from harness.tournament.events import Event, GamePlayed, RunEnded
from harness.tournament.plan import make_plan
from harness.tournament.runner import play_tournament

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


def test_a_bot_that_dies_at_once_stops_nobody(yard: Yard, tmp_path: Path) -> None:
    """FAULTS.md, row 1: NEVER_STARTED, the run goes on; its games are losses and rate nobody."""
    yard.bot("dead", 'command = ["{python}", "-c", "raise SystemExit(3)"]', "tables = 64")
    plan = make_plan(load_tournament(yard.write("autumn.toml", FILE)))
    events: list[Event] = []
    with Store.create(tmp_path / "one.db") as store:
        play_tournament(plan, store, workspace=tmp_path / "logs", progress=events.append)
        run = plan.header.fingerprint
        games = [event for event in events if isinstance(event, GamePlayed)]
        assert len(games) == plan.games
        assert isinstance(events[-1], RunEnded)
        assert store.stored_sets(run) == frozenset(plan.keys)
        kinds = {fault for event in games for fault in event.faults}
        assert kinds == {("dead", "NEVER_STARTED")}
        ratings = store.ratings(run)
        assert ratings is not None
        assert {row.bot for row in ratings.rows} == {"random", "twin"}
        assert verify_run(store, run, rate) == []
    assert _children() == [], "a process is left"


def _children() -> list[str]:
    """The processes that this one has started and that are still there; bots are children of one of them."""
    return [pid for thread in Path("/proc/self/task").iterdir() for pid in (thread / "children").read_text().split()]
