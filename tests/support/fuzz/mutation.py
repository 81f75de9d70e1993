"""Draws files that are nearly right: a right one with bytes cut, doubled, changed and put in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

Value = TypeVar("Value")
Fuzz = Callable[[SearchStrategy[Value], Callable[[Value], None]], None]
"""Tries drawn values; the check fails by raising."""

NASTY = (
    b"",
    b"\0",
    b"\xff",
    b"\xed\xb3\xbf",
    b"\\u0000",
    b"\\ud800",
    b'"',
    b"'",
    b"\\",
    b"\n",
    b"[" * 4000,
    b'{"a":' * 2000,
    b"9" * 400,
    b"-1",
    b"1e999",
    b"nan",
    b"0x" + b"f" * 400,
    b"../../etc/passwd",
    b"\x1b[2J",
    b"a." * 200,
    b"k" * 5000,
    "\u202e\u2028".encode(),
)
"""What is put in: ends, escapes, numbers and texts that programs stumble over."""

_EDITS = st.lists(
    st.tuples(
        st.sampled_from(("cut", "double", "put", "change")),
        st.floats(0, 1),
        st.integers(0, 40),
        st.one_of(st.sampled_from(NASTY), st.binary(max_size=8)),
    ),
    min_size=1,
    max_size=6,
)


def nearly(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Return a strategy for changed copies of the seeds."""
    return st.builds(_edited, st.sampled_from(list(seeds)), _EDITS)


def _edited(seed: bytes, edits: Sequence[tuple[str, float, int, bytes]]) -> bytes:
    data = seed
    for kind, place, length, piece in edits:
        at = int(place * len(data))
        gone = data[at : at + length]
        put = {"cut": b"", "double": gone * 2, "put": piece + gone, "change": piece}[kind]
        data = data[:at] + put + data[at + length :]
    return data
