"""A run of several variants with faults and stories, sound or with every kind of damage to games."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.text.reader import read
from tests.support.records.played_games import play, spec_of
from tests.support.records.stored_runs import store_run

DAMAGE = (
    "UPDATE game SET record = 'x' WHERE id LIKE '%/euchre-0/%/0/0'",
    "UPDATE game SET record = (SELECT record FROM game WHERE id LIKE '%/euchre-0/%/2/1') "
    "WHERE id LIKE '%/euchre-0/%/2/0'",
    "UPDATE seat SET rank = 9 WHERE seat = 1 AND game LIKE '%/euchre-0/%/3/0'",
    "UPDATE game SET ended = 'sweep' WHERE id LIKE '%/euchre-0/%/3/1'",
    "DELETE FROM seat WHERE game LIKE '%/buck-0/%/3/0'",
    "UPDATE fault SET detail = 'another one' WHERE game LIKE '%/euchre-0/%/1/0'",
    "UPDATE story SET legal = '[\"pass\"]' WHERE game LIKE '%/buck-0/%/1/2'",
    "INSERT INTO void (run, entry, lineup, set_number, attempt, bots, why, saved) "
    "SELECT run, entry, lineup, set_number, 0, '[\"ann\"]', 'lost', '2026-11-22T00:00:00Z' "
    "FROM job WHERE entry = 'euchre-0' AND set_number = 4",
)
"""Statements that each change something in a run of `store_sound_run`."""

KINDS = (
    "line 1: ",
    "the record stored here is that of game",
    "table seat, row 1, column rank: 9",
    "table game, row 0, column ended: 'sweep'",
    "table seat: 0 rows",
    "table fault, row 0, column detail",
    "story of seat ",
    "its packs are those of attempt 0",
)
"""What verification says of each statement."""

KINDS_WITHOUT_SEED = (
    "is not that of its deal set",
    "first dealer: ",
    "it is not that of its run",
    "was not entered in",
)
"""What verification says of `deal_otherwise`."""


def store_sound_run(path: Path) -> str:
    """Store a run; return its fingerprint."""
    return store_run(path, sets=range(5), variants=("buck", "euchre", "two-handed"), faulty={1})


def damage(path: Path) -> None:
    """Damage the games of the run."""
    with closing(sqlite3.connect(path)) as database, database:
        for sql in DAMAGE:
            assert database.execute(sql).rowcount > 0, sql


def deal_otherwise(path: Path) -> None:
    """Damage it where only its unpublished seed would show more: other packs, another commitment, another bot."""
    own = spec_of("euchre", ("bob", "ann") * 2, rotation=1)
    stranger = play(replace(own, seed=bytes(32)), random.Random(0))
    other = f"{own.game_id.removesuffix('/0/1')}/2/0"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE run SET seed = NULL, ended = NULL")
        database.execute("UPDATE bot SET fingerprint = 'sha256:x' WHERE name = 'ann'")
        [text] = database.execute("SELECT record FROM game WHERE id = ?", [other]).fetchone()
        for game, record in ((own.game_id, stranger), (other, replace(read(text), commitment="sha256:0"))):
            changed = database.execute("UPDATE game SET record = ? WHERE id = ?", [canonical(record), game])
            assert changed.rowcount == 1, game
