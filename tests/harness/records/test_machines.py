"""The machines of a run: stored with each deal set, counted by kind, archived without names (database.md, machine)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.engine import RecordError
from bowerbird.harness.cli.display.standings import standings_text
from bowerbird.harness.cli.display.standings_document import standings_document
from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.records.archive.archive import open_archive
from bowerbird.harness.records.archive.merge import verify_archive
from bowerbird.harness.records.store.changes import delete_run
from bowerbird.harness.records.store.corrections import Decision, correct_run
from bowerbird.harness.records.store.schema import VERSION
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.corrections import VOID
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.machines import (
    Machine,
    MachineKind,
    MachineTotal,
    MachineUse,
    machine_lines,
    machine_use,
)
from bowerbird.harness.records.values.run import CompletedSet, SetKey
from bowerbird.harness.report.report_data import report_data
from tests.support.records.archives import content, differences, exported, imported
from tests.support.records.played_games import SEED, deal_set, header
from tests.support.records.stored_runs import FIFTH_VERSION

FAST, FASTER, SLOW = Machine("Frobnicator 9", 160_000), Machine("Frobnicator 9", 170_000), Machine("Abacus", 40_000)
HERE = Machine("Abacus")


def stored(path: Path, machines: dict[int, Machine | None]) -> str:
    """Store deal sets of one run, each by number with the machine that played it; return the run's fingerprint."""
    run = header()
    results: list[GameRecord] = []
    with Store.create(path) as store, store.begin(run, SEED) as writer:
        for number, machine in machines.items():
            key, games = deal_set("euchre", number, run, options={"max_hands": 1})
            results += games
            ratings = digest_of(map(result_of_record, results))
            writer.save_sets([CompletedSet(key, tuple(games), machine=machine)], ratings)
    return run.fingerprint


def machines(path: Path) -> dict[Machine, int]:
    with Store.open(path) as store:
        return {total.machine: total.sets for total in store[header().fingerprint].machines()}


def change(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql).rowcount


def test_each_deal_set_is_stored_with_its_machine(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    stored(path, {0: FAST, 1: SLOW, 2: FAST, 3: None})
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT job.set_number, machine.cpu FROM job LEFT JOIN machine ON machine.id = job.machine ORDER BY 1"
        ).fetchall()
    assert rows == [(0, FAST.cpu), (1, SLOW.cpu), (2, FAST.cpu), (3, None)]
    assert machines(path) == {FAST: 2, SLOW: 1}


def test_a_database_of_version_5_is_migrated_and_its_sets_have_no_machine(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    run = stored(path, {0: FAST, 1: FAST})
    before = content(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(FIFTH_VERSION)
    assert machines(path) == {}
    assert content(path) == {**before, "machine": []}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    stored(path, {2: SLOW})
    assert machines(path) == {SLOW: 1}
    with Store.open(path) as store:
        assert machine_use(store[run].machines(), store.run(run).row.sets).unknown_sets == 2


def test_a_deleted_run_leaves_no_machine(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    delete_run(path, stored(path, {0: FAST}))
    assert content(path)["machine"] == []


def test_an_archive_brings_the_machines_back_the_same(tmp_path: Path) -> None:
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    run = stored(here, {0: FAST, 1: SLOW, 2: FAST, 3: None})
    first = exported(here, run)
    for _ in range(2):
        imported(there, first)
        assert content(there) == content(here)
    assert exported(there, run, "again.tar.gz").read_bytes() == first.read_bytes()
    assert differences(there, run) == []


def test_a_run_without_machines_has_the_archive_that_it_always_had(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with open_archive(exported(path, stored(path, {0: None}))) as archive:
        assert archive.run.machines == ()


@pytest.mark.parametrize(
    ("here", "there", "merged"),
    [
        pytest.param({0: FAST, 1: SLOW}, {2: FAST, 3: HERE}, {FAST: 2, SLOW: 1, HERE: 1}, id="no set in common"),
        pytest.param({0: FAST, 1: SLOW}, {0: FAST}, {FAST: 1, SLOW: 1}, id="a part of what is here"),
        pytest.param({0: FAST}, {0: FAST, 1: FAST, 2: SLOW}, {FAST: 2, SLOW: 1}, id="more than is here"),
        pytest.param({0: FAST, 1: FAST}, {1: FAST, 2: FAST}, {FAST: 2}, id="neither holds the other: too low"),
    ],
)
def test_merged_parts_of_a_run_count_no_deal_set_twice(
    tmp_path: Path, here: dict[int, Machine | None], there: dict[int, Machine | None], merged: dict[Machine, int]
) -> None:
    mine, theirs = tmp_path / "mine.db", tmp_path / "theirs.db"
    run = stored(mine, here)
    stored(theirs, there)
    file = exported(theirs, run)
    for _ in range(2):
        imported(mine, file)
        assert machines(mine) == merged
    assert differences(mine, run) == []


def test_a_correction_that_arrives_counts_no_machine_for_a_set_that_it_took_out(tmp_path: Path) -> None:
    """An older copy knows how many sets each machine had played, not which; the corrected archive says what is left."""
    mine, theirs = tmp_path / "mine.db", tmp_path / "theirs.db"
    run = stored(mine, {0: FAST, 1: SLOW})
    with Store.open(mine) as store, store.begin(header(), SEED) as writer:
        writer.end()
    imported(theirs, exported(mine, run, "old.tar.gz"))
    assert machines(theirs) == {FAST: 1, SLOW: 1}
    correct_run(
        mine, run, lambda: Decision(VOID, "", "anna", "it was slow", (SetKey("euchre-0", "ann+bob", 1),)), digest_of
    )
    imported(theirs, exported(mine, run))
    assert machines(theirs) == machines(mine) == {FAST: 1}
    assert differences(theirs, run) == []


def test_machines_with_more_deal_sets_than_the_archive_has_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    run = stored(path, {0: FAST, 1: SLOW})
    change(path, "UPDATE machine SET imported = 1 WHERE cpu = 'Abacus'")
    assert any("machines have played 3 deal sets, but 2 are stored" in one for one in differences(path, run))
    file = exported(path, run)
    with pytest.raises(RecordError, match="its machines have played more deal sets than the 2 in it; nothing was imp"):
        imported(tmp_path / "there.db", file)
    found = verify_archive(file, digest_of).differences
    assert ["more deal sets than the 2" in str(one) for one in found] == [True]


def test_kinds_are_models_of_processors() -> None:
    totals = [MachineTotal(FAST, 2), MachineTotal(SLOW, 4), MachineTotal(FASTER, 3), MachineTotal(HERE, 2)]
    assert machine_use(totals, 12) == MachineUse(
        (MachineKind("Abacus", 40_000, 40_000, 6), MachineKind("Frobnicator 9", 160_000, 170_000, 5)), 1
    )


def test_people_see_on_how_many_kinds_of_machine_was_played(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    run = stored(path, {0: FAST, 1: FASTER, 2: FAST, 3: SLOW, 4: None})
    line = (
        "played on 2 kinds of machine: 3 deal sets on Frobnicator 9 (160,000 to 170,000 decisions/s); "
        "1 deal set on Abacus (40,000 decisions/s); 1 deal set on machines that were not recorded"
    )
    with Store.open(path) as store:
        row = store.run(run)
        assert line in standings_text(store, [row])
        remarks = report_data(row, overview([row]))["remarks"]
        document = standings_document([row])["machines"]
    assert isinstance(remarks, list)
    assert line in remarks
    assert isinstance(document, MachineUse)
    assert (len(document.kinds), document.unknown_sets) == (2, 1)


def test_a_run_of_one_machine_that_was_not_measured_has_no_line() -> None:
    assert machine_lines(machine_use([MachineTotal(HERE, 7)], 7)) == []
    assert machine_lines(machine_use([], 7)) == []
    [line] = machine_lines(machine_use([MachineTotal(HERE, 7)], 8))
    assert line == "played on 1 kind of machine: 7 deal sets on Abacus; 1 deal set on machines that were not recorded"


def test_what_a_stranger_calls_a_processor_is_shown_harmless_and_short() -> None:
    strange = [MachineTotal(Machine(f"\x1b[2J{number}{'x' * 100}", 1), 1) for number in range(20)]
    [line] = machine_lines(machine_use(strange, 20))
    assert "\x1b" not in line
    assert line.endswith("; 15 deal sets on 15 more")
    assert len(line) < 600
