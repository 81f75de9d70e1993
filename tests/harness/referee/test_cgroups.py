"""faults.md, Isolation: what a control group does to a process, where one can be made."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bowerbird.harness.referee.process import cgroups
from bowerbird.harness.referee.process.cgroup_guard import CgroupGuard
from bowerbird.harness.referee.process.cgroups import Cgroup, CgroupFactory, CgroupParent, cpu_ns_in
from bowerbird.harness.referee.process.freezer import CpuMeter, Freezer
from bowerbird.harness.referee.process.procfs import all_processes
from bowerbird.harness.referee.process.supervisor_main import Child, SupervisorProcess
from tests.support.deadline import DEADLINE_S
from tests.support.paths import ROOT

pytestmark = pytest.mark.usefixtures("processes")

SPIN = "while :; do :; done"
MEBIBYTE = 1 << 20
HOLD = f"text=x; while [ ${{#text}} -lt {8 * MEBIBYTE} ]; do text=$text$text; done; while :; do copy=$text; done"
"""Holds some 8 MiB and copies them again and again: a kernel may take away memory that nobody touches. The system
counts memory in steps, so that a process that holds little may show 0."""


def until(condition: Callable[[], object], shown: Callable[[], object] = lambda: "") -> None:
    """Wait at most DEADLINE_S for a condition; fail with what `shown` returns if it does not hold then."""
    deadline = time.monotonic() + DEADLINE_S
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)
    assert condition(), shown()


@pytest.fixture(params=["v2", "v1"])
def factory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> CgroupFactory:
    """Return a factory with a freezer of this version."""
    if request.param == "v1":
        monkeypatch.setattr(cgroups, "_v2_parents", lambda paths, mounts: [])
    found = CgroupFactory.detect()
    name = "freezer.state" if request.param == "v1" else "cgroup.freeze"
    if found is None or not _freezes(found, name):
        pytest.skip(f"no control group has {name} here")
    return found


def _freezes(factory: CgroupFactory, name: str) -> bool:
    group = factory.make(1, 0, 0)
    group.remove()
    return group.freeze_file.endswith(name)


@contextmanager
def running(factory: CgroupFactory, script: str) -> Iterator[tuple[Cgroup, subprocess.Popen[bytes]]]:
    """Run a shell script in a group; kill and remove both."""
    group = factory.make(2, 0, 0)
    with subprocess.Popen([*group.enter_command(), "/bin/sh", "-c", script]) as process:
        try:
            until(lambda: (group.cpu_ns or 0) > 0)
            yield group, process
        finally:
            group.kill()
            process.wait(DEADLINE_S)
            until(group.remove)


def test_a_frozen_process_uses_no_processor_time_until_it_is_thawed(factory: CgroupFactory) -> None:
    with running(factory, SPIN) as (group, process):
        freezer, meter = Freezer(group.freeze_file), CpuMeter(process.pid, group.cpu_file)
        freezer.freeze()
        until(lambda: _state(process.pid) != "R" and meter.read_ns() == _later(meter))
        frozen_ns = meter.read_ns()
        freezer.thaw()
        until(lambda: meter.read_ns() > frozen_ns)
        freezer.close()
        freezer.freeze()
        assert not freezer.is_frozen, "a closed freezer does nothing"
        meter.close(10**18)
        assert meter.read_ns() == 10**18


def _later(meter: CpuMeter) -> int:
    time.sleep(0.02)  # the time in which a process that runs would be charged
    return meter.read_ns()


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_frozen_process_is_killed_with_its_group(factory: CgroupFactory) -> None:
    with running(factory, f"setsid sh -c '{SPIN}' & wait") as (group, process):
        Freezer(group.freeze_file).freeze()
        group.kill()
        process.wait(DEADLINE_S)
        until(group.remove)


def test_a_frozen_process_over_its_memory_limit_is_killed_by_the_watch(factory: CgroupFactory) -> None:
    """A group may freeze without bounding memory."""
    ours, theirs = socket.socketpair()
    with ours, theirs, running(factory, HOLD) as (group, process):
        until(
            lambda: all_processes()[process.pid].resident > MEBIBYTE,
            lambda: f"exit code {process.poll()}\n" + Path(f"/proc/{process.pid}/status").read_text(),
        )
        watch = SupervisorProcess(theirs)
        # Pages that other programs share count in part, so any bound that is not tiny could hold.
        watch._children[process.pid] = Child(1, process, False, group, watched_bytes=1, scratch=())
        Freezer(group.freeze_file).freeze()

        def is_killed() -> bool:
            watch._check_memory()
            return process.poll() == -signal.SIGKILL

        until(is_killed)


def test_parents_that_show_the_same_groups_are_not_used_together(
    factory: CgroupFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two mount points of one hierarchy work alone, but a group cannot be made in both."""
    found = cgroups._find_parents()
    monkeypatch.setattr(cgroups, "_find_parents", lambda: [*found, found[0]])
    doubled = CgroupFactory.detect()
    assert doubled is not None
    with running(doubled, SPIN):
        assert doubled.own_groups == factory.own_groups


def test_a_parent_that_hinders_an_earlier_one_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    first, broken, rival, last = (CgroupParent(Path(name), False, frozenset()) for name in ("a", "b", "c", "d"))
    monkeypatch.setattr(
        cgroups, "_work", lambda parents: broken not in parents and not (first in parents and rival in parents)
    )
    assert cgroups._working_parents([first, broken, rival, last]) == [first, last]
    assert cgroups._working_parents([rival, last]) == [rival, last]
    assert cgroups._working_parents([broken]) == []


def test_the_guard_ends_what_is_left_when_its_pipe_ends(factory: CgroupFactory) -> None:
    guard = CgroupGuard(factory.own_groups)
    with running(factory, SPIN) as (group, process):
        Freezer(group.freeze_file).freeze()
        guard.close()
        process.wait(DEADLINE_S)
        until(lambda: not Path(group.freeze_file).exists())


LEAVE_FROZEN = """
import os, signal, subprocess, sys
from bowerbird.harness.referee.process import cgroups
from bowerbird.harness.referee.process.freezer import Freezer
if sys.argv[1] == "freezer.state":
    cgroups._v2_parents = lambda paths, mounts: []
group = cgroups.CgroupFactory.detect().make(1, 0, 0)
silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
process = subprocess.Popen([*group.enter_command(), "sleep", "600"], **silent)
while not group.cpu_ns:
    pass
Freezer(group.freeze_file).freeze()
print(process.pid, group.freeze_file, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_frozen_processes_of_a_killed_supervisor_are_ended_by_the_next(factory: CgroupFactory) -> None:
    with running(factory, SPIN) as (group, _):
        version = os.path.basename(group.freeze_file)
    left = subprocess.run(
        [sys.executable, "-c", LEAVE_FROZEN, version], cwd=ROOT, capture_output=True, text=True, check=False
    )
    pid, freeze_file = left.stdout.split()
    assert left.returncode == -signal.SIGKILL
    assert Path("/proc", pid).exists(), "if this fails the test has lost its point"
    until(lambda: CgroupFactory.detect() is not None and not Path(freeze_file).exists())


def test_all_groups_weigh_the_same(factory: CgroupFactory) -> None:
    group = factory.make(3, 0, 0)
    weights = {
        (folder / name).read_text().strip()
        for folder in group._folders
        for name in ("cpu.shares", "cpu.weight")
        if (folder / name).exists()
    }
    assert group.remove()
    assert weights <= {str(cgroups.CPU_SHARES), str(cgroups.CPU_WEIGHT)}
    if not weights:
        pytest.skip("there is no cpu controller here")


@pytest.mark.parametrize(
    ("content", "ns"), [(b"123456\n", 123456), (b"usage_usec 7\nuser_usec 5\nsystem_usec 2\n", 7000)]
)
def test_both_versions_of_a_counter_are_read(content: bytes, ns: int) -> None:
    assert cpu_ns_in(content) == ns


def test_a_file_that_counts_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        cpu_ns_in(b"nr_periods 0\n")
