"""A command that fails leaves no empty database behind, and removes nothing that somebody else uses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bowerbird.harness.cli.shared.recording import recording_store
from bowerbird.harness.records.store.store import Store
from tests.support.records.played_games import SEED, header


class FailedError(Exception):
    """The error of a bot that does not start."""


def fail_in(db: Path, before: Callable[[Store], object] = lambda store: None) -> None:
    """Fail after a bot has written to its log, and after `before`."""

    def fail() -> None:
        with recording_store(db, quiet=True) as store:
            logs = db.parent / "logs" / "395e9161ae"
            logs.mkdir(parents=True, exist_ok=True)
            (logs / "bad-0-1.log").write_text("oh no\n")
            before(store)
            raise FailedError

    with pytest.raises(FailedError):
        fail()


def test_a_command_that_fails_before_its_run_leaves_nothing(tmp_path: Path) -> None:
    fail_in(tmp_path / "new" / "x.db")
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_goes_well_leaves_its_database(tmp_path: Path) -> None:
    with recording_store(tmp_path / "x.db", quiet=True):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["x.db"]


def test_an_empty_database_that_was_there_stays(tmp_path: Path) -> None:
    Store.create(tmp_path / "x.db").close()
    fail_in(tmp_path / "x.db")
    assert (tmp_path / "x.db").is_file()


def test_what_else_is_in_the_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    fail_in(tmp_path / "x.db")
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]
    assert (tmp_path / "logs" / "395e9161ae" / "bad-0-1.log").is_file()


def test_a_database_that_another_has_open_stays(tmp_path: Path) -> None:
    """A second command has opened it in the meantime, and is about to store its run."""
    others: list[Store] = []

    def open_too(store: Store) -> None:
        others.append(Store.open(store.path))
        others[0].runs()

    fail_in(tmp_path / "x.db", open_too)
    assert (tmp_path / "x.db").is_file()
    others[0].close()


def test_a_database_with_a_run_stays(tmp_path: Path) -> None:
    def begin(store: Store) -> None:
        with store.begin(header("autumn"), SEED):
            pass

    fail_in(tmp_path / "x.db", begin)
    with Store.open(tmp_path / "x.db") as store:
        assert len(store.runs()) == 1
