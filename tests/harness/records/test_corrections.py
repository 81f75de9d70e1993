"""Corrected runs: the transaction, verification, archives, and imports into older and newer copies."""

from __future__ import annotations

import errno
import os
import random
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bowerbird.engine import RecordError
from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.archive.archive import open_archive
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.changes import delete_run
from bowerbird.harness.records.store.corrections import Decision, correct_run
from bowerbird.harness.records.store.run_members import store_run_digest
from bowerbird.harness.records.store.sidecar import RunLock, seed_files
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.corrections import REINSTATE, VOID, Correction
from bowerbird.harness.records.values.faults import Incident
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.run import CompletedSet, SetKey, commitment_of
from bowerbird.harness.records.values.voids import VoidedSet
from tests.support.records.archives import content, differences, exported, imported
from tests.support.records.played_games import SEED, header, play, set_specs
from tests.support.records.stored_runs import HANDS, store_run

RUN = header("autumn")
KEY = SetKey("euchre-0", "ann+bob", 0)
OPTIONS = {"max_hands": HANDS}
WHY = "the host lost power"


def stored(path: Path) -> str:
    """Store a complete run of three deal sets; the first has a fault with a story in each game."""
    return store_run(path, variants=("euchre",), sets=range(2), faulty=range(1))


def corrected(path: Path, run: str, *keys: SetKey, kind: str = VOID, bot: str = "") -> Correction:
    return correct_run(path, run, lambda: Decision(kind, bot, "anna", WHY, keys), digest_of)


def dealt_again(seed: bytes, key: SetKey = KEY) -> tuple[GameRecord, ...]:
    """Return the games of a deal set, dealt from the seed of a correction."""
    specs = set_specs("euchre", key.number, RUN, options=OPTIONS)
    again = [replace(spec, seed=seed, commitment=commitment_of(seed)) for spec in specs]
    return tuple(play(spec, random.Random(f"again/{key.number}/{spec.rotation}")) for spec in again)


def play_again(path: Path, run: str, *, end: bool = True) -> None:
    """Play and store the deal sets that the last correction took out, as a resumed run does."""
    with Store.open(path) as store:
        last = store[run].corrections()[-1]
        seed = store[run].secret_seeds()[last.number]
        records = [store.record(game) for game in store[run].game_ids()]
        missing = [key for key in last.sets if key not in store[run].stored_sets()]
        sets = [CompletedSet(key, dealt_again(seed, key)) for key in missing]
        everything = [*records, *(game for one in sets for game in one.games)]
        with store.begin(RUN, SEED) as writer:
            writer.save_sets(sets, digest_of(map(result_of_record, everything)))
            if end:
                writer.end()
                store_run_digest(store[run])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "here" / "bowerbird.db"


@pytest.fixture
def run(path: Path) -> str:
    path.parent.mkdir()
    return stored(path)


def test_a_correction_takes_games_out_and_keeps_their_records(path: Path, run: str) -> None:
    with Store.open(path) as store:
        before = {game: store.record_text(game) for game in store[run].game_ids() if game.startswith(f"{run}/{KEY}/")}
    done = corrected(path, run, KEY)
    assert (done.number, done.kind, done.by, done.why, done.sets, done.games) == (1, VOID, "anna", WHY, (KEY,), 2)
    assert done.seed is None
    with Store.open(path) as store:
        row = store.run(run)
        assert (row.row.ended, row.row.corrections, row.row.games) == (None, 1, 4)
        assert KEY not in store[run].stored_sets()
        assert {game.id: game.record for game in store[run].voided_games()} == before
        assert all(game.story_count == 1 for game in store[run].voided_games(1, KEY))
        assert commitment_of(store[run].secret_seeds()[1]) == done.commitment
        assert store[run].record_ratings() == ()
    assert differences(path, run) == []


def test_the_set_is_dealt_again_from_the_new_seed_and_the_seed_is_published(path: Path, run: str) -> None:
    done = corrected(path, run, KEY)
    with Store.open(path) as store:
        seed = store[run].secret_seeds()[1]
    play_again(path, run, end=False)
    assert differences(path, run) == []
    play_again(path, run)
    assert differences(path, run) == []
    assert seed_files(path, run) == []
    with Store.open(path) as store:
        row = store.run(run)
        assert row.row.ended is not None
        assert row.row.sets_after_seed == 0, "nobody knew the seed of these sets"
        assert store[run].corrections()[0].seed == seed
        assert {record.commitment for record in store[run].set_records(KEY)} == {done.commitment}


def test_a_correction_without_room_for_its_seed_leaves_no_file(
    path: Path, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = {file.name for file in path.parent.iterdir()}
    with monkeypatch.context() as changed:
        changed.setattr(os, "fsync", no_room)
        with pytest.raises(StoreError, match=r"No space left on device while correcting run .*, which was not done"):
            corrected(path, run, KEY)
    assert {file.name for file in path.parent.iterdir()} == before
    with Store.open(path) as store:
        assert store[run].corrections() == ()


def test_games_from_the_old_seed_are_no_replacement(path: Path, run: str) -> None:
    with Store.open(path) as store:
        old = store[run].set_records(KEY)
    corrected(path, run, KEY)
    with (
        Store.open(path) as store,
        store.begin(RUN, SEED) as writer,
        pytest.raises(ValueError, match="its commitment is not that of its run, or of a correction"),
    ):
        writer.save_set(KEY, old, digest_of([]))


def test_a_set_can_be_corrected_again(path: Path, run: str) -> None:
    first = corrected(path, run, KEY)
    play_again(path, run)
    second = corrected(path, run, KEY)
    assert second.number == 2
    assert second.commitment != first.commitment
    play_again(path, run)
    assert differences(path, run) == []
    with Store.open(path) as store:
        assert [game.correction for game in store[run].voided_games(key=KEY)] == [1, 1, 2, 2]
        assert {re.findall('commitment = "(.*)"', game.record)[0] for game in store[run].voided_games(2)} == {
            first.commitment
        }


def test_attempts_begin_anew_with_a_correction(path: Path, run: str) -> None:
    """A set that was left out after three voids can be corrected, and gets three attempts again."""
    left = SetKey("euchre-0", "ann+bob", 5)
    with Store.open(path) as store, store.begin(RUN, SEED) as writer:
        results = digest_of(store[run].results())
        writer.save_sets([], results, voids=[VoidedSet(left, attempt, ("ann",), "stalled") for attempt in range(3)])
        writer.end()
    with Store.open(path) as store:
        assert store.run(run).row.left_out == 1
    corrected(path, run, left)
    with Store.open(path) as store:
        assert store.run(run).row.left_out == 0
        assert all(void.is_past for void in store[run].voids())
    play_again(path, run)
    assert differences(path, run) == []


def test_incidents_of_corrected_games_count_no_more(path: Path, run: str) -> None:
    incidents = [
        Incident(f"{run}/{KEY}/0/1", "bob", 0, "TIMEOUT", "late"),
        Incident("elsewhere", "bob", 0, "CRASHED", "exit status 1"),
        Incident("another", "ann", 0, "CRASHED", "exit status 1"),
    ]
    with Store.open(path) as store, store.begin(RUN, SEED) as writer:
        writer.save_sets([], digest_of(store[run].results()), incidents=incidents)
    corrected(path, run, KEY)
    with Store.open(path) as store:
        assert [one.name for one in store[run].conduct().incidents] == ["elsewhere", "another"]
    corrected(path, run, kind=REINSTATE, bot="bob")
    with Store.open(path) as store, store.begin(RUN, SEED) as writer:
        assert [one.name for one in store[run].conduct().incidents] == ["another"]
        writer.save_sets([], digest_of(store[run].results()), incidents=incidents[:1])
        assert [one.name for one in store[run].conduct().incidents] == ["another", incidents[0].name]


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (Decision(VOID, "", "anna", "", (KEY,)), "is not one line of 1 to 300"),
        (Decision(VOID, "", "an\x1bna", WHY, (KEY,)), "is not one line of 1 to 60"),
        (Decision(VOID, "", "anna", WHY, ()), "0 deal sets"),
        (Decision(REINSTATE, "carl", "anna", WHY, ()), "'carl'"),
        (Decision("pardon", "", "anna", WHY, (KEY,)), "'pardon'"),
    ],
)
def test_a_decision_that_no_run_may_hold_changes_nothing(path: Path, run: str, decision: Decision, said: str) -> None:
    before = content(path)
    with pytest.raises(ValueError, match=re.escape(said)):
        correct_run(path, run, lambda: decision, digest_of)
    assert content(path) == before
    assert seed_files(path, run) == []


def test_a_run_that_is_played_or_was_imported_is_not_corrected(path: Path, run: str, tmp_path: Path) -> None:
    with RunLock(path, run), pytest.raises(StoreError, match="is being played by another process"):
        corrected(path, run, KEY)
    there = tmp_path / "there.db"
    imported(there, exported(path, run))
    with pytest.raises(StoreError, match="was imported; correct it where it was played"):
        corrected(there, run, KEY)


def test_a_deleted_run_leaves_no_row_and_no_seed(path: Path, run: str) -> None:
    corrected(path, run, KEY)
    delete_run(path, run)
    assert seed_files(path, run) == []
    assert not any(content(path).values())


# Archives


def fingerprints(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Return what two copies of a corrected run have in common: incidents and folders stay where it was played."""
    found = content(path)
    del found["incident"]
    found["run"] = [tuple(value for value in row if value != "..") for row in found["run"]]
    return found


@pytest.mark.parametrize("state", ["corrected", "half played", "complete"])
def test_a_corrected_run_is_the_same_on_another_machine(path: Path, run: str, tmp_path: Path, state: str) -> None:
    corrected(path, run, KEY)
    if state != "corrected":
        play_again(path, run, end=state == "complete")
    there = tmp_path / "there.db"
    imported(there, exported(path, run))
    assert fingerprints(there) == fingerprints(path)
    assert differences(there, run) == []
    assert exported(there, run, "again.tar.gz").read_bytes() == exported(path, run).read_bytes()


def test_an_older_copy_takes_the_correction_in(path: Path, run: str, tmp_path: Path) -> None:
    there = tmp_path / "there.db"
    imported(there, exported(path, run, "old.tar.gz"))
    corrected(path, run, KEY)
    imported(there, exported(path, run))
    assert fingerprints(there) == fingerprints(path)
    play_again(path, run)
    corrected(path, run, SetKey("euchre-0", "ann+bob", 1))
    play_again(path, run)
    merged = imported(there, exported(path, run))
    assert merged.new == 4
    assert fingerprints(there) == fingerprints(path)
    assert differences(there, run) == []


def test_an_archive_from_before_the_correction_is_refused(path: Path, run: str) -> None:
    old = exported(path, run, "old.tar.gz")
    corrected(path, run, KEY)
    before = content(path)
    with pytest.raises(StoreError, match=r"has been corrected here since \(1 correction here, 0 in the archive\)"):
        imported(path, old)
    assert content(path) == before


def test_two_histories_of_corrections_do_not_mix(path: Path, run: str, tmp_path: Path) -> None:
    there = tmp_path / "there" / "bowerbird.db"
    shutil.copytree(path.parent, there.parent)
    corrected(path, run, KEY)
    corrected(there, run, KEY)
    with pytest.raises(StoreError, match=f"correction 1 of run {run} differs here"):
        imported(there, exported(path, run))


Change = Callable[[sqlite3.Connection], object]


def sql(statement: str) -> Change:
    return lambda connection: connection.execute(statement)


TAMPERED: dict[str, tuple[Change, str]] = {
    "a voided record": (
        sql("UPDATE voided_game SET record = replace(record, 'dealer = 0', 'dealer = 1')"),
        "voided by correction 1",
    ),
    "a voided record that is gone": (sql("DELETE FROM voided_game WHERE rotation = 0"), "is missing|is not complete"),
    "a voided record in another place": (
        sql("UPDATE voided_game SET rotation = rotation + 2"),
        "the record stored here is that of game|it is not complete",
    ),
    "a voided story": (
        sql("UPDATE voided_game SET stories = replace(stories, 'still', 'never')"),
        "stories, line",
    ),
    "the seed of a correction": (
        sql(f"UPDATE correction SET seed = '{'00' * 32}'"),
        "its seed is not the committed one",
    ),
    "the commitment of a correction": (
        sql(f"UPDATE correction SET commitment = 'sha256:{'00' * 32}'"),
        "its seed is not the committed one",
    ),
    "the bot of a void": (sql("UPDATE correction SET bot = 'ann'"), "its kind is 'void' and its bot 'ann'"),
    "the number": (
        lambda connection: [
            connection.execute(f"UPDATE {table} SET {column} = 2")
            for table, column in (
                ("correction", "number"),
                ("corrected_set", "correction"),
                ("voided_game", "correction"),
            )
        ],
        "not numbered from 1",
    ),
    "a correction that is gone": (
        lambda connection: [
            connection.execute(f"DELETE FROM {table}") for table in ("voided_game", "corrected_set", "correction")
        ],
        "commitment",
    ),
    "a seed that is not published": (sql("UPDATE correction SET seed = NULL"), "is not published|has no seed"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_changed_correction_is_found(path: Path, run: str, what: str) -> None:
    corrected(path, run, KEY)
    play_again(path, run)
    change, said = TAMPERED[what]
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        change(connection)
    found = differences(path, run)
    assert re.search(said, "\n".join(found)), found


@pytest.mark.parametrize("what", ["a voided record", "a voided record that is gone", "the bot of a void"])
def test_an_archive_with_a_changed_correction_is_refused(path: Path, run: str, tmp_path: Path, what: str) -> None:
    corrected(path, run, KEY)
    play_again(path, run)
    change, said = TAMPERED[what]
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        change(connection)
    there = tmp_path / "there.db"
    with pytest.raises((StoreError, RecordError), match=f"{said}|line"):
        imported(there, exported(path, run))
    with Store.create(there) as store:
        assert store.runs() == []


def test_the_games_that_count_come_first_in_an_archive(path: Path, run: str) -> None:
    corrected(path, run, KEY)
    file = exported(path, run)
    with open_archive(file) as archive:
        assert [game.correction for game in archive.games] == [0, 0, 0, 0, 1, 1]
