"""An interpreter of classic BPF programs for seccomp(2), with the checks that the kernel makes of a program."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

LOAD, AND, JUMP, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, RETURN = 0x20, 0x54, 0x05, 0x15, 0x35, 0x06
MAX_INSTRUCTIONS = 4096
SECCOMP_DATA = "<iIQ6Q"
"""The kernel's struct seccomp_data: number, architecture, instruction pointer, six arguments."""


@dataclass(frozen=True, slots=True)
class Instruction:
    code: int
    if_true: int
    if_false: int
    value: int


def decode(program: bytes) -> list[Instruction]:
    """Return the instructions of a program. Fails if the kernel would not accept it, or if its end can be passed."""
    assert len(program) % 8 == 0
    found = []
    for code, if_true, if_false, value in struct.iter_unpack("<HBBI", program):
        found.append(Instruction(code, if_true, if_false, value))
    assert 0 < len(found) <= MAX_INSTRUCTIONS
    for place, one in enumerate(found):
        assert one.code in (LOAD, AND, JUMP, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, RETURN), f"instruction {place}: {one}"
        furthest = one.value if one.code == JUMP else max(one.if_true, one.if_false)
        assert one.code == RETURN or place + 1 + furthest < len(found), f"instruction {place} passes the end: {one}"
        assert one.code != LOAD or (one.value % 4 == 0 and one.value < struct.calcsize(SECCOMP_DATA)), f"{place}: {one}"
    return found


def interpret(program: Sequence[Instruction], architecture: int, number: int, arguments: Sequence[int] = ()) -> int:
    """Return what the program answers to a call. Arguments that are not given are 0."""
    data = struct.pack(SECCOMP_DATA, number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    accumulator = place = 0
    while True:
        one = program[place]
        place += 1
        match one.code:
            case 0x20:
                [accumulator] = struct.unpack_from("<I", data, one.value)
            case 0x54:
                accumulator &= one.value
            case 0x05:
                place += one.value
            case 0x15:
                place += one.if_true if accumulator == one.value else one.if_false
            case 0x35:
                place += one.if_true if accumulator >= one.value else one.if_false
            case 0x06:
                return one.value
