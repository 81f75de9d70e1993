"""Messages that a bot may not send, or too many of them (faults.md rows 6 to 9)."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from tests.support.referee.fault_matrix import Seen
from tests.support.referee.offence import offend, tell
from tests.support.referee.tables import bot

MEMORY_LIMIT = 128 << 10
"""The most KiB by which a hostile message may make the referee grow: far less than the bomb or the 100 MB."""


PR_SET_DUMPABLE = 4


def forget_peak() -> int:
    """Reset the peak memory of this process, in which the referee runs, to its present use.

    A referee that ran here before has hidden this process, so that only root could.
    """
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> int:
    """Return the peak memory of this process in KiB since the reset."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


@pytest.mark.row(6)
@pytest.mark.parametrize(
    ("mode", "detail"),
    [
        ("illegal", "action_index 99 of"),
        ("nonsense", "action 'play nonsense'"),
        ("nothing", "neither action_index nor action"),
        ("another", "action 'play X1'"),
        ("unasked", "answered decision 4000000 before it was asked"),
    ],
)
def test_an_answer_that_is_not_legal_is_illegal(tmp_path: Path, seen: Seen, mode: str, detail: str) -> None:
    offence = offend(tmp_path, bot("bad", mode, "1"))
    assert offence.fault.kind == "ILLEGAL"
    assert detail in offence.fault.detail
    assert offence.record.result.ended == "forfeit"
    tell(seen, offence, mode)


@pytest.mark.row(7)
@pytest.mark.parametrize(
    ("mode", "detail"),
    [
        ("malformed", "bytes that are not a PlayRequest"),
        ("hello-again", "said hello a second time"),
        ("gives-up", "the bot reported a failure of its own: out of ideas"),
    ],
)
def test_bytes_out_of_order_break_the_protocol(tmp_path: Path, seen: Seen, mode: str, detail: str) -> None:
    offence = offend(tmp_path, bot("bad", mode, "1"))
    assert offence.fault.kind == "PROTOCOL"
    assert detail in offence.fault.detail
    tell(seen, offence, mode)


@pytest.mark.row(8)
@pytest.mark.parametrize(
    ("arguments", "kind", "detail"),
    [
        (["oversize", "1"], "PROTOCOL", "at most 65536 are allowed"),
        (["huge", "1"], "DISCONNECTED", ""),
        (["bomb", "1", "--gzip"], "PROTOCOL", "at most 65536 are allowed"),
        (["colossal", "1"], "DISCONNECTED", ""),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_a_message_that_is_too_large_costs_no_memory(
    tmp_path: Path, seen: Seen, arguments: list[str], kind: str, detail: str
) -> None:
    """Above 128 KiB gRPC itself refuses it, which looks like leaving. Anything smaller is a PROTOCOL fault."""
    before = forget_peak()
    offence = offend(tmp_path, bot("bad", *arguments))
    grown = peak() - before
    assert offence.fault.kind == kind
    assert detail in offence.fault.detail
    assert grown < MEMORY_LIMIT, f"the referee grew by {grown} KiB"
    tell(seen, offence, f"{arguments[0]}, {grown >> 10} MiB of memory")


@pytest.mark.row(8)
def test_a_small_compressed_message_is_refused_with_the_reason(tmp_path: Path, seen: Seen) -> None:
    offence = offend(tmp_path, bot("bad", "squeezes", "1", "--gzip"))
    assert (offence.fault.kind, offence.fault.detail) == ("PROTOCOL", "a compressed message; send uncompressed ones")
    tell(seen, offence)


@pytest.mark.row(9)
@pytest.mark.parametrize("mode", ["floods", "floods-empty"])
def test_a_flood_is_a_fault_of_its_sender_alone(tmp_path: Path, seen: Seen, mode: str) -> None:
    offence = offend(tmp_path, bot("bad", mode, "1"))
    assert offence.fault.kind == "PROTOCOL"
    assert "more than 1000 unrequested messages and answers" in offence.fault.detail
    tell(seen, offence, mode)
