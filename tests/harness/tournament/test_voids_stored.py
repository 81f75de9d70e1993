"""Voids in the store, in archives, in verification and on the screen (database.md, void; faults.md, Voids)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.harness.cli.display.standings import headline, standings_text
from bowerbird.harness.cli.display.standings_document import standings_document
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.records.archive.archive import open_archive
from bowerbird.harness.records.archive.merge import verify_archive
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.changes import delete_run
from bowerbird.harness.records.store.schema import VERSION
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.run_text import read_run_text, run_text
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.records.values.voids import MOST_ATTEMPTS, VoidedSet
from bowerbird.harness.records.verify.examiner import PoolExaminer
from bowerbird.harness.records.verify.verification import verify_run
from bowerbird.harness.report.report_data import report_data
from bowerbird.harness.tournament.plan import Plan
from tests.support.records.archives import content, differences, exported, imported
from tests.support.records.stored_runs import FIFTH_VERSION
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.table_players import LOST, VoidingTables
from tests.support.tournament.voided_runs import EVERY, FIRST, planned, play, voided

TWICE = "euchre-0/alpha+last/1"


@pytest.fixture
def plan(yard: Yard) -> Plan:
    return planned(yard)


@pytest.fixture
def path(plan: Plan, tmp_path: Path) -> Path:
    """Return a finished run in which one set was left out and another counts in its third attempt."""
    path = tmp_path / "one.db"
    with Store.create(path) as store:
        play(plan, store, VoidingTables(plan.file.bots, voided(plan, FIRST, *EVERY) | voided(plan, TWICE, 0, 1)))
    return path


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql).rowcount, "the change changes nothing"


def at(key: str) -> str:
    entry, lineup, number = key.split("/")
    return f"entry = '{entry}' AND lineup = '{lineup}' AND set_number = {number}"


def test_verification_accepts_replaced_and_left_out_sets(plan: Plan, path: Path) -> None:
    assert differences(path, plan.header.fingerprint) == []
    with Store.open(path) as store:
        assert verify_run(store[plan.header.fingerprint], digest_of, examiner=PoolExaminer(2)) == []


def insert(key: str, attempt: int, bots: str = '["alpha"]') -> str:
    entry, lineup, number = key.split("/")
    values = f"'{entry}', '{lineup}', {number}, 0, {attempt}, '{bots}', '', ''"
    return f"INSERT INTO void SELECT fingerprint, {values} FROM run"


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        (f"DELETE FROM void WHERE attempt > 0 AND {at(TWICE)}", "its packs are those of attempt 2, and with 1 void"),
        (f"DELETE FROM void WHERE {at(TWICE)}", "its packs are those of attempt 2, and with 0 voids its deal set has"),
        (insert("euchre-0/alpha+last/0", 0), "its packs are those of attempt 0, and with 1 void its deal set has"),
        (f"DELETE FROM void WHERE attempt = 0 AND {at(TWICE)}", "has the voids of attempts 1; they begin at 0"),
        (insert(FIRST, MOST_ATTEMPTS), "and there are at most 3"),
        (f"DELETE FROM void WHERE attempt = 2 AND {at(FIRST)}", "it has 2 voids, but was not played again"),
        (insert(TWICE, 2), "it is stored, but all of its 3 attempts are void"),
        (f"UPDATE void SET bots = '[\"nobody\"]' WHERE {at(TWICE)}", "is void by nobody; these are bots of the run"),
        (f"UPDATE void SET bots = '[]' WHERE {at(TWICE)}", "is void by no bot; these are bots of the run"),
    ],
)
def test_verification_finds_voids_that_were_changed(plan: Plan, path: Path, sql: str, sentence: str) -> None:
    change(path, sql)
    found = differences(path, plan.header.fingerprint)
    assert any(sentence in line for line in found), found


def test_a_set_with_the_packs_of_its_first_attempt_is_told_in_one_sentence_for_each_game(
    plan: Plan, path: Path
) -> None:
    change(path, insert("euchre-0/alpha+last/0", 0))
    assert differences(path, plan.header.fingerprint) == [
        f"game {plan.header.fingerprint}/euchre-0/alpha+last/0/{rotation}: its packs are those of attempt 0, and with "
        "1 void its deal set has those of attempt 1"
        for rotation in range(2)
    ]


def test_an_archive_brings_the_voids_back(plan: Plan, path: Path, tmp_path: Path) -> None:
    run = plan.header.fingerprint
    file = exported(path, run)
    other = tmp_path / "other.db"
    imported(other, file)
    assert content(other)["void"] == content(path)["void"] != []
    assert differences(other, run) == []
    assert verify_archive(file, digest_of).differences == []
    imported(other, file)
    assert content(other)["void"] == content(path)["void"], "importing twice changes the voids"
    assert exported(other, run, "again.tar.gz").read_bytes() == file.read_bytes()


def test_an_archive_without_voids_reads_as_before(plan: Plan, path: Path) -> None:
    with open_archive(exported(path, plan.header.fingerprint)) as archive:
        run = archive.run
    assert len(run.voids) == MOST_ATTEMPTS + 2
    assert run_text(run).count("[[void]]") == len(run.voids)
    assert read_run_text(run_text(run), run.header.config, "run.toml") == run


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: text.replace("attempt = 2", "attempt = 7", 1), "has the voids of attempts 0, 1, 7"),
        (lambda text: text.replace('bots = ["alpha"]', 'bots = ["x"]', 1), "is void by x; these are bots of the run"),
        (lambda text: text.replace("set = 0", "set = -1"), "is not a whole number from 0"),
        (lambda text: text.replace('entry = "euchre-0"', 'entry = "a/b"', 1), "is not the id of a game"),
        (lambda text: text.replace('why = "a ', 'why = "A ', 1), "the text was changed after it was written"),
    ],
    ids=["attempt", "bots", "set", "entry", "why"],
)
def test_an_archive_with_voids_that_no_run_writes_is_refused(
    plan: Plan, path: Path, change: Callable[[str], str], sentence: str
) -> None:
    with open_archive(exported(path, plan.header.fingerprint)) as archive:
        text, config = run_text(archive.run), archive.run.header.config
    assert change(text) != text
    with pytest.raises(StoreError, match=sentence):
        read_run_text(change(text), config, "run.toml")


def test_parts_of_a_run_merge_with_their_voids(plan: Plan, path: Path, tmp_path: Path) -> None:
    """A set comes with its voids; of a set without games, the side that has made more attempts knows more."""
    run = plan.header.fingerprint
    part = tmp_path / "part.db"
    imported(part, exported(path, run))
    change(part, f"DELETE FROM void WHERE attempt = 2 AND {at(FIRST)}")  # as if it had to be played again
    for table in ("seat", "game", "job"):
        condition = f"game IN (SELECT id FROM game WHERE {at(TWICE)})" if table == "seat" else at(TWICE)
        change(part, f"DELETE FROM {table} WHERE {condition}")
    change(part, f"DELETE FROM void WHERE attempt > 0 AND {at(TWICE)}")
    imported(part, exported(path, run, "whole.tar.gz"))
    assert content(part)["void"] == content(path)["void"]
    before = content(path)["void"]
    imported(path, exported(part, run, "part.tar.gz"))
    assert content(path)["void"] == before


def test_an_archive_from_before_a_void_does_not_end_the_run_that_went_on(
    plan: Plan, path: Path, tmp_path: Path
) -> None:
    """A complete run is extended and stopped after its first new set, which is void: that set still has to be
    played."""
    run = plan.header.fingerprint
    complete = exported(path, run)
    new = SetKey("euchre-0", "alpha+last", 99)
    with Store.open(path) as store, store.begin(plan.header, plan.seed) as writer:
        writer.save_sets([], digest_of([]), voids=[VoidedSet(new, 0, ("alpha",), LOST)])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE run SET ended = NULL, config = config || '# more sets\n'")
    imported(path, complete)
    with Store.open(path) as store:
        assert store.run(run).row.ended is None
        assert store.run(run).row.config.endswith("# more sets\n")
    assert not any("was not played again" in line for line in differences(path, run))
    for table in ("seat", "game", "job"):  # there is less here than in the archive, but still the void
        condition = f"game IN (SELECT id FROM game WHERE {at(TWICE)})" if table == "seat" else at(TWICE)
        change(path, f"DELETE FROM {table} WHERE {condition}")
    imported(path, complete)
    with Store.open(path) as store:
        assert store.run(run).row.ended is None
    assert not any("was not played again" in line for line in differences(path, run))


def test_an_archive_that_calls_a_run_complete_with_a_set_to_play_again_is_not_verified(plan: Plan, path: Path) -> None:
    change(path, f"DELETE FROM void WHERE attempt = 2 AND {at(FIRST)}")
    found = verify_archive(exported(path, plan.header.fingerprint), digest_of).differences
    assert any("it has 2 voids, but was not played again" in str(one) for one in found), found


def test_an_archive_with_other_voids_of_a_stored_set_is_refused(plan: Plan, path: Path, tmp_path: Path) -> None:
    run = plan.header.fingerprint
    other = tmp_path / "other.db"
    imported(other, exported(path, run))
    change(other, f"UPDATE void SET why = 'another reason' WHERE {at(TWICE)}")
    with pytest.raises(StoreError, match=f"deal set {run}/euchre-0/alpha.last/1 has other voids here"):
        imported(other, exported(path, run))


def test_a_database_of_version_4_is_migrated_and_has_no_voids(plan: Plan, path: Path) -> None:
    run = plan.header.fingerprint
    change(path, f"DELETE FROM void WHERE {at(FIRST)}")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            f"{FIFTH_VERSION}; DROP VIEW cpu_time; DROP TABLE void; DROP TABLE cpu; PRAGMA user_version = 4;"
        )
    with Store.open(path) as store:
        assert store[run].voids() == ()
        assert (store.run(run).row.voids, store.run(run).row.left_out) == (0, 0)
        assert store[run].stored_sets()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)


def test_a_deleted_run_leaves_no_void(plan: Plan, path: Path) -> None:
    delete_run(path, plan.header.fingerprint)
    assert content(path)["void"] == []


def test_a_void_that_is_stored_again_gets_the_bots_and_keeps_its_time(plan: Plan, tmp_path: Path) -> None:
    key = SetKey("buck-0", "alpha+last", 0)
    with Store.create(tmp_path / "x.db") as store, store.begin(plan.header, plan.seed) as writer:
        writer.save_sets([], digest_of([]), voids=[VoidedSet(key, 0, ("alpha",), LOST)])
        [first] = store[plan.header.fingerprint].voids()
        writer.save_sets([], digest_of([]), voids=[VoidedSet(key, 0, ("alpha", "last"), LOST)])
        [second] = store[plan.header.fingerprint].voids()
    assert (second.bots, second.saved) == (("alpha", "last"), first.saved)


def shown(path: Path, plan: Plan, width: int | None = None) -> Sequence[str]:
    with Store.open(path) as store:
        return standings_text(store, [store.run(plan.header.fingerprint)], width=width)


def test_people_see_voids_by_bot_and_sets_left_out(plan: Plan, path: Path, tmp_path: Path) -> None:
    line = (
        "voids: alpha 5 (processes lost while the host stood still; 4 deal sets played again with new packs, "
        "1 deal set left out)"
    )
    assert line in shown(path, plan)
    with Store.open(path) as store:
        run = store.run(plan.header.fingerprint)
        assert "in 5 deal sets (1 left out)" in headline(run)
        remarks = report_data(run, overview([run]))["remarks"]
        document = standings_document([run])["voids"]
    assert isinstance(remarks, list)
    assert line in remarks
    assert isinstance(document, dict)
    assert (document["bots"], document["left_out"]) == ({"alpha": 5}, [FIRST])
    assert [one["attempt"] for one in document["attempts"]] == [0, 1, 2, 0, 1]
    with Store.create(tmp_path / "calm.db") as store:
        play(plan, store, VoidingTables(plan.file.bots, set()))
    lines = [line.replace(str(tmp_path), "") for line in shown(tmp_path / "calm.db", plan)]
    assert not [line for line in lines if "voids: " in line or "left out" in line]
