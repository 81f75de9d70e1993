"""A bot whose seats try to tell each other what they hold, through all that two processes may share (row 35).

At its first decision of a hand, seat 0 draws one bit from its own cards for each channel and sends it. Its partner
guesses each bit once, late in the hand: looking for a page may load it. Both print JSON lines:

    {"channel": "page cache", "hand": 7, "said": 1, "s": 0.00001}
    {"channel": "page cache", "hand": 7, "heard": 1, "s": 0.00001}

The environment's CHANNELS names the channels, separated by commas. OWN_FILE and SHARED_FILE are large files whose pages
are not in memory: one in the bot's folder, one that its manifest lets it read.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import hashlib
import json
import mmap
import os
import socket
import statistics
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator

from bowerbird.sdk import Bot, Capabilities, Decision, Table, run

PAGE = mmap.PAGESIZE
STRIDE = 4
"""Pages from one hand's page to the next one's."""

REGION = 1024
"""Pages of a file that one channel uses."""

HANDS_A_TABLE = 8
LATE_CARDS = 2
"""The partner guesses when it holds no more cards than this."""

COLD_S = 15e-6
"""A page that takes longer than this was read from the disk."""

_LIBC = ctypes.CDLL(None, use_errno=True)
_ADD_KEY, _REQUEST_KEY = (248, 249) if os.uname().machine == "x86_64" else (217, 218)
_SESSION = -3


class Channel(ABC):
    """One way to pass a bit. `hand` counts the hands of the process."""

    @abstractmethod
    def say(self, hand: int, bit: bool) -> None:
        """Send a bit."""

    @abstractmethod
    def hear(self, hand: int) -> bool:
        """Return a guess of the bit that was sent in this hand."""


class PageChannel(Channel):
    """Pages of a file: one is in memory for a 1. Subclasses look for it in different ways."""

    region = 0

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDONLY)
        self._map = mmap.mmap(self._file, 0, prot=mmap.PROT_READ)
        with contextlib.suppress(OSError):
            self._map.madvise(mmap.MADV_RANDOM)

    def place(self, hand: int) -> int:
        return (self.region * REGION + hand * STRIDE) * PAGE

    def say(self, hand: int, bit: bool) -> None:
        if bit:
            _ = self._map[self.place(hand)]


class NowaitChannel(PageChannel):
    """Evicts with fadvise, looks with RWF_NOWAIT."""

    def say(self, hand: int, bit: bool) -> None:
        super().say(hand, bit)
        if not bit:
            with contextlib.suppress(OSError):
                os.posix_fadvise(self._file, self.place(hand), PAGE, os.POSIX_FADV_DONTNEED)

    def hear(self, hand: int) -> bool:
        try:
            return os.preadv(self._file, [bytearray(PAGE)], self.place(hand), os.RWF_NOWAIT) == PAGE
        except OSError:
            return False


class MincoreChannel(PageChannel):
    """Looks with mincore."""

    region = 1

    def hear(self, hand: int) -> bool:
        address = _LIBC.mmap
        address.restype = ctypes.c_void_p
        mapped = address(None, PAGE, mmap.PROT_READ, mmap.MAP_SHARED, self._file, ctypes.c_long(self.place(hand)))
        present = ctypes.c_ubyte(0)
        _LIBC.mincore(ctypes.c_void_p(mapped), ctypes.c_size_t(PAGE), ctypes.byref(present))
        _LIBC.munmap(ctypes.c_void_p(mapped), ctypes.c_size_t(PAGE))
        return bool(present.value & 1)


class TimingChannel(PageChannel):
    """Measures how long a page takes; needs no system call that could be refused."""

    region = 2

    def hear(self, hand: int) -> bool:
        before = time.perf_counter()
        _ = self._map[self.place(hand)]
        return time.perf_counter() - before < COLD_S


class TimeOfAccessChannel(Channel):
    """The time of the last access to one of many small files."""

    def __init__(self, path: str) -> None:
        self._folder = os.path.join(os.path.dirname(path), "small")

    def say(self, hand: int, bit: bool) -> None:
        if bit:
            with open(os.path.join(self._folder, str(hand)), "rb") as file:
                file.read()

    def hear(self, hand: int) -> bool:
        status = os.stat(os.path.join(self._folder, str(hand)))
        return status.st_atime_ns > status.st_mtime_ns


class LockChannel(Channel):
    """A lock on a file that is only readable."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDONLY)

    def say(self, hand: int, bit: bool) -> None:
        fcntl.flock(self._file, fcntl.LOCK_SH if bit else fcntl.LOCK_UN)

    def hear(self, hand: int) -> bool:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        fcntl.flock(self._file, fcntl.LOCK_UN)
        return False


class SocketChannel(Channel):
    """The name of an abstract socket."""

    def __init__(self) -> None:
        self._held: list[socket.socket] = []

    def say(self, hand: int, bit: bool) -> None:
        if bit:
            held = socket.socket(socket.AF_UNIX)
            held.bind(f"\0channel-{os.environ['MARK']}-{hand}")
            self._held.append(held)

    def hear(self, hand: int) -> bool:
        with socket.socket(socket.AF_UNIX) as tried:
            try:
                tried.bind(f"\0channel-{os.environ['MARK']}-{hand}")
            except OSError:
                return True
        return False


class KeyringChannel(Channel):
    """A key in the keyring of the session."""

    def say(self, hand: int, bit: bool) -> None:
        if bit:
            name = f"channel-{os.environ['MARK']}-{hand}".encode()
            _LIBC.syscall(_ADD_KEY, b"user", name, b"1", ctypes.c_size_t(1), _SESSION)

    def hear(self, hand: int) -> bool:
        name = f"channel-{os.environ['MARK']}-{hand}".encode()
        return int(_LIBC.syscall(_REQUEST_KEY, b"user", name, None, 0)) > 0


class OpenFilesChannel(Channel):
    """The number of open files of the whole machine, which /proc counts."""

    MANY = 600

    def __init__(self) -> None:
        self._held: list[int] = []
        self._least = 0

    def say(self, hand: int, bit: bool) -> None:
        while self._held:
            os.close(self._held.pop())
        if bit:
            self._held += [os.open("/dev/null", os.O_RDONLY) for _ in range(self.MANY)]

    def hear(self, hand: int) -> bool:
        with open("/proc/sys/fs/file-nr", encoding="ascii") as file:
            count = int(file.read().split()[0])
        self._least = min(self._least or count, count)
        return count - self._least > self.MANY / 2


class ThreadsChannel(Channel):
    """The number of threads of the whole machine, which /proc/loadavg and sysinfo count."""

    MANY = 64

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._least = 0

    def say(self, hand: int, bit: bool) -> None:
        self._stop.set()
        self._stop = threading.Event()
        if bit:
            for _ in range(self.MANY):
                threading.Thread(target=self._stop.wait, daemon=True).start()

    def hear(self, hand: int) -> bool:
        with open("/proc/loadavg", encoding="ascii") as file:
            count = int(file.read().split()[3].partition("/")[2])
        self._least = min(self._least or count, count)
        return count - self._least > self.MANY / 2


class InodeChannel(Channel):
    """The numbers that the kernel gives to pipes, one after another on the whole machine."""

    MANY = 8192

    def __init__(self) -> None:
        self._before = self._next()

    def _next(self) -> int:
        """Return the highest of the next numbers; each processor takes them in blocks."""
        highest = 0
        for _ in range(1024):
            ends = os.pipe()
            highest = max(highest, os.fstat(ends[0]).st_ino)
            for end in ends:
                os.close(end)
        return highest

    def say(self, hand: int, bit: bool) -> None:
        if bit:
            for _ in range(self.MANY):
                for end in os.pipe():
                    os.close(end)

    def hear(self, hand: int) -> bool:
        now = self._next()
        moved, self._before = now - self._before, now
        return moved > self.MANY


class MemoryChannel(Channel):
    """The machine's free memory, as sysinfo reports it."""

    BYTES = 128 << 20

    def __init__(self) -> None:
        self._held = bytearray()
        self._most = 0

    def say(self, hand: int, bit: bool) -> None:
        self._held = bytearray()
        if bit:
            self._held = bytearray(b"\1") * self.BYTES

    def hear(self, hand: int) -> bool:
        free = os.sysconf("SC_AVPHYS_PAGES") * PAGE
        self._most = max(self._most, free)
        return self._most - free > self.BYTES / 2


class LoadChannel(Channel):
    """The speed of the machine: the sender computes throughout the hand, or not."""

    PROBE_S = 0.01

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._speeds: list[int] = []

    def say(self, hand: int, bit: bool) -> None:
        self._stop.set()
        self._stop = threading.Event()
        if bit:
            for _ in range(os.cpu_count() or 1):
                threading.Thread(target=self._spin, args=(self._stop,), daemon=True).start()

    def _spin(self, stop: threading.Event) -> None:
        while not stop.is_set():
            hashlib.pbkdf2_hmac("sha256", b"", b"", 2000)  # lets other threads run

    def hear(self, hand: int) -> bool:
        count = 0
        end = time.perf_counter() + self.PROBE_S
        while time.perf_counter() < end:
            count += 1
        self._speeds.append(count)
        return count < statistics.median(self._speeds)


def channel(name: str) -> Channel:
    """Return the channel of this name."""
    kind, _, place = name.rpartition(" of ") if name.endswith(" file") else (name, "", "")
    path = os.environ["OWN_FILE" if place == "own file" else "SHARED_FILE"]
    match kind:
        case "page cache (RWF_NOWAIT)":
            return NowaitChannel(path)
        case "page cache (mincore)":
            return MincoreChannel(path)
        case "page cache (timing)":
            return TimingChannel(path)
        case "time of access":
            return TimeOfAccessChannel(path)
        case "lock":
            return LockChannel(path)
        case "abstract socket":
            return SocketChannel()
        case "keyring":
            return KeyringChannel()
        case "open files":
            return OpenFilesChannel()
        case "threads":
            return ThreadsChannel()
        case "inode numbers":
            return InodeChannel()
        case "free memory":
            return MemoryChannel()
        case "load":
            return LoadChannel()
    raise ValueError(f"there is no channel {name!r}")


class ChannelBot(Bot):
    """Plays the first legal action. See the module."""

    capabilities = Capabilities(max_tables=1, wants_forced=True)

    def __init__(self) -> None:
        self._channels = {name: channel(name) for name in os.environ["CHANNELS"].split(",")}
        self._tables = 0
        self._last = -1

    def table_opened(self, table: Table) -> None:
        self._tables += 1

    def act(self, decision: Decision) -> int:
        view = decision.view
        hand = (self._tables - 1) * HANDS_A_TABLE + view.hand_number
        if view.seat == 0 and hand != self._last:
            for name, one in self._channels.items():
                bit = hashlib.sha256(f"{name} {hand} {' '.join(map(str, view.hand))}".encode()).digest()[0] & 1 == 1
                with _timed(name, hand, "said", bit) as told:
                    one.say(hand, bit)
                    told.append(bit)
            self._last = hand
        if view.seat == 2 and len(view.hand) <= LATE_CARDS and hand != self._last:
            for name, one in self._channels.items():
                with _timed(name, hand, "heard", False) as told:
                    told.append(one.hear(hand))
            self._last = hand
        return 0


@contextlib.contextmanager
def _timed(name: str, hand: int, word: str, otherwise: bool) -> Iterator[list[bool]]:
    """Print the bit that the body appends, or `otherwise` if the system refused."""
    told: list[bool] = []
    before = time.perf_counter()
    with contextlib.suppress(OSError, ValueError):
        yield told
    took_s = time.perf_counter() - before
    bit = int(told[-1] if told else otherwise)
    print(json.dumps({"channel": name, "hand": hand, word: bit, "s": took_s}), flush=True)


if __name__ == "__main__":
    run(ChannelBot())
