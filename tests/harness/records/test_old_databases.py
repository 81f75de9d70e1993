"""What earlier versions wrote: databases are migrated after a backup, open runs resumed, tournament files read.

database.md, What you may rely on.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.harness.extras.signatures.key_files import KeyFiles
from bowerbird.harness.extras.signatures.vouching import known_keys
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store import database
from bowerbird.harness.records.store.database import backup_of
from bowerbird.harness.records.store.schema import VERSION
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.vouching import Vouchers
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.plan import make_plan
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT
from tests.support.records.archives import differences
from tests.support.records.make_version_fixtures import CUP, FIRST_WITH_CUPS, LEAGUE, OPEN
from tests.support.records.old_databases import OLD_VERSIONS, copy_tournament_files, fixtures_of, write_old_database
from tests.support.records.stored_runs import SEVENTH_VERSION, store_run

FIRST_WITH_PLACES = 7
"""The first version that stores places, matches and ratings of record."""


BY_COMMAND = [
    pytest.param(number, marks=() if number in (OLD_VERSIONS[0], OLD_VERSIONS[-1]) else pytest.mark.long)
    for number in OLD_VERSIONS
]
"""Starting processes takes time: only `make test-long` starts versions between the first and the last."""


@pytest.fixture(params=OLD_VERSIONS)
def version(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@pytest.fixture
def path(tmp_path: Path, version: int) -> Path:
    path = tmp_path / "old.db"
    write_old_database(path, version)
    return path


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def without_counters(path: Path) -> bytes:
    """Return a database byte for byte, but for the counters of changes in its header, which every copy raises."""
    content = bytearray(path.read_bytes())
    for start in (24, 40, 92):  # changes of the file, changes of the schema, for which change the version is valid
        content[start : start + 4] = bytes(4)
    return bytes(content)


def number_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def test_every_earlier_version_has_its_fixtures() -> None:
    missing = [
        str(file.relative_to(ROOT)) for number in OLD_VERSIONS for file in fixtures_of(number) if not file.exists()
    ]
    assert not missing, (
        f"{', '.join(missing)} missing; run python -m tests.support.records.make_version_fixtures in a checkout of the "
        "last state of that version"
    )


def test_an_old_database_is_migrated_and_its_runs_are_sound(path: Path, version: int) -> None:
    with Store.open(path) as store:
        runs = {run.row.name: run for run in store.runs()}
        assert runs.keys() == ({LEAGUE, OPEN, CUP} if version >= FIRST_WITH_CUPS else {LEAGUE, OPEN})
        assert [name for name, run in runs.items() if run.row.ended is None] == [OPEN]
        assert all(run.row.games for run in runs.values())
        tables = runs[LEAGUE].standings_by_scope()
        assert tables.keys() == {None, "euchre", "three-handed"}
        assert all({line.bot for line in lines} == {"ann", "bob", "carl"} for lines in tables.values())
        assert {fault.bot for fault in runs[LEAGUE].faults()} == {"carl"}
        if CUP in runs:
            places = {place.bot for place in runs[CUP].placements()}
            assert places == ({"ann", "bob", "carl"} if version >= FIRST_WITH_PLACES else set())
    assert number_of(path) == VERSION
    assert [line for run in runs.values() for line in differences(path, run.fingerprint)] == []


@pytest.mark.parametrize(("played_ms", "trusted"), [(0, False), (5, True)])
def test_a_run_that_may_have_been_imported_is_trusted_no_more(tmp_path: Path, played_ms: int, trusted: bool) -> None:
    """Only imports, and the first two versions, stored no playing time; version 7 did not know who signed."""
    path = tmp_path / "seven.db"
    run = store_run(path, variants=("euchre",))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE job SET played_ms = ?", [played_ms])
        connection.executescript(SEVENTH_VERSION)
    with Store.open(path) as store:
        assert Vouchers(known_keys(KeyFiles(tmp_path / "keys"))).of(store[run]).trusted is trusted
    assert differences(path, run) == []


def test_the_backup_is_the_database_as_it_was(path: Path, version: int) -> None:
    path.chmod(0o640)
    before, content = {each.name for each in path.parent.iterdir()}, without_counters(path)
    Store.open(path).close()
    backup = backup_of(path, version)
    assert {each.name for each in path.parent.iterdir()} - before == {f"old.db-v{version}.backup"}
    assert without_counters(backup) == content
    assert number_of(backup) == version
    assert backup.stat().st_mode & 0o777 == 0o640
    saved = backup.read_bytes()
    Store.open(path).close()
    assert backup.read_bytes() == saved, "a database of this version is not copied"


def test_what_is_only_in_the_log_is_in_the_backup(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as writing:
        writing.execute("UPDATE run SET engine = 'in the log'")
        writing.commit()
        Store.open(path).close()
    with closing(sqlite3.connect(backup_of(path, version))) as connection:
        assert connection.execute("SELECT engine FROM run").fetchone() == ("in the log",)


def test_without_a_backup_nothing_is_migrated(path: Path, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full."""

    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    before = dump(path)
    monkeypatch.setattr(database, "sync_folder", full)
    with pytest.raises(StoreError, match="No space left on device while bringing the database to this version"):
        Store.open(path)
    assert number_of(path) == version
    assert dump(path) == before


def test_a_backup_has_the_newest_state_of_its_version(path: Path, version: int) -> None:
    """Somebody went back to the backup, played on with the older version, and comes back again."""
    Store.open(path).close()
    path.write_bytes(backup_of(path, version).read_bytes())
    with closing(sqlite3.connect(path)) as writing:
        writing.execute("UPDATE run SET engine = 'played on'")
        writing.commit()
    before = dump(path)
    Store.open(path).close()
    assert dump(backup_of(path, version)) == before


@pytest.mark.parametrize("version", BY_COMMAND, indirect=True)
def test_the_standings_of_an_old_database_show(path: Path, bowerbird: Bowerbird) -> None:
    tables = bowerbird.json("standings", LEAGUE, "--db", path)["variants"]
    bots = {name: {line["bot"] for line in table["standings"]} for name, table in tables.items()}
    assert bots == {"euchre": {"ann", "bob", "carl"}, "three-handed": {"ann", "bob", "carl"}}


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("version", BY_COMMAND, indirect=True)
def test_an_open_run_of_an_old_database_is_resumed(path: Path, bowerbird: Bowerbird) -> None:
    name = copy_tournament_files(bowerbird.folder) / "open.toml"
    file = load_tournament(name)
    bowerbird.done("tournament", name, "--resume", "--db", path)
    with Store.open(path) as store:
        run = store.run(OPEN)
    assert run.row.ended is not None
    assert run.row.sets == file.sets
    assert differences(path, run.fingerprint) == []


@pytest.mark.parametrize("version", BY_COMMAND, indirect=True)
def test_an_open_run_of_an_old_database_without_its_seed_is_refused(path: Path, bowerbird: Bowerbird) -> None:
    (seed,) = path.parent.glob("*.seed")
    seed.unlink()
    file = copy_tournament_files(bowerbird.folder) / "open.toml"
    sentence = bowerbird.refused("tournament", file, "--resume", "--db", path)
    assert f"{seed.name}: the secret seed of run" in sentence
    assert "is missing; it lies beside the database in which the seed was drawn" in sentence
    assert "without it this run cannot be resumed; its stored games are intact" in sentence


@pytest.mark.parametrize("name", [f"version-{number}" for number in OLD_VERSIONS] + ["cup", "open"])
def test_a_tournament_file_of_an_old_version_is_read(tmp_path: Path, name: str) -> None:
    file = load_tournament(copy_tournament_files(tmp_path) / f"{name}.toml")
    assert [bot.name for bot in file.bots][:2] == ["ann", "bob"]
    assert make_plan(file)
