"""Where no control group bounds memory, what the processes of a bot share counts once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bowerbird.harness.referee.process.procfs import all_processes, process_tree, proportional_bytes
from bowerbird.harness.referee.process.supervisor_main import _holds_more

pytestmark = [
    pytest.mark.usefixtures("processes"),
    pytest.mark.skipif(sys.platform != "linux", reason="/proc tells what a process holds"),
]

HELD_MB, CHILDREN, LIMIT_MB = 64, 3, 160
"""What the parent holds, its children, and a limit between that and what all would hold if they shared nothing."""

FAMILY = """
import os, sys
held = bytearray(b"x" * (int(sys.argv[1]) << 20))
for _ in range(int(sys.argv[2])):
    if os.fork() == 0:
        held = bytearray(b"y" * len(held)) if sys.argv[3] == "own" else held
        os.write(1, b".")
        os.read(0, 1)
        os._exit(0)
os.write(1, b".")
os.read(0, 1)
"""


@contextmanager
def family(memory: str) -> Iterator[int]:
    """Yield the pid of a process whose children hold its memory, or as much of their `own`."""
    command = [sys.executable, "-I", "-c", FAMILY, str(HELD_MB), str(CHILDREN), memory]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdin is not None
        assert parent.stdout.read(1 + CHILDREN) == b"." * (1 + CHILDREN)
        yield parent.pid
        parent.stdin.close()  # the end of all


@pytest.mark.parametrize(("memory", "is_over"), [("shared", False), ("own", True)])
def test_what_processes_share_counts_once(memory: str, is_over: bool) -> None:
    with family(memory) as pid:
        processes = all_processes()
        tree = list(process_tree(pid, processes))
        assert len(tree) == 1 + CHILDREN
        assert all(proportional_bytes(one) for one in tree), "the kernel says what each process holds"
        assert sum(processes[one].resident for one in tree) > LIMIT_MB << 20, "by resident sets alone it is over"
        assert _holds_more(pid, LIMIT_MB << 20, (), processes) is is_over


def test_a_process_that_has_ended_holds_nothing_that_anybody_knows() -> None:
    with subprocess.Popen([sys.executable, "-I", "-c", ""]) as ended:
        ended.wait()
    assert proportional_bytes(ended.pid) is None
