"""An organiser edits the roster of a league in the middle of an epoch (row 64)."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.league import PLAYING, WITHDRAWN
from tests.support.command.league import League, complete, status
from tests.support.referee.fault_matrix import Seen

FILE = """
[league]
epoch = "6 sets"

[tournament]
tables = 1
isolation = "none"

[[variant]]
name = "two-handed"

[[bot]]
path = "random"

[[bot]]
path = "bots/ada"
"""

BOB = '[[bot]]\npath = "bots/bob"\n'


@pytest.mark.row(64)
def test_the_epoch_in_play_ends_with_the_bots_it_began_with(tmp_path: Path, seen: Seen) -> None:
    """Bots leave, join, change their files and their version, and the file is broken, all while games are played."""
    league = League(tmp_path, FILE)
    league.write_bot("ada", act="import time; time.sleep(0.01)")
    league.write_bot("bob")
    with league.running():
        season = league.until(lambda one: one.open_epoch is not None, "the first epoch")
        first = season.open_epoch
        assert first is not None
        league.file.write_text("[league\n", encoding="utf-8")
        league.file.write_text(FILE.replace('[[bot]]\npath = "bots/ada"\n', BOB), encoding="utf-8")
        league.write_bot("ada", version="2", act="raise SystemExit(3)")
        (league.folder / "bots" / "ada" / "bot.py").unlink()
        season = league.until(
            lambda one: status(one, "bob") == PLAYING and status(one, "ada") == WITHDRAWN, "the new roster"
        )
        league.until(lambda one: complete(one) >= 2, "an epoch with it")
    with Store.open(league.database) as store:
        epochs = sorted(season.epochs, key=lambda one: one.number)
        run = store.run(first.run)
        assert {bot.name for bot in run.bots()} == {"random", "ada"}, "the epoch in play keeps its bots"
        assert not run.faults(), "it plays from the version that it keeps"
        assert run.row.ended is not None
        assert epochs[0].run == first.run
    seen("a bot left, one came, files were removed, the file was broken: the epoch ends as it began, the next is new")
