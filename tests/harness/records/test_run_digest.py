"""The digest of a complete run covers everything in it (notation.md, Archive of a run)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bowerbird.harness.extras.signatures.signature import read_signature
from bowerbird.harness.records.store.changes import rename_run
from bowerbird.harness.records.store.run_members import run_digest, store_run_digest
from bowerbird.harness.records.store.store import Store
from tests.support.records.archives import differences, imported
from tests.support.records.stored_runs import MACHINE, store_run

DIGEST = "its digest does not match: something other than its games was changed after it was complete"

CHANGES = {
    "sets after the seed": "UPDATE run SET sets_after_seed = 1",
    "the seed is a drawn one": "UPDATE run SET practice = 1 - practice",
    "the start": "UPDATE run SET started = '2020-01-01T00:00:00.000+00:00'",
    "the end": "UPDATE run SET ended = '2020-01-01T00:00:00.000+00:00'",
    "why it stopped": "UPDATE run SET stopped = 'all was said'",
    "the version of the engine": "UPDATE run SET engine = '0'",
    "the version of the rules": "UPDATE run SET rules = '0'",
    "the tournament file": "UPDATE run SET config = config || '# more\n'",
    "the author of a bot": "UPDATE bot SET author = 'somebody else' WHERE name = 'ann'",
    "what a bot wrote": "UPDATE story SET stderr = 'nothing'",
    "how a bot ended": "UPDATE story SET how_ended = 'exit status 0'",
    "a story": "DELETE FROM story WHERE rowid = (SELECT MIN(rowid) FROM story)",
    "processor time": "UPDATE cpu SET cpu_ms = 1",
    "a machine": "UPDATE machine SET cpu = 'abacus'",
    "on which machine": "UPDATE job SET machine = NULL WHERE rowid = (SELECT MIN(rowid) FROM job)",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "here.db"


@pytest.fixture
def run(path: Path) -> str:
    return store_run(path, variants=("euchre",), sets=range(2), faulty=range(1), machine=MACHINE)


@pytest.mark.parametrize("what", CHANGES)
def test_verify_finds_a_change_that_contradicts_no_game(path: Path, run: str, what: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(CHANGES[what])
    assert differences(path, run) == [f"run {run}: {DIGEST}"]


def test_a_new_name_does_not_change_the_digest(path: Path, run: str) -> None:
    with Store.open(path) as store:
        before = store.run(run).row.digest
    rename_run(path, run, "spring")
    with Store.open(path) as store:
        assert run_digest(store[run]) == before
    assert differences(path, run) == []


def test_the_digest_is_that_of_the_signed_archive_and_of_every_copy(path: Path, run: str, tmp_path: Path) -> None:
    from bowerbird.harness.extras.signatures.key_files import KeyFiles
    from bowerbird.harness.extras.signatures.vouching import own_signer
    from bowerbird.harness.records.archive.archive import write_archive

    there = tmp_path / "there.db"
    with Store.open(path) as store:
        write_archive(store[run], tmp_path / "run.tar.gz", sign=own_signer(KeyFiles(tmp_path / "keys")).sign)
        digest = store.run(run).row.digest
    imported(there, tmp_path / "run.tar.gz")
    with Store.open(there) as store:
        assert store.run(run).row.digest == digest
        assert read_signature(store[run].origins()[0].signature).digests.whole == digest


def test_an_unfinished_run_has_no_digest(path: Path) -> None:
    run = store_run(path, variants=("euchre",), end=False)
    with Store.open(path) as store:
        assert store_run_digest(store[run]) == store.run(run).row.digest == ""
