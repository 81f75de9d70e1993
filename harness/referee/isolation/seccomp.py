"""The system call filter of the sandbox, and how bwrap receives it (faults.md, Isolation).

`syscall_policy` defines the allowed calls; this module turns it into a BPF program. It uses only the standard library,
since the supervisor process imports it.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache

from bowerbird.harness.referee.isolation.syscall_policy import Case, Condition, Decision, Rule, Verdict, syscalls

MAX_INSTRUCTIONS = 4096
"""The kernel's BPF_MAXINSNS."""

LOAD, AND, JUMP, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, RETURN = 0x20, 0x54, 0x05, 0x15, 0x35, 0x06
"""The codes of the instructions used (linux/filter.h)."""

NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
"""Offsets in the kernel's struct seccomp_data. An argument has 8 bytes, lower half first (little endian)."""

_MAX_SKIP = 255
_WORD = 0xFFFFFFFF

_Instruction = tuple[int, int, int, int]
"""Code, skip if the comparison is true, skip if not, value: the order of the kernel's struct sock_filter."""


def compile_filter(architecture: int, decisions: Mapping[int, Decision]) -> bytes:
    """Return the program for the calls with these numbers; all others are unknown.

    architecture: the kernel's number of it (AUDIT_ARCH_*). Raises ValueError if the program is too long.
    """
    program = [
        _load(ARCHITECTURE),
        (JUMP_IF_EQUAL, 1, 0, architecture),
        _return(Verdict.UNKNOWN),
        _load(NUMBER),
        *_search(_ranges(decisions)),
    ]
    if len(program) > MAX_INSTRUCTIONS:
        raise ValueError(f"the filter has {len(program)} instructions; the kernel takes {MAX_INSTRUCTIONS}")
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


def _ranges(decisions: Mapping[int, Decision]) -> list[tuple[int, Decision]]:
    """Return the first number of each range of numbers with the same decision, in order."""
    found: list[tuple[int, Decision]] = []
    for number in range(max(decisions) + 2):
        decision = decisions.get(number, Verdict.UNKNOWN)
        if not found or found[-1][1] != decision:
            found.append((number, decision))
    return found


def _search(ranges: Sequence[tuple[int, Decision]]) -> list[_Instruction]:
    """Return code that finds the range of the loaded number and decides."""
    if len(ranges) == 1:
        return _decide(ranges[0][1])
    middle = len(ranges) // 2
    below, above = _search(ranges[:middle]), _search(ranges[middle:])
    first = ranges[middle][0]
    if len(below) <= _MAX_SKIP:
        return [(JUMP_IF_AT_LEAST, len(below), 0, first), *below, *above]
    return [(JUMP_IF_AT_LEAST, 0, 1, first), (JUMP, 0, 0, len(below)), *below, *above]


def _decide(decision: Decision) -> list[_Instruction]:
    if isinstance(decision, Rule):
        return [*(one for case in decision.cases for one in _case(case)), _return(decision.otherwise)]
    return [_return(decision)]


def _case(case: Case) -> list[_Instruction]:
    """Return code that returns the verdict if all conditions are true, and otherwise falls through."""
    code = [_return(case.verdict)]
    for condition in reversed(case.conditions):
        code = [*_condition(condition, len(code)), *code]
    return code


def _condition(condition: Condition, skip: int) -> list[_Instruction]:
    """Return code that falls through if the condition is true, and otherwise skips `skip` more instructions."""
    offset = FIRST_ARGUMENT + 8 * condition.argument
    masking = [(AND, 0, 0, condition.mask)] if condition.mask != _WORD else []
    *others, last = condition.values
    equal = [(JUMP_IF_EQUAL, len(others) - place, 0, value) for place, value in enumerate(others)]
    code = [_load(offset), *masking, *equal, (JUMP_IF_EQUAL, 0, skip, last)]
    if condition.is_wide:
        code = [_load(offset + 4), (JUMP_IF_EQUAL, 0, len(code) + skip, 0), *code]
    if max(max(one[1], one[2]) for one in code) > _MAX_SKIP:
        raise ValueError(f"a condition on argument {condition.argument} has too many values for the jumps of BPF")
    return code


def _load(offset: int) -> _Instruction:
    return LOAD, 0, 0, offset


def _return(verdict: Verdict) -> _Instruction:
    return RETURN, 0, 0, verdict.value


FILTER_FD = "{seccomp_fd}"
"""The first such argument in a command is replaced by the number of the descriptor with the filter."""

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The machines that have a filter, with the kernel's number for each (AUDIT_ARCH_*)."""


def has_filter() -> bool:
    """Return whether there is a filter for this machine."""
    return os.uname().machine in ARCHITECTURES


@cache
def seccomp_filter(machine: str, *, memory_is_bounded: bool) -> bytes:
    """Return the filter for a machine of `ARCHITECTURES`, in the form that bwrap reads.

    memory_is_bounded: whether a control group limits the bot's memory.
    """
    calls = syscalls(memory_is_bounded=memory_is_bounded)
    decisions = {call.numbers[machine]: call.decision for call in calls if machine in call.numbers}
    return compile_filter(ARCHITECTURES[machine], decisions)


@contextmanager
def passing_filter(argv: Sequence[str], *, memory_is_bounded: bool) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """Put the filter into a file in memory, for a program started during the block.

    Yields the command with the number of the descriptor in place of `FILTER_FD`, and the descriptors that the program
    must inherit, which are none if the command needs no filter.
    """
    if FILTER_FD not in argv:
        yield list(argv), ()
        return
    descriptor = os.memfd_create("seccomp")
    try:
        os.write(descriptor, seccomp_filter(os.uname().machine, memory_is_bounded=memory_is_bounded))
        os.lseek(descriptor, 0, os.SEEK_SET)
        place = list(argv).index(FILTER_FD)
        yield [*argv[:place], str(descriptor), *argv[place + 1 :]], (descriptor,)
    finally:
        os.close(descriptor)
