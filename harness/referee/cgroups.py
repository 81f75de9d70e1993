"""Control groups that bound the memory and the number of processes of a bot (Linux, version 2 or 1).

They are made beside or below the group in which the referee itself runs, where the system lets us. A process is put
into its group by a shell that execs it, so that nothing it starts is ever outside. Standard library only: the
launcher process uses it.
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
"""A shell that writes itself into the groups named before "--", and becomes the command behind it."""


@dataclass(frozen=True, slots=True)
class Site:
    """A folder of a control group file system in which groups can be made, and what they bound."""

    folder: Path
    unified: bool
    controllers: frozenset[str]

    def settings(self, memory: int, processes: int) -> Iterator[tuple[str, str, bool]]:
        """File, value and whether the file must be there, in the order of writing."""
        if "memory" in self.controllers:
            if self.unified:
                yield "memory.max", str(memory), True
                yield "memory.swap.max", "0", False
                yield "memory.oom.group", "1", False
            else:
                yield "memory.limit_in_bytes", str(memory), True
                yield "memory.memsw.limit_in_bytes", str(memory), False
        if "pids" in self.controllers:
            yield "pids.max", str(processes), True


class Group:
    """The groups of one process of a bot and of all that it starts, one in each hierarchy that is used."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Groups that were made."""
        self._folders = folders

    def entering(self) -> list[str]:
        """The words before a command that put it into the groups."""
        return ["/bin/sh", "-c", _ENTER, "sh", *(str(folder / "cgroup.procs") for folder in self._folders), "--"]

    @property
    def ran_out_of_memory(self) -> bool:
        """Whether the system ended a process for want of memory within the bound."""
        for folder in self._folders:
            for name in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    if any(_counts_kills(line) for line in (folder / name).read_text().splitlines()):
                        return True
        return False

    def kill(self) -> None:
        """Kill whatever is in the groups, sessions of their own or not."""
        for folder in self._folders:
            with contextlib.suppress(OSError):
                for pid in (folder / "cgroup.procs").read_text().split():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(pid), signal.SIGKILL)

    def remove(self) -> bool:
        """Remove the groups; False while something in them has not ended yet."""
        return [folder for folder in self._folders if not _removed(folder)] == []


class Groups:
    """Makes groups at the sites that were found."""

    def __init__(self, sites: Sequence[Site]) -> None:
        """Sites that work."""
        self._sites = sites

    @classmethod
    def find(cls) -> Groups | None:
        """The sites of this process, tried with a process in a group; None where memory cannot be bounded so."""
        sites = [site for site in _sites() if _works(site)]
        if not any("memory" in site.controllers for site in sites):
            return None
        for site in sites:
            _remove_left_overs(site.folder)
        return cls(sites)

    def make(self, number: int, memory: int, processes: int) -> Group:
        """A new group of at most `memory` bytes and `processes` processes and threads. Raises OSError."""
        return Group([_made(site, f"{_PREFIX}{os.getpid()}-{number}", memory, processes) for site in self._sites])


def _made(site: Site, name: str, memory: int, processes: int) -> Path:
    folder = site.folder / name
    folder.mkdir()
    try:
        for file, value, required in site.settings(memory, processes):
            try:
                (folder / file).write_text(value)
            except OSError:
                if required:
                    raise
    except OSError:
        folder.rmdir()
        raise
    return folder


def _works(site: Site) -> bool:
    """Whether a process can be put into a group there: permissions alone do not tell."""
    try:
        group = Group([_made(site, f"{_PREFIX}{os.getpid()}-trial", 1 << 30, 64)])
    except OSError:
        return False
    try:
        argv = [*group.entering(), "/bin/sh", "-c", ":"]
        return subprocess.run(argv, capture_output=True, timeout=_TRIAL_S, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        group.kill()
        group.remove()


def _remove_left_overs(folder: Path) -> None:
    """Groups of launchers that were killed stay behind, empty."""
    for group in folder.glob(f"{_PREFIX}*"):
        pid = group.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path("/proc", pid).exists():
            _removed(group)


def _removed(folder: Path) -> bool:
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


def _sites() -> list[Site]:
    """Where groups with these controllers could be made, as /proc says; version 2 before version 1."""
    try:
        own = Path("/proc/self/cgroup").read_text().splitlines()
        mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    except OSError:
        return []
    paths: dict[str, str] = {}
    for line in own:
        number, names, path = line.split(":", 2)
        paths.update(dict.fromkeys(names.split(",") if number != "0" else [""], path))
    return [*_unified_sites(paths, mounts), *_named_sites(paths, mounts)]


def _unified_sites(paths: Mapping[str, str], mounts: Sequence[Sequence[str]]) -> list[Site]:
    """The nearest group of version 2, from our own upwards, that hands memory on to its children."""
    for mount in mounts:
        if mount[mount.index("-") + 1] == "cgroup2" and "" in paths:
            top = Path(mount[4])
            folder = _below(mount, paths[""])
            while folder is not None and (folder == top or top in folder.parents):
                handed_on = _controllers(folder / "cgroup.subtree_control")
                if "memory" in handed_on and os.access(folder, os.W_OK):
                    return [Site(folder, True, handed_on & {"memory", "pids"})]
                folder = folder.parent
    return []


def _named_sites(paths: Mapping[str, str], mounts: Sequence[Sequence[str]]) -> list[Site]:
    """Our own group in each hierarchy of version 1 that bounds memory or processes."""
    sites = []
    for mount in mounts:
        kind, _, options = mount[mount.index("-") + 1 :][:3]
        if kind == "cgroup":
            named = {"memory", "pids"} & set(options.split(",")) & paths.keys()
            folder = _below(mount, paths[min(named)]) if named else None
            if folder is not None:
                sites.append(Site(folder, False, frozenset(named)))
    return sites


def _below(mount: Sequence[str], path: str) -> Path | None:
    """Where the group `path` is seen, if this mount shows it."""
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
