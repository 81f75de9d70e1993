"""Compiles decisions about system calls into a classic BPF program for seccomp(2).

The program looks the number of a call up by binary search. It answers calls of another architecture as unknown ones;
the numbers of the x32 interface lie above all others and are unknown, too. For a call that is allowed whatever its
arguments are, the kernel runs the program once and remembers the answer (Linux 5.11 and newer).
Standard library only: the supervisor process imports it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from bowerbird.harness.referee.isolation.syscall_policy import Case, Condition, Decision, Rule, Verdict

MAX_INSTRUCTIONS = 4096
"""BPF_MAXINSNS of the kernel."""

LOAD, AND, JUMP, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, RETURN = 0x20, 0x54, 0x05, 0x15, 0x35, 0x06
"""Codes of the instructions that are used (linux/filter.h)."""

NUMBER, ARCHITECTURE, FIRST_ARGUMENT = 0, 4, 16
"""Offsets in the kernel's struct seccomp_data. An argument takes 8 bytes, its lower half first (little endian)."""

_MAX_SKIP = 255
_WORD = 0xFFFFFFFF

_Instruction = tuple[int, int, int, int]
"""Code, skip if the comparison holds, skip if not, value: the order of the kernel's struct sock_filter."""


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
    """Return the first number of each range of numbers with one decision, in order."""
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
    """Return code that returns the verdict if all conditions hold, and otherwise falls through."""
    code = [_return(case.verdict)]
    for condition in reversed(case.conditions):
        code = [*_condition(condition, len(code)), *code]
    return code


def _condition(condition: Condition, skip: int) -> list[_Instruction]:
    """Return code that falls through if the condition holds, and otherwise skips `skip` more instructions."""
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
