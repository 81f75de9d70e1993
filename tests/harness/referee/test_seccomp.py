"""The system call filter: its program, interpreted for both machines, and the numbers in its table."""

from __future__ import annotations

import random
import re
from itertools import product
from pathlib import Path

import pytest

from bowerbird.harness.referee.isolation.seccomp import (
    ARCHITECTURES,
    FILTER_FD,
    compile_filter,
    passing_filter,
    seccomp_filter,
)
from bowerbird.harness.referee.isolation.syscall_policy import Case, Condition, Rule, Verdict, syscalls
from tests.support.referee.bpf_interpreter import RETURN, decode, interpret
from tests.support.referee.filtered_calls import by_argument, numbers, whole_calls

MACHINES = sorted(ARCHITECTURES)
FAIL, ALLOW, UNKNOWN = 0x00050000, 0x7FFF0000, 0x00050026
HIGHEST = 600
I386, ARM, X32 = 0x40000003, 0x40000028, 0x40000000
WORDS = (0, 1, 0x21, 0xFFFFFFFF, 1 << 32, 0xFFFFFFFF_FFFFFFFF)
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}

both = pytest.mark.parametrize(("machine", "bounded"), list(product(MACHINES, (True, False))))


@both
def test_every_number_gets_the_answer_of_the_table_whatever_its_arguments_are(machine: str, bounded: bool) -> None:
    program = decode(seccomp_filter(machine, memory_is_bounded=bounded))
    calls = {call.numbers[machine]: call for call in syscalls(memory_is_bounded=bounded) if machine in call.numbers}
    chance = random.Random(0)
    for number in range(HIGHEST + 1):
        decision = calls[number].decision if number in calls else Verdict.UNKNOWN
        if isinstance(decision, Rule):
            continue
        for arguments in [(), *[tuple(chance.choices(WORDS, k=6)) for _ in range(4)]]:
            seen = interpret(program, ARCHITECTURES[machine], number, arguments)
            assert seen == decision.value, f"{calls.get(number)} with {arguments} gets {seen:#x}"


@both
def test_a_call_whose_arguments_decide_gets_the_answer_that_is_written_down_for_them(
    machine: str, bounded: bool
) -> None:
    program = decode(seccomp_filter(machine, memory_is_bounded=bounded))
    for call in by_argument(memory_is_bounded=bounded):
        seen = interpret(program, ARCHITECTURES[machine], numbers(machine)[call.name], call.arguments)
        wanted = ALLOW if call.answer is None else FAIL | call.answer
        assert seen == wanted, f"{call} gets {seen:#x}"


def test_an_answer_is_written_down_for_each_call_whose_arguments_decide() -> None:
    rules = {call.name for call in syscalls(memory_is_bounded=False) if isinstance(call.decision, Rule)}
    assert rules <= {call.name for call in by_argument(memory_is_bounded=False)}


@both
def test_no_call_kills_and_none_of_another_architecture_is_made(machine: str, bounded: bool) -> None:
    program = decode(seccomp_filter(machine, memory_is_bounded=bounded))
    answers = {one.value for one in program if one.code == RETURN}
    assert answers <= {verdict.value for verdict in Verdict}
    assert all(answer == ALLOW or answer & ~0xFFF == FAIL for answer in answers)
    for number in (*range(HIGHEST), -1):
        for other in {I386, ARM, *ARCHITECTURES.values()} - {ARCHITECTURES[machine]}:
            assert interpret(program, other, number) == UNKNOWN
        assert interpret(program, ARCHITECTURES[machine], X32 | number) == UNKNOWN, f"x32 call {number}"


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    header = HEADERS[machine]
    if not header.exists():
        pytest.skip(f"there is no {header} (linux-libc-dev)")
    defined = re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", header.read_text(), re.MULTILINE)
    known = {name: int(number) for name, number in defined}
    renamed = {"newfstatat": "fstatat"} if machine == "aarch64" else {}
    checked = 0
    for name, number in numbers(machine).items():
        if (there := known.get(renamed.get(name, name))) is not None:
            assert number == there, f"{name} is {there} on {machine}"
            checked += 1
    assert checked > 250, f"{header} was read"


@pytest.mark.parametrize("machine", MACHINES)
def test_no_number_of_the_table_stands_for_two_calls(machine: str) -> None:
    names = [call.name for call in syscalls(memory_is_bounded=True)]
    assert len(names) == len(set(names))
    here = numbers(machine)
    assert len(here) == len(set(here.values()))
    assert whole_calls(machine)


def test_a_rule_needs_all_conditions_of_a_case_and_the_first_case_that_fits_decides() -> None:
    rule = Rule(
        (
            Case(Verdict.NO_EFFECT, (Condition(0, (1, 2)), Condition(5, (0x10,), mask=0xF0, is_wide=True))),
            Case(Verdict.ALLOW, (Condition(0, (2, 3)),)),
        ),
        Verdict.REFUSE,
    )
    program = decode(compile_filter(7, {10: rule}))
    last = 0x1F
    seen = [interpret(program, 7, 10, (first, 0, 0, 0, 0, last)) for first in range(5)]
    assert seen == [
        one.value for one in (Verdict.REFUSE, Verdict.NO_EFFECT, Verdict.NO_EFFECT, Verdict.ALLOW, Verdict.REFUSE)
    ]
    wide = interpret(program, 7, 10, (2, 0, 0, 0, 0, 1 << 32 | last))
    assert wide == Verdict.ALLOW.value, "the upper half of a wide argument counts"


def test_a_search_over_long_rules_jumps_further_than_a_conditional_jump_can() -> None:
    long = Rule((Case(Verdict.ALLOW, (Condition(0, tuple(range(200))),)),), Verdict.REFUSE)
    other = Rule((Case(Verdict.ALLOW, (Condition(1, tuple(range(200))),)),), Verdict.NO_EFFECT)
    program = decode(compile_filter(7, {number: other if number % 2 else long for number in range(16)}))
    for number in range(16):
        otherwise = Verdict.NO_EFFECT if number % 2 else Verdict.REFUSE
        assert interpret(program, 7, number, (199, 199)) == ALLOW
        assert interpret(program, 7, number, (200, 200)) == otherwise.value
    assert interpret(program, 7, 16) == UNKNOWN


def test_a_program_that_the_kernel_would_not_take_is_refused() -> None:
    with pytest.raises(ValueError, match="too many values"):
        compile_filter(7, {1: Rule((Case(Verdict.ALLOW, (Condition(0, tuple(range(300))),)),), Verdict.REFUSE)})
    long = {
        n: Rule((Case(Verdict.ALLOW, (Condition(0, tuple(range(n, n + 200))),)),), Verdict.REFUSE) for n in range(30)
    }
    with pytest.raises(ValueError, match="the kernel takes 4096"):
        compile_filter(7, long)


def test_a_command_that_asks_for_no_filter_gets_no_descriptor() -> None:
    with passing_filter(("a", "b"), memory_is_bounded=True) as (argv, descriptors):
        assert (argv, descriptors) == (["a", "b"], ())
    with passing_filter(("a", FILTER_FD), memory_is_bounded=True) as (argv, descriptors):
        assert argv == ["a", str(descriptors[0])]
