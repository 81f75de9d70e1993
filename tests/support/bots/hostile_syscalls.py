"""Acts that use the kernel in ways that no bot needs. Each prints what worked, then the bot plays on.

The lines come from `hostile_sandbox_acts.report`.
"""

from __future__ import annotations

import array
import ctypes
import json
import mmap
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

from tests.support.bots.forbidden_calls import Kernel
from tests.support.bots.hostile_acts import Turn, act, honest
from tests.support.bots.hostile_sandbox_acts import MEBIBYTE, report, works
from tests.support.bots.hostile_stream import Message
from tests.support.paths import ROOT
from tests.support.referee.filtered_calls import numbers

FORBIDDEN_CALLS = ROOT / "tests" / "support" / "bots" / "forbidden_calls.py"
SESSION_KEYRING = -3
GET_KEYRING_ID, READ, SET_TIMEOUT = 0, 11, 15
KEY_LIFE_S = 60
PIECE = 8 * MEBIBYTE


def here() -> dict[str, int]:
    """Return the numbers of the system calls on this machine."""
    return numbers(os.uname().machine)


@act("trespasses")
def trespasses(turn: Turn) -> Iterator[Message]:
    """Row 43: try each of `forbidden_calls.attempts`, in a process of its own."""
    argv = [sys.executable, str(FORBIDDEN_CALLS), "attempts", json.dumps(here())]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    report("worked", json.loads(done.stdout) if done.returncode == 0 else [f"{done.returncode}: {done.stderr}"])
    yield from honest(turn)


_OWN_KEYS: list[int] = []


@act("keyrings")
def keyrings(turn: Turn) -> Iterator[Message]:
    """Row 36: put a key into the session keyring and look for keys of others there."""
    kernel = Kernel(here())
    found = array.array("i", [0] * 100)
    try:
        keyring = kernel.named("keyctl", GET_KEYRING_ID, SESSION_KEYRING, 0)
        space = (ctypes.c_char * (len(found) * found.itemsize)).from_buffer(found)
        size = kernel.named("keyctl", READ, SESSION_KEYRING, space, len(space))
        heard = [str(key) for key in found[: size // found.itemsize] if key not in _OWN_KEYS]
        if not _OWN_KEYS:
            word = b"whisper-%d" % os.getpid()
            _OWN_KEYS.append(kernel.named("add_key", b"user", word, word, len(word), SESSION_KEYRING))
            kernel.named("keyctl", SET_TIMEOUT, _OWN_KEYS[0], KEY_LIFE_S)
    except OSError as error:
        report("refused", [str(error.strerror)])
    else:
        report("keyring", [str(keyring)])
        report("heard", heard)
    yield from honest(turn)


_HELD: list[object] = []


@act("holds")
def holds(turn: Turn) -> Iterator[Message]:
    """Row 38: hold HOLD_MB of memory that the process has not mapped, in every possible way."""
    wanted = int(os.environ["HOLD_MB"]) * MEBIBYTE
    ways: dict[str, Callable[[], None]] = {"memfd": _memfd, "mapping": _shared_mapping, "/dev/zero": _zero_mapping}
    held = []
    for way, hold in ways.items():
        taken = 0
        while taken < wanted and works(hold):
            taken += PIECE
        held += [f"{way} {taken // MEBIBYTE} MiB"] if taken else []
    report("held", held)
    yield from honest(turn)


def _memfd() -> None:
    descriptor = os.memfd_create("held")
    _HELD.append(descriptor)
    os.write(descriptor, bytes(PIECE))


def _shared_mapping() -> None:
    _fill_and_unmap(mmap.mmap(-1, PIECE))


def _zero_mapping() -> None:
    descriptor = os.open("/dev/zero", os.O_RDWR)
    try:
        _fill_and_unmap(mmap.mmap(descriptor, PIECE))
    finally:
        os.close(descriptor)


def _fill_and_unmap(mapping: mmap.mmap) -> None:
    """Write to every page and take the pages out of this process. They stay in memory with the mapping."""
    mapping.write(b"x" * PIECE)
    mapping.madvise(mmap.MADV_DONTNEED)
    _HELD.append(mapping)
