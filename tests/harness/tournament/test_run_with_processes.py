"""A run with the real referee and real processes."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.referee.process.procfs import children_of
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.errors import BotNotStartingError
from bowerbird.harness.tournament.events import GamePlayed, RunEnded, TournamentEvent
from bowerbird.harness.tournament.plan import make_plan
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament
from tests.support.paths import ROOT
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.plans import keys_of

RANDOM = ROOT / "bots" / "random"

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


STARTS_ONCE = 'mkdir "$ONCE" || exit 3; exec "$PYTHON" -m bowerbird.bots.random'
"""A shell script: the first process plays, later ones end before they say anything."""


@pytest.mark.usefixtures("processes")
def test_a_bot_that_does_not_start_is_found_before_the_first_game(yard: Yard, tmp_path: Path) -> None:
    """One sentence names file, bot, status and the bot's output. Nothing is recorded."""
    before = _children()
    source = yard.bot("dead", """command = ["{python}", "-c", "raise SystemExit('no model here')"]""", "tables = 64")
    plan = make_plan(load_tournament(yard.write("autumn.toml", FILE)))
    with Store.create(tmp_path / "one.db") as store:
        with pytest.raises(BotNotStartingError) as caught:
            play_tournament(plan, store, lambda event: None, RunOptions())
        assert str(caught.value).startswith(
            f"{source}: bot 'dead' does not start: it ended without connecting (exit status 1); "
            "the last line it wrote: no model here"
        )
        assert store.runs() == []
    assert _children() <= before, "a process is left"


@pytest.mark.usefixtures("processes")
def test_a_bot_that_stops_starting_stops_nobody(yard: Yard, tmp_path: Path) -> None:
    """faults.md row 1: NEVER_STARTED. The run continues; the bot's games are losses."""
    before = _children()
    yard.bot(
        "dead",
        f"command = ['sh', '-c', '{STARTS_ONCE}']",
        f'cwd = "{RANDOM.parents[1]}"',
        "tables = 64",
        f'[environment]\nONCE = "{tmp_path}/once"\nPYTHON = "{sys.executable}"',
    )
    file = replace(load_tournament(yard.write("autumn.toml", FILE)), isolation="limits")  # the bot makes a folder
    plan = make_plan(file)
    events: list[TournamentEvent] = []
    with Store.create(tmp_path / "one.db") as store:
        play_tournament(plan, store, events.append, RunOptions())
        run = plan.header.fingerprint
        games = [event for event in events if isinstance(event, GamePlayed)]
        assert len(games) == plan.extent.games
        assert isinstance(events[-1], RunEnded)
        assert store[run].stored_sets() == frozenset(keys_of(plan))
        kinds = {fault for event in games for fault in event.faults}
        assert kinds == {("dead", "NEVER_STARTED")}
        assert {"random", "twin"} <= {row.bot for row in store[run].record_ratings()}
        assert verify_run(store[run], digest_of) == []
    assert _children() <= before, "a process is left"


def _children() -> set[int]:
    """Return the living processes that this one has started; bots are children of one of them.

    A fixture of other tests may have some, such as a browser.
    """
    return set(children_of(os.getpid()))
