"""Control groups that bound the memory and the number of processes of a bot (Linux, cgroup version 2 or 1).

They are made beside or below the referee's own group, where the system allows it. A shell enters the group and then
execs the bot, so every process that the bot starts is inside.
Standard library only: the supervisor process imports it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PREFIX = "bowerbird-"
_TRIAL_S = 5.0
_ENTER = 'while [ "$1" != -- ]; do echo 0 > "$1" || exit 125; shift; done; shift; exec "$@"'
"""A shell script that enters the groups named before "--" and execs the command after it."""


@dataclass(frozen=True, slots=True)
class CgroupParent:
    """A folder of a cgroup file system in which groups can be made, and the controllers that they have.

    `is_v2` tells version 2 of the file system from version 1.
    """

    folder: Path
    is_v2: bool
    controllers: frozenset[str]

    def settings(self, memory_bytes: int, processes: int) -> Iterator[tuple[str, str, bool]]:
        """Yield file, value and whether the file must exist, in the order of writing."""
        if "memory" in self.controllers:
            if self.is_v2:
                yield "memory.max", str(memory_bytes), True
                yield "memory.swap.max", "0", False
                yield "memory.oom.group", "1", False
            else:
                yield "memory.limit_in_bytes", str(memory_bytes), True
                yield "memory.memsw.limit_in_bytes", str(memory_bytes), False
        if "pids" in self.controllers:
            yield "pids.max", str(processes), True


class Cgroup:
    """The groups of one process of a bot and its descendants: one group in each hierarchy that is used."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Represent groups that exist."""
        self._folders = folders

    def enter_command(self) -> list[str]:
        """Return the prefix of a command that runs it in the groups."""
        return ["/bin/sh", "-c", _ENTER, "sh", *(str(folder / "cgroup.procs") for folder in self._folders), "--"]

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether the system killed a process of the groups because they reached their memory bound."""
        for folder in self._folders:
            for name in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    if any(_counts_kills(line) for line in (folder / name).read_text().splitlines()):
                        return True
        return False

    def kill(self) -> None:
        """Kill every process in the groups, in whatever session it runs."""
        for folder in self._folders:
            with contextlib.suppress(OSError):
                for pid in (folder / "cgroup.procs").read_text().split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)

    def remove(self) -> bool:
        """Remove the groups; return False while a process in them has not ended yet."""
        return [folder for folder in self._folders if not _remove(folder)] == []


class CgroupFactory:
    """Makes groups in parents that were tried. Use `detect`."""

    def __init__(self, parents: Sequence[CgroupParent]) -> None:
        """Make groups in `parents`, which must work."""
        self._parents = parents

    @classmethod
    def detect(cls) -> CgroupFactory | None:
        """Find the parents for this process, and try each with a process; return None if none can bound memory."""
        parents = [parent for parent in _find_parents() if _works(parent)]
        if not any("memory" in parent.controllers for parent in parents):
            return None
        for parent in parents:
            _remove_stale_groups(parent.folder)
        return cls(parents)

    def make(self, number: int, memory_bytes: int, processes: int) -> Cgroup:
        """Make a group of at most `processes` processes and threads; `number` names it. Raises OSError."""
        name = f"{_PREFIX}{os.getpid()}-{number}"
        return Cgroup([_make_group(parent, name, memory_bytes, processes) for parent in self._parents])


def _make_group(parent: CgroupParent, name: str, memory_bytes: int, processes: int) -> Path:
    folder = parent.folder / name
    folder.mkdir()
    try:
        for file, value, is_required in parent.settings(memory_bytes, processes):
            try:
                (folder / file).write_text(value)
            except OSError:
                if is_required:
                    raise
    except OSError:
        folder.rmdir()
        raise
    return folder


def _works(parent: CgroupParent) -> bool:
    """Return whether a process can enter a group there. Tries it, since permissions alone do not tell."""
    try:
        cgroup = Cgroup([_make_group(parent, f"{_PREFIX}{os.getpid()}-trial", 1 << 30, 64)])
    except OSError:
        return False
    try:
        argv = [*cgroup.enter_command(), "/bin/sh", "-c", ":"]
        return subprocess.run(argv, capture_output=True, timeout=_TRIAL_S, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        cgroup.kill()
        cgroup.remove()


def _remove_stale_groups(parent: Path) -> None:
    """Remove the empty groups that killed supervisors left behind."""
    for folder in parent.glob(f"{_PREFIX}*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path("/proc", pid).exists():
            _remove(folder)


def _remove(folder: Path) -> bool:
    """Remove a group; return whether it is gone."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _counts_kills(line: str) -> bool:
    name, _, count = line.partition(" ")
    return name == "oom_kill" and count.strip() not in ("", "0")


def _find_parents() -> list[CgroupParent]:
    """Return where /proc says that groups could be made; version 2 before version 1."""
    try:
        own = Path("/proc/self/cgroup").read_text().splitlines()
        mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    except OSError:
        return []
    paths: dict[str, str] = {}
    for line in own:
        number, controllers, path = line.split(":", 2)
        paths.update(dict.fromkeys(controllers.split(",") if number != "0" else [""], path))
    return [*_v2_parents(paths, mounts), *_v1_parents(paths, mounts)]


def _v2_parents(paths: Mapping[str, str], mounts: Sequence[Sequence[str]]) -> list[CgroupParent]:
    """Return the nearest group, from our own upwards, that passes the memory controller to its children."""
    for mount in mounts:
        if mount[mount.index("-") + 1] == "cgroup2" and "" in paths:
            top = Path(mount[4])
            folder = _folder_of(mount, paths[""])
            while folder is not None and (folder == top or top in folder.parents):
                passed_on = _controllers(folder / "cgroup.subtree_control")
                if "memory" in passed_on and os.access(folder, os.W_OK):
                    return [CgroupParent(folder, True, passed_on & {"memory", "pids"})]
                folder = folder.parent
    return []


def _v1_parents(paths: Mapping[str, str], mounts: Sequence[Sequence[str]]) -> list[CgroupParent]:
    """Return our own group in each hierarchy that bounds memory or processes."""
    parents = []
    for mount in mounts:
        kind, _, options = mount[mount.index("-") + 1 :][:3]
        if kind == "cgroup":
            controllers = {"memory", "pids"} & set(options.split(",")) & paths.keys()
            folder = _folder_of(mount, paths[min(controllers)]) if controllers else None
            if folder is not None:
                parents.append(CgroupParent(folder, False, frozenset(controllers)))
    return parents


def _folder_of(mount: Sequence[str], path: str) -> Path | None:
    """Return the folder of group `path`; None if this mount does not show it."""
    root, point = mount[3], mount[4]
    if root not in ("/", path) and not path.startswith(f"{root}/"):
        return None
    folder = Path(point, os.path.relpath(path, root)) if root != "/" else Path(point, path.lstrip("/"))
    return folder if folder.is_dir() else None


def _controllers(file: Path) -> frozenset[str]:
    try:
        return frozenset(file.read_text().split())
    except OSError:
        return frozenset()
