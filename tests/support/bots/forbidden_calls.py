"""A program that makes system calls which the sandbox refuses, and prints which of them worked.

    forbidden_calls.py attempts NUMBERS     try what each attempt is for; print the names of those that worked
    forbidden_calls.py sweep EXPECTED       make bare calls; print those that did not fail as expected
    forbidden_calls.py interrupt {}         make a call as a 32-bit program; print its result

NUMBERS is a JSON object of names and numbers of system calls. EXPECTED is a JSON list of [number, arguments, errno], an
errno of 0 for success. Both print one JSON list. Uses only the standard library, so that any user can run it.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import mmap
import os
import signal
import socket
import struct
import sys
import tempfile
from collections.abc import Callable, Mapping

PAGE = mmap.PAGESIZE
AT_FDCWD = -100
F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ, F_SET_RW_HINT = 1024, 1026, 1031, 1036
CLONE_NEWUSER = 0x10000000
RWF_NOWAIT = 8
IPC_CREAT = 0o1000
FAMILIES = {
    "AF_ALG": 38,
    "AF_BLUETOOTH": 31,
    "AF_KEY": 15,
    "AF_PACKET": 17,
    "AF_TIPC": 30,
    "AF_VSOCK": 40,
    "AF_XDP": 44,
}

Attempt = Callable[[], object]


class Kernel:
    """Makes system calls by number."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = numbers
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.syscall.restype = ctypes.c_long

    def named(self, name: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
        """Make the call, and raise OSError if it fails."""
        result = self.numbered(self._numbers[name], *arguments)
        if result < 0:
            raise OSError(-result, os.strerror(-result), name)
        return result

    def numbered(self, number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
        """Return the result, or minus the errno."""
        words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
        result = int(self._libc.syscall(ctypes.c_long(number), *words))
        return -ctypes.get_errno() if result == -1 else result


def attempts(kernel: Kernel) -> dict[str, Attempt]:
    """Return what to try, by name. Each function raises OSError if the system refuses."""
    call = kernel.named
    file = os.open(__file__, os.O_RDONLY)
    own_file, place = tempfile.mkstemp()  # only the owner of a file may say how it is written
    os.unlink(place)
    _, write_pipe = os.pipe()
    space = ctypes.create_string_buffer(4096)
    vector = struct.pack("PN", ctypes.addressof(space), 16)
    name = struct.pack("I", 128) + bytes(132)
    tried: dict[str, Attempt] = {
        "clone into a user namespace": lambda: _clone(call, CLONE_NEWUSER),
        "mincore": lambda: call(
            "mincore", ctypes.addressof(space) // PAGE * PAGE, PAGE, ctypes.create_string_buffer(2)
        ),
        "cachestat": lambda: call("cachestat", file, struct.pack("QQ", 0, 0), ctypes.create_string_buffer(64), 0),
        "RWF_NOWAIT": lambda: call("preadv2", file, vector, 1, 0, 0, RWF_NOWAIT),
        "move_pages": lambda: call("move_pages", 0, 1, struct.pack("P", ctypes.addressof(space)), None, bytes(8), 0),
        "process_madvise": lambda: call("process_madvise", os.pidfd_open(os.getpid()), vector, 1, 20, 0),
        "write hint": lambda: fcntl.fcntl(own_file, F_SET_RW_HINT, struct.pack("Q", 2)),
        "lease": lambda: fcntl.fcntl(file, F_SETLEASE, fcntl.F_RDLCK),
        "directory watch": _watch_directory,
        "pipe size": lambda: fcntl.fcntl(write_pipe, F_SETPIPE_SZ, 1 << 17),
        "inotify": lambda: call("inotify_add_watch", call("inotify_init1", 0), b"/", 0x20),
        "file handle": lambda: call("name_to_handle_at", AT_FDCWD, b"/", name, bytes(4), 0),
        "join a keyring": lambda: call("keyctl", 1, None),
        "add a key": lambda: call("add_key", b"user", b"forbidden", b"x", 1, -2),
        "System V memory": lambda: call("shmctl", call("shmget", 0, PAGE, IPC_CREAT | 0o600), 0, None),
        "System V semaphores": lambda: call("semctl", call("semget", 0, 1, IPC_CREAT | 0o600), 0, 0),
        "System V messages": lambda: call("msgctl", call("msgget", 0, IPC_CREAT | 0o600), 0, None),
        "POSIX messages": lambda: _posix_queue(call),
        "io_uring": lambda: call("io_uring_setup", 1, ctypes.create_string_buffer(120)),
        "asynchronous reads": lambda: call("io_setup", 1, ctypes.create_string_buffer(8)),
        "bpf": lambda: call("bpf", 0, struct.pack("IIIII", 2, 4, 4, 1, 0) + bytes(100), 120),
        "perf": lambda: call("perf_event_open", struct.pack("IIQ", 1, 112, 0) + bytes(96), 0, -1, -1, 0),
        "userfaultfd": lambda: call("userfaultfd", 1),
        "process_vm_readv": lambda: call("process_vm_readv", os.getpid(), vector, 1, vector, 1, 0),
        "kcmp": lambda: call("kcmp", os.getpid(), os.getpid(), 0, file, file),
        "pidfd_getfd": lambda: call("pidfd_getfd", os.pidfd_open(os.getpid()), file, 0),
        "fsopen": lambda: call("fsopen", b"tmpfs", 0),
        "open_tree": lambda: call("open_tree", AT_FDCWD, b"/", 1),
        "vmsplice": lambda: call("vmsplice", write_pipe, vector, 1, 0),
        "memfd_secret": lambda: call("memfd_secret", 0),
        "personality": lambda: call("personality", 0x0400000),
        "merging of equal pages": lambda: call("prctl", 67, 1, 0, 0, 0),
        "another filter": lambda: call("seccomp", 2, 0, bytes(4)),
        "raw socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close(),
        "socket diagnosis": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4).close(),
        "ptrace": lambda: call("ptrace", 0, 0, 0, 0),
        "unshare": lambda: call("unshare", CLONE_NEWUSER),
    }
    families = {name: _opens(family) for name, family in FAMILIES.items()}
    return {**families, **tried}


def _opens(family: int) -> Attempt:
    return lambda: socket.socket(
        family, socket.SOCK_STREAM if family == FAMILIES["AF_VSOCK"] else socket.SOCK_RAW
    ).close()


def _clone(call: Callable[..., int], flags: int) -> None:
    pid = call("clone", flags | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _watch_directory() -> None:
    """Watch a directory, and stop: the signal of a watch, though ignored, stops a program that ptrace follows."""
    directory = os.open("/", os.O_RDONLY)
    try:
        fcntl.fcntl(directory, F_NOTIFY, 1)
    finally:
        os.close(directory)


def _posix_queue(call: Callable[..., int]) -> None:
    name = b"forbidden-%d" % os.getpid()
    call("mq_open", name, os.O_CREAT | os.O_RDWR, 0o600, None)
    call("mq_unlink", name)


def works(attempt: Attempt) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def by_interrupt() -> int:
    """Return what getpid says through the interrupt of 32-bit programs (x86): minus an errno, or -4096 if that
    kills."""
    getpid = b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3"
    code = mmap.mmap(-1, PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(getpid)
    place = ctypes.addressof(ctypes.c_char.from_buffer(code))
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writer, b"%d" % ctypes.CFUNCTYPE(ctypes.c_int)(place)())
        os._exit(0)
    os.close(writer)
    _, status = os.waitpid(pid, 0)
    said = os.read(reader, 20)
    return int(said) if status == 0 else -4096


def main() -> None:
    """Do what the first argument says."""
    mode, given = sys.argv[1], json.loads(sys.argv[2])
    if mode == "attempts":
        signal.signal(signal.SIGIO, signal.SIG_IGN)  # a directory watch sends it, and it would end the program
        print(json.dumps([name for name, attempt in attempts(Kernel(given)).items() if works(attempt)]))
        return
    if mode == "interrupt":
        print(json.dumps([by_interrupt()]))
        return
    kernel = Kernel({})
    answers = [(number, arguments, -kernel.numbered(number, *arguments), wanted) for number, arguments, wanted in given]
    wrong = [
        f"{number}{arguments}: {errno.errorcode.get(seen, seen)}, not {errno.errorcode.get(wanted, wanted)}"
        for number, arguments, seen, wanted in answers
        if seen != wanted
    ]
    print(json.dumps(wrong))


if __name__ == "__main__":
    main()
