"""A device that answers EIO when data should reach it (row 61)."""

from __future__ import annotations

import platform
import sys

import pytest

from tests.support.command.bowerbird_command import COMMAND, Bowerbird
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.verdicts import played

FLUSHES = {"x86_64": (74, 75), "aarch64": (82, 83)}
"""The numbers of fsync and fdatasync."""

FAILING = """
import ctypes, errno, os, struct, sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER, ERRNO, ALLOW = 38, 22, 2, 0x00050000, 0x7FFF0000
first, second = map(int, sys.argv[1:3])
program = b"".join(
    struct.pack("<HBBI", *one)
    for one in (
        (0x20, 0, 0, 0),
        (0x15, 1, 0, first),
        (0x15, 0, 1, second),
        (0x06, 0, 0, ERRNO | errno.EIO),
        (0x06, 0, 0, ALLOW),
    )
)
code = ctypes.create_string_buffer(program)


class Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
    PR_SET_SECCOMP, FILTER, ctypes.byref(Program(len(program) // 8, ctypes.addressof(code)))
):
    raise OSError(ctypes.get_errno(), "no filter")
os.execv(sys.argv[3], sys.argv[3:])
"""
"""A program that runs another, in which fsync and fdatasync fail with EIO, as when a device is lost."""

FILE = """
[tournament]
seed = "device"
sets = {sets}
isolation = "none"
[[variant]]
name = "two-handed"
options = {{ max_hands = 2 }}
"""


@pytest.mark.row(61)
def test_a_device_that_fails_is_said_and_what_was_stored_stays(bowerbird: Bowerbird, seen: Seen) -> None:
    flushes = FLUSHES.get(platform.machine())
    if flushes is None:
        pytest.skip("the numbers of fsync and fdatasync are not known here")
    bots = bowerbird.bot("one", "honest"), bowerbird.bot("two", "last")
    bowerbird.done("tournament", bowerbird.tournament(FILE.format(sets=2), *bots), "--db", "x.db", "--quiet")
    before, _ = played(bowerbird.folder / "x.db")
    file = bowerbird.tournament(FILE.format(sets=4), *bots)
    failing = [sys.executable, "-c", FAILING, *map(str, flushes)]
    for arguments in (("tournament", file, "--db", "x.db", "--resume"), ("tournament", file, "--db", "new.db")):
        finished = bowerbird.run(*failing, COMMAND, *arguments, "--quiet")
        assert finished.returncode == 2, f"exit code {finished.returncode}: {finished.stderr}"
        assert "Traceback" not in finished.stderr
        [said] = [line for line in finished.stderr.splitlines() if line.startswith("bowerbird: ")]
        assert "I/O error" in said or "Input/output error" in said, finished.stderr
    assert not bowerbird.wait_until_gone()
    bowerbird.done("tournament", file, "--db", "x.db", "--resume", "--quiet")
    after, _ = played(bowerbird.folder / "x.db")
    assert len(after) == 2 * len(before)
    assert before.items() <= after.items()
    assert "no differences" in bowerbird.done("verify", "--db", "x.db")
    seen(f"{said.partition(': ')[2]}; resumed when the device answered, all verified")
