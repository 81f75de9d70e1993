"""buf notices a break of the contract and a missing comment, so that `make lint` fails for them.

Whether the contract itself is in order is for `make lint` to say; these tests change copies of it.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

PROTO = ROOT / "proto"
FOLDER = Path("bowerbird", "seat", "v1")

BREAKS = {
    "a field is lost": ("seat.proto", "  string note = 5;\n", ""),
    "a field has another number": ("seat.proto", "string note = 5;", "string note = 6;"),
    "a field has another name": ("seat.proto", "string note = 5;", "string remark = 5;"),
    "a field has another type": ("seat.proto", "string note = 5;", "bytes note = 5;"),
    "a field lost its presence": ("action.proto", "optional uint32 seat = 7;", "uint32 seat = 7;"),
    "a value is lost": ("seat.proto", "  ERROR_CODE_TLS = 10;\n", ""),
    "a value has another number": ("view.proto", "STAGE_OVER = 20;", "STAGE_OVER = 21;"),
    "a call streams no more": ("seat.proto", "(stream PlayRequest)", "(PlayRequest)"),
    "a package has another name": ("seat.proto", 'java_package = "bowerbird.seat.v1"', 'java_package = "bowerbird"'),
}
"""What no later v1 may do: the file, and the text in it that is replaced."""

GROWTH = ("seat.proto", "  string note = 5;\n", "  string note = 5;\n  // Something new.\n  bool is_sure = 6;\n")
"""What a later v1 may do."""

pytestmark = [pytest.mark.usefixtures("processes"), pytest.mark.toolchain("npm")]


def changed(folder: Path, file: str, old: str, new: str) -> Path:
    """Return a copy of the contract in `folder` in which `old` is replaced once."""
    copy = folder / "proto"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(PROTO / "bowerbird", copy / "bowerbird")
    shutil.copy(PROTO / "buf.yaml", copy)
    source = copy / FOLDER / file
    text = source.read_text(encoding="utf-8")
    assert old in text, f"{file} holds {old!r} no more: choose another text to change"
    source.write_text(text.replace(old, new, 1), encoding="utf-8")
    return copy


def buf(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [str(ROOT / ".ci" / "buf"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)


def test_buf_sees_breaks_and_missing_comments_and_lets_the_contract_grow(tmp_path: Path) -> None:
    """One test, so that buf is installed only once at a time."""
    for change, (file, old, new) in BREAKS.items():
        done = buf("breaking", changed(tmp_path, file, old, new), "--against", PROTO)
        assert done.returncode == 100, f"{change}, and buf says nothing: {done.stdout}{done.stderr}"
        assert file in done.stdout, change
    grown = changed(tmp_path, *GROWTH)
    for done in (buf("breaking", grown, "--against", PROTO), buf("lint", grown)):
        assert done.returncode == 0, done.stdout + done.stderr
    uncommented = changed(
        tmp_path, "seat.proto", "  // The longest Decision.note, in bytes. The referee cuts off the rest.\n", ""
    )
    done = buf("lint", uncommented)
    assert done.returncode == 100
    assert 'Field "max_note_bytes" should have a non-empty comment' in done.stdout
