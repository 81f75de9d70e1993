"""Whole runs of every variant in a database: real games, played in this process."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import combinations
from pathlib import Path

from bowerbird.engine import variant_names
from bowerbird.harness.ratings.elo.live_ratings import rate
from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.records.store.run_members import store_run_digest
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import GameRecord, OptionValue
from bowerbird.harness.records.values.machines import Machine
from bowerbird.harness.records.values.run import CompletedSet, CpuTotal
from bowerbird.harness.referee.game.table import fresh_game
from tests.support.records.played_games import SEED, deal_set, faulty_set, header, notes_of, spec_of

HANDS = 3

MACHINE = Machine("Frobnicator 3000", 150_000)


def store_run(
    path: Path,
    *,
    sets: range = range(1),
    variants: tuple[str, ...] = (),
    name: str = "autumn",
    end: bool = True,
    faulty: Container[int] = (),
    noted: Container[int] = (),
    cpu: Sequence[CpuTotal] = (CpuTotal("ann", 300, 2),),
    machine: Machine | None = None,
) -> str:
    """Play and store these deal sets of each variant (default: all variants); return the run's fingerprint.

    In the deal sets with a number in `faulty` each game has a fault, and each fault a story. In those with a number in
    `noted` bots note something about their actions. `cpu` is the processor time, `machine` the one that plays.
    """
    options: dict[str, OptionValue] = {"max_hands": HANDS}
    run = header(name)
    results: list[GameRecord] = []
    with Store.create(path) as store, store.begin(run, SEED) as writer:
        for variant in variants or variant_names():
            for number in sets:
                if number in faulty:
                    key, games, stories = faulty_set(variant, number, run, options=options)
                else:
                    (key, games), stories = deal_set(variant, number, run, options=options), ()
                results += games
                notes = tuple(note for game in games for note in notes_of(game)) if number in noted else ()
                writer.save_sets([CompletedSet(key, tuple(games), tuple(stories), machine, notes)], rate([]))
        key, games = deal_set("euchre", 10**6, run, options={"max_hands": 1})
        results += games
        writer.save_set(key, games, rate(map(result_of_record, results)))
        writer.add_cpu(cpu)
        if end:
            writer.end()
            store_run_digest(store[run.fingerprint])
    return run.fingerprint


def store_cup(path: Path, bots: int, variants: tuple[str, ...]) -> str:
    """Play and store a run of `bots` bots; return its fingerprint.

    It has a deal set for each pair of bots, and at large tables one for each row of neighbours.
    """
    names = tuple(f"bot-{number}" for number in range(bots))
    run = header("cup", bots=names)
    results: list[GameRecord] = []
    with Store.create(path) as store, store.begin(run, SEED) as writer:
        for variant in variants:
            places = fresh_game(spec_of(variant, names[:2])).players
            rows = [names[first:] + names[:first] for first in range(bots)]
            lineups = (
                list(combinations(names, 2)) if places in (2, 4) else [tuple(sorted(row[:places])) for row in rows]
            )
            for lineup in lineups:
                key, games = deal_set(variant, 0, run, bots=lineup, options={"max_hands": 1})
                results += games
                writer.save_set(key, games, rate([]))
        key, games = deal_set(variants[0], 1, run, bots=names[:2], options={"max_hands": 1})
        writer.save_set(key, games, rate(map(result_of_record, [*results, *games])))
        writer.end()
        store_run_digest(store[run.fingerprint])
    return run.fingerprint


TENTH_VERSION = """
    DROP TABLE unpaired;
    DROP TABLE league_event;
    DROP TABLE epoch;
    DROP TABLE league_bot;
    DROP TABLE league;
    PRAGMA user_version = 10;
"""
"""SQL that turns a store of this version into one of version 10."""

NINTH_VERSION = f"""
    {TENTH_VERSION}
    DROP TABLE note;
    ALTER TABLE voided_game DROP COLUMN notes;
    ALTER TABLE voided_game DROP COLUMN note_count;
    PRAGMA user_version = 9;
"""
"""SQL that turns a store of this version into one of version 9."""

EIGHTH_VERSION = f"""
    {NINTH_VERSION}
    DROP VIEW runs;
    DROP VIEW dealt_again;
    ALTER TABLE run DROP COLUMN digest;
    DROP TABLE voided_game;
    DROP TABLE corrected_set;
    DROP TABLE correction;
    ALTER TABLE incident RENAME TO new_incident;
    CREATE TABLE incident (
        run TEXT NOT NULL, bot TEXT NOT NULL, name TEXT NOT NULL, instance INTEGER NOT NULL, kind TEXT NOT NULL,
        detail TEXT NOT NULL,
        PRIMARY KEY (run, bot, name),
        FOREIGN KEY (run, bot) REFERENCES bot (run, name)
    ) STRICT;
    INSERT INTO incident SELECT run, bot, name, instance, kind, detail FROM new_incident;
    DROP TABLE new_incident;
    ALTER TABLE void RENAME TO new_void;
    CREATE TABLE void (
        run TEXT NOT NULL REFERENCES run (fingerprint), entry TEXT NOT NULL, lineup TEXT NOT NULL,
        set_number INTEGER NOT NULL, attempt INTEGER NOT NULL, bots TEXT NOT NULL, why TEXT NOT NULL,
        saved TEXT NOT NULL,
        PRIMARY KEY (run, entry, lineup, set_number, attempt)
    ) STRICT;
    INSERT INTO void SELECT run, entry, lineup, set_number, attempt, bots, why, saved FROM new_void;
    DROP TABLE new_void;
    PRAGMA user_version = 8;
"""
"""SQL that turns a store of this version into one of version 8, without the view `runs`."""

SEVENTH_VERSION = f"""
    {EIGHTH_VERSION}
    DROP TABLE origin;
    PRAGMA user_version = 7;
"""
"""SQL that turns a store of this version into one of version 7, without the view `runs`."""

SIXTH_VERSION = f"""
    {SEVENTH_VERSION}
    DROP VIEW standings;
    DROP TABLE record_rating;
    DROP TABLE match_result;
    DROP TABLE placement;
    ALTER TABLE run DROP COLUMN stopped;
    PRAGMA user_version = 6;
"""
"""SQL that turns a store of this version into one of version 6, without two of its views."""

FIFTH_VERSION = f"""
    {SIXTH_VERSION}
    DROP VIEW machines;
    ALTER TABLE job DROP COLUMN machine;
    DROP TABLE machine;
    PRAGMA user_version = 5;
"""
"""SQL that turns a store of this version into one of version 5."""

FIRST_VERSION = f"""
    {FIFTH_VERSION}
    DROP VIEW faults;
    DROP TABLE story;
    DROP TABLE single;
    DROP VIEW cpu_time;
    DROP TABLE cpu;
    DROP TABLE incident;
    DROP TABLE void;
    ALTER TABLE job DROP COLUMN played_ms;
    ALTER TABLE run DROP COLUMN beacon;
    ALTER TABLE run DROP COLUMN sets_after_seed;
    ALTER TABLE run DROP COLUMN label;
    ALTER TABLE run DROP COLUMN folder;
    PRAGMA user_version = 1;
"""
"""SQL that turns a store of this version into one of the first, if it is empty or uses nothing newer."""
