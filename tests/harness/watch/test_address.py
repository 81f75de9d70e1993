"""Where spectators find a run: in a folder that only one user can open."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from bowerbird.harness.watch.address import (
    LONGEST_PATH,
    WatchAddressError,
    listening_path,
    private_folder,
    running,
    watch_address,
)

RUN = "4f1c9a7be2"


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / "bowerbird"


def test_databases_have_different_sockets_and_links_to_one_have_the_same(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "one.db")
    one, link, other = (watch_address(tmp_path / name, RUN) for name in ("one.db", "link.db", "other.db"))
    assert one == link
    assert one != other


def test_the_folder_is_made_for_its_user_alone(runtime: Path) -> None:
    assert private_folder() == runtime
    assert runtime.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_can_open_is_refused_and_nothing_in_it_is_believed(runtime: Path) -> None:
    runtime.mkdir(mode=0o755)
    runtime.chmod(0o755)
    with pytest.raises(WatchAddressError, match="open to other users"):
        private_folder()
    with socket.socket(socket.AF_UNIX) as false:
        false.bind(str(runtime / f"{RUN}-00000000.sock"))
        false.listen()
        assert running() == []


def test_a_file_in_place_of_the_folder_is_refused(runtime: Path) -> None:
    runtime.touch()
    with pytest.raises(WatchAddressError):
        private_folder()


def test_a_socket_that_a_killed_run_left_is_replaced_and_one_in_use_is_not(tmp_path: Path) -> None:
    address = watch_address(tmp_path / "x.db", RUN)
    with socket.socket(socket.AF_UNIX) as first:
        first.bind(str(listening_path(address)))
        first.listen()
        assert running() == [address]
        with pytest.raises(WatchAddressError, match="another process"):
            listening_path(address)
    assert address.path.exists()
    assert running() == []
    assert listening_path(address) == address.path
    assert not address.path.exists()


def test_a_path_that_is_too_long_for_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("x" * LONGEST_PATH)
    deep.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    with pytest.raises(WatchAddressError, match=f"must have at most {LONGEST_PATH} bytes"):
        listening_path(watch_address(tmp_path / "x.db", RUN))


def test_other_files_in_the_folder_are_no_runs(runtime: Path) -> None:
    private_folder()
    (runtime / "notes.sock").touch()
    (runtime / f"{RUN}-12345678.sock").touch()
    assert running() == []
