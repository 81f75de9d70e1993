"""The copies of a bot's files that each process in a sandbox gets."""

from __future__ import annotations

import ast
import os
import socket
import sys
from pathlib import Path

import pytest

from bowerbird.harness.referee.isolation.launch import ADDRESS
from bowerbird.harness.referee.isolation.sandbox import SOCKET, Sandbox
from bowerbird.harness.referee.isolation.staging import plan_copies
from tests.support.referee.isolated import finish, in_folder, require

pytestmark = pytest.mark.usefixtures("processes")


def test_small_files_get_the_whole_pages_that_the_system_counts(tmp_path: Path) -> None:
    """Otherwise a bot with many of them is killed for the memory of its copies."""
    for number in range(100):
        (tmp_path / f"{number}").write_bytes(b"x")
    (tmp_path / "empty").touch()
    page = os.sysconf("SC_PAGE_SIZE")
    copies = plan_copies(in_folder(tmp_path, "/bin/true"), [])
    assert 100 * page < copies.charged_bytes < 102 * (page + 4096)


def test_a_bot_starts_again_when_a_file_beside_a_hidden_folder_has_gone(tmp_path: Path) -> None:
    require("sandbox")
    (tmp_path / "store").mkdir()
    for name in ("kept", "gone"):
        (tmp_path / name).touch()
    tier = Sandbox([tmp_path / "store"])
    spec = in_folder(tmp_path, "/bin/ls")
    assert finish(tier.launch(spec, {})).stdout.split() == ["gone", "kept", "store"]
    (tmp_path / "gone").unlink()
    again = finish(tier.launch(spec, {}))
    assert (again.returncode, again.stdout.split()) == (0, ["kept", "store"]), again.stderr


def test_files_are_copied_by_whatever_name_they_have(tmp_path: Path) -> None:
    """A shell makes the copies."""
    require("sandbox")
    (tmp_path / "store").mkdir()
    names = ["--", "-n", "$(touch x)", "${1}", "'", '"', "a b", "a\nb", "*", *(f"{number}" for number in range(20))]
    for name in names:
        (tmp_path / name).write_text(name)
    script = "from pathlib import Path; print({one.name: one.read_text() for one in Path().iterdir() if one.is_file()})"
    done = finish(Sandbox([tmp_path / "store"]).launch(in_folder(tmp_path, sys.executable, "-c", script), {}))
    assert ast.literal_eval(done.stdout) == {name: name for name in names}, done.stderr


DIAL = f"""
import os, socket
with socket.socket(socket.AF_UNIX) as dialled:
    dialled.connect({SOCKET!r})
print(os.listdir("sockets"))
"""


def test_a_bot_dials_its_socket_if_the_folder_of_sockets_lies_in_its_own(tmp_path: Path) -> None:
    """It is the same with cwd = "/tmp", or with TMPDIR in a bot's folder."""
    require("sandbox")
    folder = tmp_path / "sockets"
    folder.mkdir()
    address = os.path.relpath(folder / "1")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        os.chmod(address, 0o666)
        listener.listen()
        spec = in_folder(tmp_path, sys.executable, "-c", DIAL)
        tier = Sandbox([folder])
        assert not tier.shared_files(spec), "the folder is copied"
        done = finish(tier.launch(spec, {ADDRESS: f"unix:{folder / '1'}"}))
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
