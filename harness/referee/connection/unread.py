"""How many bytes wait unread in the Unix sockets that this process has open.

gRPC does not tell the descriptors of its connections, so all descriptors of the process are looked through. Other ways
do not see a bot in a sandbox: its connections belong to the sandbox's network namespace.
"""

from __future__ import annotations

import array
import fcntl
import os
import socket
import stat
import termios
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

DESCRIPTORS = "/dev/fd"


@dataclass(frozen=True, slots=True)
class Unread:
    """The bytes that wait in one connection that was accepted at the Unix socket `path`.

    `inode` tells connections apart.
    """

    path: str
    inode: int
    waiting: int


class OpenSockets:
    """The Unix sockets of this process. Remembers what each is called."""

    def __init__(self) -> None:
        """Look at nothing yet."""
        self._paths: dict[int, str] = {}

    def unread(self) -> tuple[Unread, ...]:
        """Return what waits in each connection to a Unix socket with a path; () where descriptors are not listed."""
        try:
            numbers = [int(name) for name in os.listdir(DESCRIPTORS)]
        except OSError:  # a system without the folder: the other limits hold without this one
            return ()
        seen: dict[int, str] = {}
        found = tuple(self._look(numbers, seen))
        self._paths = seen
        return found

    def _look(self, numbers: list[int], seen: dict[int, str]) -> Iterator[Unread]:
        """Yield what waits in these descriptors; put the path of each socket, also "", into `seen` by its inode."""
        for number in numbers:
            with suppress(OSError):  # it was closed meanwhile
                status = os.fstat(number)
                if not stat.S_ISSOCK(status.st_mode):
                    continue
                path = self._paths.get(status.st_ino)
                if path is None:
                    path = _path_of(number)
                seen[status.st_ino] = path
                if path:
                    waiting = array.array("i", [0])
                    fcntl.ioctl(number, termios.FIONREAD, waiting)
                    yield Unread(path, status.st_ino, waiting[0])


def _path_of(number: int) -> str:
    """Return the path of a connected Unix socket; "" for other sockets. Raises OSError if it is no socket."""
    copy = os.dup(number)
    try:
        opened = socket.socket(fileno=copy)
    except OSError:  # another thread closed it, and its number is that of another file by now
        os.close(copy)
        raise
    with opened as one:
        if one.family != socket.AF_UNIX or one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            return ""
        name = one.getsockname()
        return name if isinstance(name, str) else ""
