"""What a bot cannot do with the kernel: rows 36 and 43 of faults.md, and the memory that no process maps of row 38.

Each attempt is also made without isolation, where it must succeed: an attempt that cannot succeed proves nothing.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import bowerbird.harness.referee.process.supervisor_handle
from bowerbird.harness.referee.isolation.sandbox import Sandbox
from bowerbird.harness.referee.isolation.seccomp import has_filter
from bowerbird.harness.referee.isolation.syscall_policy import Verdict
from tests.support.bots.built_bots import programs_of, ready
from tests.support.bots.hostile_syscalls import FORBIDDEN_CALLS
from tests.support.command.ordinary_command import can_run_as_another
from tests.support.command.ordinary_sandbox import run_python_in_ordinary_sandbox
from tests.support.paths import ROOT
from tests.support.referee.fault_matrix import Seen
from tests.support.referee.filtered_calls import by_argument, numbers, whole_calls
from tests.support.referee.isolated import finish, in_folder, play_beside_honest_bots, printed, require
from tests.support.referee.supervisor_programs import ONE_KEYRING, PROGRAM, UNGROUPED
from tests.support.referee.tables import bot, conditions, play, running, table

pytestmark = [
    pytest.mark.skipif(not has_filter(), reason="this machine has no system call filter"),
]

EVERYWHERE = {
    "mincore",
    "move_pages",
    "RWF_NOWAIT",
    "join a keyring",
    "add a key",
    "System V memory",
    "System V semaphores",
    "System V messages",
    "inotify",
    "directory watch",
    "write hint",
    "ptrace",
    "process_vm_readv",
    "socket diagnosis",
}
"""Attempts that work on every Linux for everybody."""

MEMORY_MB = 96
OVER = f"signal 9 (SIGKILL) for using more than its memory_mb = {MEMORY_MB}"
X32 = 0x40000000
PROBES = {335, 336} if os.uname().machine == "x86_64" else set()
"""uretprobe and uprobe: the kernel does not ask a filter about them. They end a process that it does not trace."""

STARTERS = sorted((ROOT / "bots" / "starters").iterdir())

needs_ordinary_user = pytest.mark.skipif(
    not can_run_as_another(), reason="needs root, setpriv and an interpreter that another user can run"
)


@pytest.mark.row(43)
@pytest.mark.parametrize("tier", ["sandbox", "none"])
def test_calls_that_no_bot_needs_are_refused_and_the_bot_plays_on(tmp_path: Path, seen: Seen, tier: str) -> None:
    records = play_beside_honest_bots(bot("bad", "trespasses", "0"), tmp_path, tier)
    assert [record.faults for record in records] == [(), ()], "nothing kills"
    worked = printed(tmp_path, "worked")
    assert len(worked) == 2, "both instances have tried"
    if tier == "none":
        assert set(worked[0]) >= EVERYWHERE, f"these did not work without isolation: {EVERYWHERE - set(worked[0])}"
        return
    assert worked == [[], []]
    seen("none of the attempts worked, and none killed")


@pytest.mark.row(43)
@needs_ordinary_user
def test_the_sandbox_of_an_ordinary_user_refuses_the_same(seen: Seen) -> None:
    attempts = ["attempts", json.dumps(numbers(os.uname().machine))]
    done = run_python_in_ordinary_sandbox(FORBIDDEN_CALLS, attempts, memory_is_bounded=False)
    if done.returncode != 0 and "namespace" in done.stderr:
        pytest.skip(f"this system lets nobody make user namespaces: {done.stderr.strip()}")
    assert (done.returncode, done.stdout.split("\n")[0]) == (0, "[]"), done.stderr
    seen("as an ordinary user: the same")


def refused_calls(*, memory_is_bounded: bool) -> list[tuple[int, Sequence[int], int]]:
    """Return number, arguments and errno of every call that the kernel of this machine must not see."""
    machine = os.uname().machine
    here = numbers(machine)
    whole = [
        (number, (), verdict.value & 0xFFF)
        for number, verdict in whole_calls(machine).items()
        if verdict != Verdict.ALLOW
    ]
    named = {*whole_calls(machine), *here.values()}
    free = [number for number in range(600) if number not in named | PROBES]
    above = [X32 | number for number in range(600)] if machine == "x86_64" else []
    unknown = [(number, (), Verdict.UNKNOWN.value & 0xFFF) for number in [*free, *above]]
    by_value = [
        (here[call.name], call.arguments, call.answer)
        for call in by_argument(memory_is_bounded=memory_is_bounded)
        if call.answer is not None
    ]
    return [*whole, *unknown, *by_value]


@pytest.mark.row(43)
@pytest.mark.parametrize("memory_is_bounded", [True, False])
def test_the_kernel_answers_as_the_table_says(tmp_path: Path, seen: Seen, memory_is_bounded: bool) -> None:
    require("sandbox")
    calls = refused_calls(memory_is_bounded=memory_is_bounded)
    assert in_sandbox(tmp_path, "sweep", json.dumps(calls), memory_is_bounded=memory_is_bounded) == []
    seen(f"{len(calls)} bare calls got the errno of the table")


@pytest.mark.row(43)
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="only x86_64 has the interrupt of 32-bit programs")
def test_a_call_of_a_32_bit_program_is_unknown_and_does_not_kill(tmp_path: Path) -> None:
    require("sandbox")
    argv = [sys.executable, str(FORBIDDEN_CALLS), "interrupt", "{}"]
    [outside] = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
    if outside < 0:
        pytest.skip("this kernel runs no 32-bit programs")
    assert in_sandbox(tmp_path, "interrupt", "{}") == [-38]


def in_sandbox(folder: Path, *arguments: str, memory_is_bounded: bool = True) -> list[str | int]:
    """Run forbidden_calls.py in a sandbox; return what it prints."""
    program = folder / FORBIDDEN_CALLS.name
    program.write_bytes(FORBIDDEN_CALLS.read_bytes())
    command = (sys.executable, program.name, *arguments)
    launch = Sandbox().launch(in_folder(folder, *command), {})
    done = finish(launch, memory_is_bounded=memory_is_bounded)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert isinstance(said, list)
    return said


@pytest.mark.row(43)
@pytest.mark.parametrize(
    "program", [PROGRAM, pytest.param(UNGROUPED, marks=pytest.mark.long)], ids=["with a control group", "without"]
)
@pytest.mark.parametrize(
    "folder", [pytest.param(one, id=one.name, marks=pytest.mark.toolchain(*programs_of(one))) for one in STARTERS]
)
def test_a_bot_in_each_language_plays_in_the_sandbox(
    tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, folder: Path, program: str
) -> None:
    require("sandbox")
    monkeypatch.setattr(bowerbird.harness.referee.process.supervisor_handle, "PROGRAM", program)
    starter = ready(folder)
    records, _ = play([table([starter.name] * 4)], [starter], tmp_path, made=conditions(isolation="sandbox"))
    assert [record.faults for record in records] == [()]
    seen(f"{folder.name} plays")


@pytest.mark.row(36)
@pytest.mark.parametrize(
    ("tier", "program"), [("sandbox", PROGRAM), ("limits", PROGRAM), ("none", PROGRAM), ("none", ONE_KEYRING)]
)
def test_no_bot_hears_another_through_a_keyring(
    tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, tier: str, program: str
) -> None:
    """The session keyring of each process is its own in every tier; the sandbox has no keyrings at all."""
    monkeypatch.setattr(bowerbird.harness.referee.process.supervisor_handle, "PROGRAM", program)
    records = play_beside_honest_bots(bot("bad", "keyrings", "0", "--every"), tmp_path, tier)
    assert [record.faults for record in records] == [(), ()]
    heard, keyrings_seen = printed(tmp_path, "heard"), printed(tmp_path, "keyring")
    if tier == "sandbox":
        assert not heard
        assert printed(tmp_path, "refused")
        seen("sandbox: add_key, request_key and keyctl are refused")
        return
    assert len(heard) > 2, "both instances have listened"
    if program == ONE_KEYRING:
        assert any(heard), "processes with one keyring hear each other"
        return
    assert not any(heard)
    assert len({keyring for [keyring] in keyrings_seen}) == 2, "each instance has a keyring of its own"
    seen(f"{tier}: two instances, two session keyrings, no key heard")


@pytest.mark.row(38)
@pytest.mark.parametrize(("tier", "program"), [("sandbox", PROGRAM), ("sandbox", UNGROUPED), ("none", PROGRAM)])
def test_memory_that_no_process_maps_is_counted_or_cannot_be_had(
    tmp_path: Path, seen: Seen, monkeypatch: pytest.MonkeyPatch, tier: str, program: str
) -> None:
    monkeypatch.setattr(bowerbird.harness.referee.process.supervisor_handle, "PROGRAM", program)
    bad = bot("bad", "holds", "0", HOLD_MB="64" if tier == "none" else "4096")
    records = play_beside_honest_bots(dataclasses.replace(bad, memory_mb=MEMORY_MB), tmp_path, tier)
    held = printed(tmp_path, "held")
    assert not running(tmp_path)
    assert records[1].faults == (), "only that bot dies"
    if tier == "none":
        assert held == [["memfd 64 MiB", "mapping 64 MiB", "/dev/zero 64 MiB"]] * 2
    elif records[0].faults:
        assert program == PROGRAM
        assert {(fault.kind, fault.detail) for fault in records[0].faults} == {("CRASHED", OVER)}
        seen(f"with a control group: CRASHED: {OVER}")
    else:
        assert held == [[], []]
        seen("without a control group: no memfd and no shared anonymous memory can be had")
