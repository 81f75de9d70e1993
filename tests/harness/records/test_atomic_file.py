"""A file is replaced whole or not at all, and nothing is left beside it for good."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bowerbird.harness.records.store.atomic_file import fresh_beside, replacing
from bowerbird.harness.records.store.store import Store

WRITER = """
import sys
from pathlib import Path
from bowerbird.harness.records.store.atomic_file import replacing

with replacing(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("written", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "run.tar.gz"
    path.write_bytes(b"before")
    return path


def write(target: Path, content: bytes) -> None:
    with replacing(target) as file:
        file.write(content)


def names(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


def test_a_file_takes_its_place_when_it_is_whole(target: Path) -> None:
    with replacing(target) as file:
        file.write(b"after")
        assert target.read_bytes() == b"before"
    assert target.read_bytes() == b"after"
    assert names(target) == [target.name]


def test_what_fails_changes_nothing_and_leaves_nothing(target: Path) -> None:
    with pytest.raises(ZeroDivisionError), replacing(target):
        raise ZeroDivisionError
    assert target.read_bytes() == b"before"
    assert names(target) == [target.name]


@pytest.mark.usefixtures("processes")
def test_what_a_killed_process_left_is_removed_by_the_next_that_writes_there(target: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        write(target, b"meanwhile")
        assert len(names(target)) == 2, "what another process is still writing is left to it"
        process.kill()
    assert len(names(target)) == 2, "after kill -9 nobody could remove it"
    write(target, b"after")
    assert names(target) == [target.name]
    assert target.read_bytes() == b"after"


def test_two_that_write_at_once_leave_each_other_alone(target: Path) -> None:
    with replacing(target) as first:
        first.write(b"first")
        with replacing(target) as second:
            second.write(b"second")
        assert target.read_bytes() == b"second"
    assert target.read_bytes() == b"first"
    assert names(target) == [target.name]


@pytest.mark.parametrize(
    "name",
    [
        "run.tar.gz.0123456789abcdef.new",
        ".run.tar.gz.0123456789abcde.new",
        ".run.tar.gz.0123456789abcdef.new2",
        ".runXtar.gz.0123456789abcdef.new",
        ".other.tar.gz.0123456789abcdef.new",
    ],
)
def test_no_file_of_another_name_is_removed(target: Path, name: str) -> None:
    (target.parent / name).write_bytes(b"mine")
    write(target, b"after")
    assert names(target) == sorted([name, target.name])


def test_what_sqlite_left_beside_a_database_that_was_never_made_is_removed(tmp_path: Path) -> None:
    for kind in ("", "-journal", "-wal", "-shm"):
        (tmp_path / f".x.db.0123456789abcdef.new{kind}").touch()
    Store.create(tmp_path / "x.db").close()
    assert names(tmp_path / "x.db") == ["x.db"]


def test_a_link_stays_and_what_it_leads_to_is_replaced(target: Path) -> None:
    link = target.with_name("latest.tar.gz")
    link.symlink_to(target.name)
    write(link, b"after")
    assert link.is_symlink()
    assert target.read_bytes() == b"after"


@pytest.mark.usefixtures("processes")
def test_what_is_no_file_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    """`-o /dev/stdout`, or a pipe to another program."""
    way = tmp_path / "way"
    os.mkfifo(way)
    with subprocess.Popen(["cat", str(way)], stdout=subprocess.PIPE) as reader:
        write(way, b"all of it")
        assert reader.communicate()[0] == b"all of it"
    assert way.is_fifo()


def test_what_cannot_be_begun_is_said_of_the_place_that_was_asked_for(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(path: str | Path, *_more: int) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(os, "open", read_only)
    with pytest.raises(OSError, match="Read-only file system") as refusal:
        write(target, b"after")
    assert refusal.value.filename == str(target)


def test_a_file_that_was_removed_while_it_was_begun_is_begun_anew(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that removes leftovers may come between another process's open and its lock."""
    opened: list[str] = []
    real = os.open

    def open_and_lose_the_first(path: str | Path, *more: int) -> int:
        descriptor = real(path, *more)
        if str(path).endswith(".new"):
            opened.append(str(path))
            if len(opened) == 1:
                os.unlink(path)
        return descriptor

    monkeypatch.setattr(os, "open", open_and_lose_the_first)
    with fresh_beside(target) as fresh:
        assert [str(fresh)] == opened[1:]
        assert fresh.exists()
