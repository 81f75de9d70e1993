"""Control groups for the processes of bots (Linux, cgroup version 2 or 1; faults.md, Isolation).

A group limits the memory and the number of processes of a bot, gives it a processor weight, counts its processor time
and can freeze it, as far as the system has the controllers. The groups are made beside or below the referee's own
group, if the system allows it. A shell enters them and then execs the bot, so every process that the bot starts is
inside. This module uses only the standard library, since the supervisor process imports it.
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
"""A shell script that enters the groups listed before "--" and execs the command after it."""


CPU_WEIGHT, CPU_SHARES = 100, 1024
"""The weight of each group, in versions 2 and 1: the default, which is the weight of one ordinary task.

So all processes of a bot together weigh as much as one thread of another bot, or of the referee.
"""

FREEZE_FILES = {"cgroup.freeze": (b"1", b"0"), "freezer.state": (b"FROZEN", b"THAWED")}
"""The words that freeze and thaw the processes of a group, by the name of the file in versions 2 and 1.

A frozen process of version 2 can be killed. A frozen process of version 1 dies when it is thawed.
"""

CPU_FILES = ("cpu.stat", "cpuacct.usage")
"""The files that count processor time, in versions 2 and 1 (`cpu_ns_in`)."""

_CONTROLLERS = frozenset({"memory", "pids", "cpu", "cpuacct", "freezer"})


@dataclass(frozen=True, slots=True)
class CgroupParent:
    """A folder of a cgroup file system in which groups can be made, and the controllers that they have.

    `is_v2`: version 2 of the file system, not version 1. Every group of version 2 can be frozen and counts its
        processor time, even without controllers.
    """

    folder: Path
    is_v2: bool
    controllers: frozenset[str]

    def settings(self, memory_bytes: int, processes: int) -> Iterator[tuple[str, str, bool]]:
        """Yield file, value and whether the file must exist, in the order of writing. A limit of 0 means none."""
        if "memory" in self.controllers and memory_bytes:
            if self.is_v2:
                yield "memory.max", str(memory_bytes), True
                yield "memory.swap.max", "0", False
                yield "memory.oom.group", "1", False
            else:
                yield "memory.limit_in_bytes", str(memory_bytes), True
                yield "memory.memsw.limit_in_bytes", str(memory_bytes), False
        if "pids" in self.controllers and processes:
            yield "pids.max", str(processes), True
        if "cpu" in self.controllers:
            yield ("cpu.weight", str(CPU_WEIGHT), True) if self.is_v2 else ("cpu.shares", str(CPU_SHARES), True)

    @property
    def freezes(self) -> bool:
        """Whether its groups can be frozen."""
        return self.is_v2 or "freezer" in self.controllers

    @property
    def counts_cpu(self) -> bool:
        """Whether its groups count processor time."""
        return self.is_v2 or "cpuacct" in self.controllers


class Cgroup:
    """The groups of one process of a bot and its descendants: one group in each hierarchy that is used."""

    def __init__(self, folders: Sequence[Path], freeze_file: str = "", cpu_file: str = "") -> None:
        """Represent existing groups.

        freeze_file: the path of the file that freezes them, with a name of FREEZE_FILES; "" if they cannot be frozen.
        cpu_file: the path of the file that counts their processor time, with a name of CPU_FILES; "" for none.
        """
        self._folders = folders
        self.freeze_file = freeze_file
        self.cpu_file = cpu_file

    def enter_command(self) -> list[str]:
        """Return the prefix of a command that runs it in the groups."""
        return ["/bin/sh", "-c", _ENTER, "sh", *(str(folder / "cgroup.procs") for folder in self._folders), "--"]

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether the system killed a process of the groups because they reached their memory limit."""
        for folder in self._folders:
            for name in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    if any(_counts_kills(line) for line in (folder / name).read_text().splitlines()):
                        return True
        return False

    @property
    def cpu_ns(self) -> int | None:
        """The processor time of all processes that have ever been in the groups; None if it is not counted."""
        try:
            return cpu_ns_in(Path(self.cpu_file).read_bytes()) if self.cpu_file else None
        except OSError:
            return None

    def thaw(self) -> None:
        """Let frozen processes run. Do nothing if the groups are gone or cannot be frozen."""
        with contextlib.suppress(OSError):
            if self.freeze_file:
                Path(self.freeze_file).write_bytes(FREEZE_FILES[os.path.basename(self.freeze_file)][1])

    def kill(self) -> None:
        """Kill every process in the groups, whatever its session, frozen or not."""
        for folder in self._folders:
            _kill_members(folder)
        self.thaw()

    def remove(self) -> bool:
        """Remove the groups; return False while a process in them has not ended."""
        return [folder for folder in self._folders if not _remove(folder)] == []


class CgroupFactory:
    """A maker of groups in tested parents. Use `detect`."""

    def __init__(self, parents: Sequence[CgroupParent]) -> None:
        """Use `parents`, which must work."""
        self._parents = parents

    @classmethod
    def detect(cls) -> CgroupFactory | None:
        """Find the parents for this process, and test them with a process; return None if none works."""
        parents = _working_parents(_find_parents())
        for parent in parents:
            _end_stale_groups(parent.folder)
        return cls(parents) if parents else None

    @property
    def bounds_memory(self) -> bool:
        """Whether its groups enforce a memory limit."""
        return any("memory" in parent.controllers for parent in self._parents)

    @property
    def shares_processors(self) -> bool:
        """Whether its groups have a processor weight."""
        return any("cpu" in parent.controllers for parent in self._parents)

    @property
    def own_groups(self) -> list[str]:
        """The prefix of the path of every group that this process makes, by parent."""
        return [str(parent.folder / f"{_PREFIX}{os.getpid()}-") for parent in self._parents]

    def make(self, number: int, memory_bytes: int, processes: int) -> Cgroup:
        """Make a group of at most `processes` processes and threads; `number` names it. Raises OSError."""
        return _make_groups(self._parents, str(number), memory_bytes, processes)


def cpu_ns_in(content: bytes) -> int:
    """Return the nanoseconds in a file of CPU_FILES. Raises ValueError if there are none."""
    words = content.split()
    if words[:1] == [b"usage_usec"]:
        return int(words[1]) * 1000
    return int(content)


def _make_groups(parents: Sequence[CgroupParent], number: str, memory_bytes: int, processes: int) -> Cgroup:
    name = f"{_PREFIX}{os.getpid()}-{number}"
    folders: list[Path] = []
    try:
        for parent in parents:
            folders.append(_make_group(parent, name, memory_bytes, processes))
    except OSError:
        for folder in folders:
            folder.rmdir()
        raise
    return Cgroup(
        folders,
        next((str(p.folder / name / _freeze_name(p)) for p in parents if p.freezes), ""),
        next((str(p.folder / name / CPU_FILES[not p.is_v2]) for p in parents if p.counts_cpu), ""),
    )


def _freeze_name(parent: CgroupParent) -> str:
    return "cgroup.freeze" if parent.is_v2 else "freezer.state"


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


def _working_parents(found: Sequence[CgroupParent]) -> list[CgroupParent]:
    """Return all parents if they work together, else each parent that works together with the previous ones.

    Parents that work alone may not work together, for example when two mount points show the same groups.
    """
    if _work(found):
        return list(found)
    parents: list[CgroupParent] = []
    for parent in found:
        if _work([*parents, parent]):
            parents.append(parent)
    return parents


def _work(parents: Sequence[CgroupParent]) -> bool:
    """Return whether a process can enter a group in all of them. Tries it, since permissions do not tell."""
    if not parents:
        return False
    try:
        cgroup = _make_groups(parents, "trial", 1 << 30, 64)
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


def _end_stale_groups(parent: Path) -> None:
    """Kill and thaw the processes that killed supervisors left in their groups, and remove empty groups."""
    for folder in parent.glob(f"{_PREFIX}*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path("/proc", pid).exists():
            _kill_members(folder)
            with contextlib.suppress(OSError):
                if (folder / "freezer.state").exists():
                    (folder / "freezer.state").write_bytes(FREEZE_FILES["freezer.state"][1])
            _remove(folder)


def _kill_members(folder: Path) -> None:
    """Kill the processes of a group. A process in another pid namespace has the number 0 and is left alone."""
    with contextlib.suppress(OSError):
        for pid in map(int, (folder / "cgroup.procs").read_text().split()):
            if pid:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


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


def limiting_groups() -> Iterator[Path]:
    """Yield the folders of the groups that limit the memory or the processes of this one: its own, and those above."""
    paths, mounts = _own_groups()
    for mount in mounts:
        kind, _, options = mount[mount.index("-") + 1 :][:3]
        limiting = {"cgroup2": {""}, "cgroup": {"memory", "pids"} & {*options.split(",")}}.get(kind, set())
        known = limiting & paths.keys()
        folder = _folder_of(mount, paths[min(known)]) if known else None
        while folder is not None and folder.is_relative_to(mount[4]):
            yield folder
            folder = folder.parent


def _own_groups() -> tuple[dict[str, str], list[list[str]]]:
    """Return the path of our own group by controller ("" for version 2), and the words of each mount."""
    try:
        own = Path("/proc/self/cgroup").read_text(errors="surrogateescape").splitlines()
        mounted = Path("/proc/self/mountinfo").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return {}, []
    paths: dict[str, str] = {}
    for line in own:
        number, controllers, path = line.split(":", 2)
        paths.update(dict.fromkeys(controllers.split(",") if number != "0" else [""], path))
    return paths, [line.split() for line in mounted]


def _find_parents() -> list[CgroupParent]:
    """Return the places where groups could be made according to /proc; version 2 before version 1."""
    paths, mounts = _own_groups()
    v2 = _v2_parents(paths, mounts)
    needed = _CONTROLLERS - {"freezer", "cpuacct"} if v2 else _CONTROLLERS  # both are built into groups of version 2
    for parent in v2:
        needed -= parent.controllers
    return [*v2, *_v1_parents(paths, mounts, needed)]


def _v2_parents(paths: Mapping[str, str], mounts: Sequence[Sequence[str]]) -> list[CgroupParent]:
    """Return the nearest group, from our own upwards, that passes the memory controller to its children.

    If none does, as where version 1 has the controllers, return our own group, which can still freeze.
    """
    for mount in mounts:
        if mount[mount.index("-") + 1] == "cgroup2" and "" in paths:
            top = Path(mount[4])
            own = folder = _folder_of(mount, paths[""])
            while folder is not None and (folder == top or top in folder.parents):
                passed_on = _controllers(folder / "cgroup.subtree_control")
                if "memory" in passed_on and os.access(folder, os.W_OK):
                    return [CgroupParent(folder, True, passed_on & _CONTROLLERS)]
                folder = folder.parent
            if own is not None and os.access(own, os.W_OK):
                return [CgroupParent(own, True, _controllers(own / "cgroup.subtree_control") & _CONTROLLERS)]
    return []


def _v1_parents(
    paths: Mapping[str, str], mounts: Sequence[Sequence[str]], needed: frozenset[str]
) -> list[CgroupParent]:
    """Return our own group in each hierarchy that has one of the `needed` controllers."""
    parents = []
    for mount in mounts:
        kind, _, options = mount[mount.index("-") + 1 :][:3]
        if kind == "cgroup":
            controllers = needed & set(options.split(",")) & paths.keys()
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
