"""Acts that reach out of the bot's process. Each prints what worked, then the bot plays on.

Each printed line is `WORD: [...]`, a JSON list of what worked. In a sandbox the list is empty.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import errno
import fcntl
import glob
import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, ParamSpec

from tests.support.bots.hostile_acts import Turn, act, honest
from tests.support.bots.hostile_stream import Message, wait_for_ever

P = ParamSpec("P")

MEBIBYTE = 1 << 20
SHARED_KEY = 0x42575242
FLOOR_MB = 4096
MOST_FILES = 100_000
"""More memory, and more files, than any test allows."""


def report(word: str, worked: list[str]) -> None:
    print(f"{word}: {json.dumps(worked)}", flush=True)


def works(attempt: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> bool:
    """Return whether this call is allowed: no OSError."""
    try:
        attempt(*args, **kwargs)
    except OSError:
        return False
    return True


def others() -> list[int]:
    """Return the visible processes, except this one and the parent that every sandbox has."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    return [pid for pid in pids if pid not in (1, os.getpid())]


@act("pries")
def pries(turn: Turn) -> Iterator[Message]:
    """Row 19: read other processes' memory and environment, the files that PRY names, and other seats' sockets."""
    worked = []
    for pid in [1, *others()]:
        for name in ("environ", "mem", "fd/0"):
            path = f"/proc/{pid}/{name}"
            if pid != os.getpid() and works(_open, path):
                worked.append(path)
    report("processes", worked)
    wanted = [path for pattern in json.loads(os.environ["PRY"]) for path in glob.glob(pattern)]
    report("files", [path for path in wanted if os.access(path, os.R_OK)])
    own = os.environ["BOWERBIRD_ADDRESS"].removeprefix("unix:")
    places = {"/tmp", str(Path(own).parent.parent)}  # TMPDIR may name another folder
    sockets = [path for place in places for path in glob.glob(f"{place}/bowerbird-*/*") if path != own]
    report("sockets", [path for path in sockets if works(_dial, path)])
    yield from honest(turn)


def _open(path: str) -> None:
    open(path, "rb").close()


def _dial(path: str | tuple[str, int]) -> None:
    family = socket.AF_UNIX if isinstance(path, str) else socket.AF_INET
    with socket.socket(family) as dialled:
        dialled.settimeout(5)
        dialled.connect(path)


@act("attacks")
def attacks(turn: Turn) -> Iterator[Message]:
    """Row 20: send a harmless signal to every process that can be named, and dial the network that NETWORK names."""
    known = [os.getppid(), *others(), *json.loads(os.environ["PIDS"])]
    report("signals", [str(pid) for pid in known if pid != 1 and works(os.kill, pid, signal.SIGCONT)])
    port, abstract = json.loads(os.environ["NETWORK"])
    tried: dict[str, str | tuple[str, int]] = {"tcp": ("127.0.0.1", port), "abstract": f"\0{abstract}"}
    report("network", [name for name, place in tried.items() if works(_dial, place)])
    yield from honest(turn)


@act("whispers")
def whispers(turn: Turn) -> Iterator[Message]:
    """Row 30: leave a mark at each place where another instance could find it, and look for the marks of others."""
    heard = []
    me = str(os.getpid())
    for folder in ("/tmp", "/dev/shm", os.getcwd()):
        marks = Path(folder).glob(f"whisper-{os.environ['WHISPER']}-*")
        heard += [str(mark) for mark in marks if not mark.name.endswith(f"-{me}")]
        with contextlib.suppress(OSError):
            Path(folder, f"whisper-{os.environ['WHISPER']}-{me}").touch()
    heard += _abstract_sockets() + _shared_memory() + _locks()
    commands = [pid for pid in others() if b"whispers" in _command(pid)]
    heard += [f"process {pid}" for pid in commands if works(os.kill, pid, signal.SIGCONT)]
    report("heard", heard)
    yield from honest(turn)


_SOCKETS: list[socket.socket] = []


def _abstract_sockets() -> list[str]:
    if _SOCKETS:
        return []
    listener = socket.socket(socket.AF_UNIX)
    _SOCKETS.append(listener)
    try:
        listener.bind(f"\0whisper-{os.environ['WHISPER']}")
    except OSError:
        return ["abstract socket"]
    return []


_LOCKED: list[BinaryIO] = []


def _locks() -> list[str]:
    """Lock this file, which may only be read, for the life of the process; report if another process held the lock."""
    if _LOCKED:
        return []
    file = open(__file__, "rb")  # noqa: SIM115  # the lock is held as long as this process runs
    _LOCKED.append(file)
    return [] if works(lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)) else ["lock"]


_ATTACHED: list[int] = []


def _shared_memory() -> list[str]:
    """Create System V shared memory; report if it existed before (`IPC_EXCL`)."""
    if _ATTACHED:
        return []
    libc = ctypes.CDLL(None, use_errno=True)
    create, exclusive = 0o1000, 0o2000
    key = SHARED_KEY ^ int(os.environ["WHISPER"], 16)
    made = libc.shmget(key, 4096, create | exclusive | 0o666)
    _ATTACHED.append(made)
    if made >= 0:
        atexit.register(libc.shmctl, made, 0, None)  # remove it
    return ["shared memory"] if made < 0 and ctypes.get_errno() == errno.EEXIST else []


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@act("bombs")
def bombs(turn: Turn) -> Iterator[Message]:
    """Row 16: start processes until the system refuses. Say how many at once: it may be late, or killed, by then."""
    bomb = 'i=0; while :; do sleep 600 >/dev/null 2>&1 & i=$((i+1)); echo "started $i"; done'
    with subprocess.Popen(["sh", "-c", bomb], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as shell:
        assert shell.stdout is not None
        for line in shell.stdout:
            report("bombed", [line.strip()])
    yield from honest(turn)


@act("strays")
def strays(turn: Turn) -> Iterator[Message]:
    """Row 16: fork twice into a session of its own, which survives its parents."""
    subprocess.run(["sh", "-c", "setsid sleep 600 >/dev/null 2>&1 &"], check=True)
    yield from honest(turn)


@act("hogs")
def hogs(turn: Turn) -> Iterator[Message]:
    """Row 17: take memory until the system refuses."""
    taken = []
    for _ in range(FLOOR_MB // 8):
        taken.append(b"x" * (8 * MEBIBYTE))
    report("hogged", [f"{len(taken) * 8} MiB"])
    yield from honest(turn)


@act("fills")
def fills(turn: Turn) -> Iterator[Message]:
    """Row 17: write to /tmp and /dev/shm until they are full."""
    written = [f"{folder} {_filled(folder)} MiB" for folder in ("/tmp", "/dev/shm")]
    report("filled", written)
    yield from honest(turn)


@act("fills-and-waits")
def fills_and_waits(turn: Turn) -> Iterator[Message]:
    """Row 38: fill /tmp and /dev/shm, and hold that until the referee ends this process."""
    for folder in ("/tmp", "/dev/shm"):
        _filled(folder)
    wait_for_ever()
    yield from honest(turn)


@act("litters")
def litters(turn: Turn) -> Iterator[Message]:
    """Row 38: make empty files in /tmp and /dev/shm until the system refuses."""
    report("littered", [str(_littered(folder)) for folder in ("/tmp", "/dev/shm")])
    yield from honest(turn)


def _littered(folder: str) -> int:
    made = 0
    with contextlib.suppress(OSError):
        while made < MOST_FILES:
            os.close(os.open(f"{folder}/litter-{made}", os.O_CREAT | os.O_WRONLY, 0o600))
            made += 1
    return made


def _filled(folder: str) -> int:
    written = 0
    with contextlib.suppress(OSError), open(f"{folder}/fill", "wb", buffering=0) as file:
        while written < FLOOR_MB:
            file.write(bytes(MEBIBYTE))
            written += 1
    return written
