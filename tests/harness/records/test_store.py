"""The store: whole deal sets or nothing, one writer, queries find what is stored (database.md)."""

from __future__ import annotations

import fcntl
import os
import random
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store import sidecar
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.store.tables.games import insert_game, rows_of_record
from bowerbird.harness.records.text.canonical import canonical
from bowerbird.harness.records.values.faults import Incident
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.run import (
    CompletedSet,
    CpuTotal,
    Entrant,
    ResultsDigest,
    RunHeader,
    SetKey,
)
from tests.support.records.every_game import every_game
from tests.support.records.played_games import SEED, database, deal_set, header, play, spec_of

RATINGS = ResultsDigest("digest of results", 1)
STRANGER = Incident("elsewhere", "nobody", 0, "CRASHED", "exit status 1")
"""It cannot be stored: its bot did not enter."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(database(tmp_path))


def stored(store: Store, variant: str = "euchre", number: int = 0) -> tuple[SetKey, tuple[GameRecord, ...]]:
    key, games = deal_set(variant, number, header())
    with store.begin(header(), SEED) as writer:
        assert writer.save_set(key, games, RATINGS)
    return key, games


def test_the_reading_connection_cannot_write(store: Store) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        store._database.execute("DELETE FROM run")


# Deal sets


def test_a_stored_set_comes_back_as_it_was(store: Store) -> None:
    key, games = stored(store)
    run = header().fingerprint
    assert store[run].stored_sets() == {key}
    assert store[run].set_records(key) == games
    assert [store.record(game.id) for game in games] == list(games)
    assert [store.record_text(game.id) for game in games] == [canonical(game) for game in games]
    assert store[run].ratings() == RATINGS
    assert store[run].header() == header()
    assert store["0000"].header() is None
    assert [result.ranks for result in store[run].results()] == [game.result.ranks for game in games]
    assert [row.bots for row in store[run].games()] == [("ann", "bob", "ann", "bob"), ("bob", "ann", "bob", "ann")]


def test_a_repeated_job_is_harmless(store: Store) -> None:
    """database.md: primary keys make a repeated job harmless."""
    key, games = stored(store)
    later = ResultsDigest("another", 2)
    with store.begin(header(), SEED) as writer:
        assert writer.save_set(key, games, later) is False
    assert [row.id for row in every_game(store)] == [game.id for game in games]
    assert store[header().fingerprint].ratings() == later


def test_a_set_is_stored_whole_or_not_at_all(store: Store) -> None:
    """One transaction holds a deal set with its incidents: if one cannot be stored, neither are the games."""
    key, games = deal_set("euchre", 0, header())
    with store.begin(header(), SEED) as writer:
        with pytest.raises(StoreError, match="FOREIGN KEY"):
            writer.save_sets([CompletedSet(key, games)], RATINGS, incidents=[STRANGER])
        assert every_game(store) == []
        assert store[header().fingerprint].stored_sets() == frozenset()
        assert writer.save_set(key, games, RATINGS), "after a failure the writer must still be usable"
    assert len(every_game(store)) == 2


def test_sets_that_are_stored_together_are_stored_all_or_none_and_those_stored_before_stay(store: Store) -> None:
    """Where the disk is the limit, several sets may share a transaction. Nothing acknowledged is lost."""
    first, _ = stored(store)
    sets = [CompletedSet(*deal_set("euchre", number, header())) for number in (0, 1, 2)]
    with store.begin(header(), SEED) as writer:
        with pytest.raises(StoreError, match=r"FOREIGN KEY .* deal set euchre-0/ann.bob/0, .*/2; what was stored"):
            writer.save_sets(sets, RATINGS, incidents=[STRANGER])
        assert store[header().fingerprint].stored_sets() == {first}
        assert writer.save_sets(sets, RATINGS) == 2, "one of the three was stored before"
    assert store[header().fingerprint].stored_sets() == {one.key for one in sets}
    assert [row.id for row in every_game(store)] == [game.id for one in sets for game in one.games]


def test_a_set_that_is_not_complete_is_refused(store: Store) -> None:
    key, games = deal_set("euchre", 0, header())
    with store.begin(header(), SEED) as writer:
        for wrong in ((), games[:1], games[::-1], games[1:]):
            with pytest.raises(ValueError, match="deal set"):
                writer.save_set(key, wrong, RATINGS)
        with pytest.raises(ValueError, match="deal set"):
            writer.save_set(SetKey(key.entry, key.lineup, 7), games, RATINGS)
    assert every_game(store) == []


def test_a_game_of_another_run_or_bot_is_refused(store: Store) -> None:
    other = header(seed=bytes(32))
    key, games = deal_set("euchre", 0, other, seed=bytes(32))
    with store.begin(header(), SEED) as writer, pytest.raises(ValueError, match="deal set"):
        writer.save_set(key, games, RATINGS)
    fewer = header(bots=("ann",))
    key, games = deal_set("euchre", 0, fewer)
    with store.begin(fewer, SEED) as writer, pytest.raises(ValueError, match="'bob' is not as it was entered"):
        writer.save_set(key, games, RATINGS)


def test_two_runs_share_a_database(store: Store) -> None:
    stored(store)
    second = header("winter", bytes(32))
    key, games = deal_set("buck", 0, second, seed=bytes(32))
    with store.begin(second, bytes(32)) as writer:
        writer.save_set(key, games, ResultsDigest("", 1))
    assert {run.row.name: (run.row.sets, run.row.games, run.row.bots) for run in store.runs()} == {
        "autumn": (1, 2, 2),
        "winter": (1, 4, 2),
    }
    assert len(every_game(store)) == 6
    assert len(store[second.fingerprint].games()) == 4
    assert len(every_game(store, variant="euchre")) == 2
    assert len(every_game(store, bot="ann")) == 6
    assert every_game(store, bot="eve") == []


# Runs, bots, seeds


def test_the_seed_is_published_at_the_end_and_not_before(store: Store) -> None:
    key, games = deal_set("euchre", 0, header())
    run = header().fingerprint
    with store.begin(header(), SEED) as writer:
        writer.save_set(key, games, RATINGS)
        assert store.run(run).row.seed is None
        for path in store.path.parent.iterdir():
            if path.suffix != ".seed":
                assert SEED not in path.read_bytes()
                assert SEED.hex().encode() not in path.read_bytes(), f"{path.name} holds the secret seed"
            else:
                assert path.stat().st_mode & 0o777 == 0o600
        assert store[run].secret_seed() == SEED
        writer.end()
    assert store.run(run).row.seed == SEED
    assert store.run(run).row.ended is not None
    assert store[run].secret_seed() == SEED
    assert not list(store.path.parent.glob("*.seed"))
    assert not list(store.path.parent.glob("*.lock"))


def test_an_interrupted_run_can_be_resumed(store: Store) -> None:
    stored(store, number=0)
    assert store.run().row.ended is None
    key, games = deal_set("euchre", 1, header())
    with store.begin(header(), store[header().fingerprint].secret_seed()) as writer:
        assert writer.save_set(key, games, RATINGS)
        writer.end()
    assert store.run().row.sets == 2
    assert store.run().row.seed == SEED


def test_a_lost_seed_is_said(store: Store) -> None:
    stored(store)
    next(store.path.parent.glob("*.seed")).unlink()
    with pytest.raises(StoreError, match=r"seed of run .* is missing"):
        store[header().fingerprint].secret_seed()


def test_a_run_grows_by_bots_and_a_new_file(store: Store) -> None:
    stored(store)
    grown = RunHeader(
        header().name,
        header().commitment,
        False,
        "[tournament] # more\n",
        (*header().bots, Entrant("eve", "1", "sha256:e")),
    )
    with store.begin(grown, SEED):
        pass
    assert store[grown.fingerprint].header() == grown
    assert len(every_game(store)) == 2


@pytest.mark.parametrize(
    ("version", "files", "says"), [("1.0", "sha256:x", "different files"), ("1.1", "sha256:ann", "version")]
)
def test_a_bot_with_other_files_is_refused_in_one_run(store: Store, version: str, files: str, says: str) -> None:
    stored(store)
    changed = RunHeader(header().name, header().commitment, False, "new", (Entrant("ann", version, files),))
    with pytest.raises(StoreError, match=f"bot 'ann'.*{says}"):
        store.begin(changed, SEED)
    kept = store[header().fingerprint].header()
    assert kept == header(), "a refused beginning changes nothing"
    with store.begin(header(), SEED):
        pass  # the lock was released


def test_a_seed_that_is_not_the_committed_one_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="commitment"):
        store.begin(header(), bytes(32))


def test_a_run_keeps_its_kind_of_packs(store: Store) -> None:
    stored(store)
    with pytest.raises(StoreError, match="begun with packs = 'common' and cannot be resumed with packs = 'own'"):
        store.begin(header(packs="own"), SEED)


def test_two_runs_with_one_fingerprint_are_refused(store: Store) -> None:
    """A short fingerprint may equal another run's by chance. The second run must not resume the first."""
    stored(store)
    with sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE run SET name = 'stranger'")
    connection.close()
    with pytest.raises(StoreError, match="as does run 'stranger'"):
        store.begin(header(), SEED)


def test_a_lock_file_that_its_last_holder_removed_is_not_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock must be on the file that others will find, not on one that was just unlinked."""
    removed: list[int] = []

    def flock(descriptor: int, operation: int) -> None:
        if not removed:
            removed.append(descriptor)
            next(tmp_path.glob("*.lock")).unlink()
        fcntl.flock(descriptor, operation)

    monkeypatch.setattr(sidecar, "fcntl", SimpleNamespace(flock=flock, LOCK_EX=fcntl.LOCK_EX, LOCK_NB=fcntl.LOCK_NB))
    with sidecar.RunLock(tmp_path / "x.db", "4f1c9a00bd"):
        assert removed
        with pytest.raises(StoreError, match="is being played by another process"):
            sidecar.RunLock(tmp_path / "x.db", "4f1c9a00bd")
    assert not list(tmp_path.iterdir())


def test_a_second_writer_of_a_run_is_refused_and_readers_are_not(store: Store) -> None:
    """database.md: one writer."""
    key, games = deal_set("euchre", 0, header())
    with store.begin(header(), SEED) as writer:
        with Store.open(store.path) as other, pytest.raises(StoreError, match=f"pid {os.getpid()}"):
            other.begin(header(), SEED)
        writer.save_set(key, games, RATINGS)
        with Store.open(store.path) as reader:
            assert len(every_game(reader)) == 2
        with store.begin(header("winter", bytes(32)), bytes(32)):
            pass  # another run of the same database is not affected


# Finding things


def test_a_seed_that_another_program_wrote_is_refused_in_one_sentence(store: Store) -> None:
    stored(store)
    with closing(sqlite3.connect(store.path)) as connection, connection:
        connection.execute("UPDATE run SET seed = 'seven'")
    with pytest.raises(StoreError, match="'seven' in the database is not the seed of a run"):
        store.runs()


def test_a_run_is_found_by_fingerprint_prefix_name_or_as_the_latest(store: Store) -> None:
    stored(store)
    run = header().fingerprint
    for ref in (None, run, run[:4], "autumn"):
        assert store.run(ref).fingerprint == run
    with pytest.raises(StoreError, match="did you mean 'autumn'"):
        store.run("autum")
    with pytest.raises(StoreError, match="no run"):
        store.run("")


def test_nothing_recorded_is_said(store: Store) -> None:
    with pytest.raises(StoreError, match="no run is recorded"):
        store.run()


def test_a_game_that_is_not_there_is_compared_with_few_of_those_that_are(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a hundred thousand games the sentence for an unknown game used to take ten seconds."""
    _, games = stored(store)
    monkeypatch.setattr("bowerbird.harness.records.store.store._COMPARED", 1)
    with pytest.raises(StoreError, match=f"did you mean '{re.escape(games[0].id)}'"):
        store.record_text(f"{games[1].id}7")


def test_a_game_is_found_by_a_prefix_that_no_other_has(store: Store) -> None:
    _, games = stored(store)
    assert store.record_text(games[0].id) == canonical(games[0])
    with pytest.raises(StoreError, match=r"could be .*give more characters"):
        store.record_text(games[0].id[:-1])
    with pytest.raises(StoreError, match=f"did you mean '{games[0].id[:8]}"):
        store.record_text(games[0].id + "0")
    other = games[0].id.replace("/euchre-0/ann+bob/", "/euchre-0/ann+bbo/")
    with pytest.raises(StoreError, match=f"did you mean '{games[0].id[:8]}"):
        store.record_text(other)
    with pytest.raises(StoreError, match=r"could be|no game"):
        store.record_text("")
    with pytest.raises(StoreError, match="no game"):
        store.record_text("%")


def test_the_tables_open_in_sqlite_utils(store: Store) -> None:
    from sqlite_utils import Database

    stored(store)
    tables = Database(store.path)
    assert {"run", "bot", "job", "game", "seat", "fault", "record_rating"} <= set(tables.table_names())
    assert {row["bot"] for row in tables.query("SELECT bot FROM standings")} == {"ann", "bob"}


def test_a_game_row_cannot_stand_without_its_set(store: Store) -> None:
    """The writer turns foreign keys on."""
    record = play(spec_of("euchre", ("ann", "bob", "ann", "bob")), random.Random(0))
    with store.begin(header(), SEED) as writer, pytest.raises(sqlite3.IntegrityError):
        insert_game(writer._database, rows_of_record(record, canonical(record)))


def test_processor_time_of_any_size_has_shares(store: Store) -> None:
    """A stored number may come from an archive that a stranger wrote."""
    run = header(bots=tuple(f"bot-{number}" for number in range(10)))
    with store.begin(run, SEED) as writer:
        writer.add_cpu([CpuTotal(bot.name, 10**18, 1) for bot in run.bots])
    assert [one.share for one in store[run.fingerprint].cpu_times()] == [0.1] * 10


def test_processor_time_adds_up_beside_the_charged_time(store: Store) -> None:
    key, games = deal_set("euchre", 0, header())
    with store.begin(header(), SEED) as writer:
        writer.add_cpu([CpuTotal("ann", 300, 2)])
        writer.save_set(key, games, RATINGS)
        writer.add_cpu([CpuTotal("ann", 0, 1), CpuTotal("bob", 100, 4)])
        with pytest.raises(StoreError, match="writing the processor time"):
            writer.add_cpu([CpuTotal("bob", 5, 0), CpuTotal("nobody", 1, 1)])
    ann, bob = store[header().fingerprint].cpu_times()
    assert (ann.bot, ann.cpu_ms, ann.processes, ann.share) == ("ann", 300, 3, 0.75)
    assert (bob.bot, bob.cpu_ms, bob.processes, bob.share) == ("bob", 100, 4, 0.25)
    charged = [seat.time_ms for seat in store[header().fingerprint].seat_results() if seat.bot == "ann"]
    assert ann.charged_ms == sum(charged)


def test_an_unfinished_run_is_its_owners_alone(tmp_path: Path) -> None:
    """Also in a database that was open to all. Reopening it to all is left to those whose runs have ended."""
    path = database(tmp_path)
    with Store.create(path) as store:
        sidecar.logs_of(path, header().fingerprint).mkdir(parents=True)
        for file in tmp_path.iterdir():
            file.chmod(0o755)
        key, games = deal_set("euchre", 0, header())
        with store.begin(header(), SEED) as writer:
            writer.save_set(key, games, RATINGS)
            files = [*path.parent.glob(f"{path.name}*"), sidecar.logs_of(path, header().fingerprint)]
            assert {file.name for file in files} > {path.name, f"{path.name}-wal", f"{path.name}-shm"}
            assert [file.name for file in files if file.stat().st_mode & 0o077] == []
