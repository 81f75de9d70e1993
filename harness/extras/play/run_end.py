"""Ends the process of an ordered run (`ordered_run`) by closing its stdin, or kills it, and reports how it ended."""

from __future__ import annotations

import os
import signal

import trio

from bowerbird.harness.records.quoting import shown

END_S = 20.0
"""How long a process may take to end before it is killed."""

LONGEST_WORDS = 300


async def end_in_order(process: trio.Process, *, by_signal: bool = False) -> None:
    """Close the process's stdin and wait for its end. Kill its session if that takes too long.

    by_signal: whether to end it with SIGTERM instead.
    """
    if process.stdin is not None:
        await process.stdin.aclose()
    if by_signal and process.returncode is None:
        process.terminate()
    with trio.move_on_after(END_S):
        await process.wait()
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def unexpected_end(code: int, errors: str) -> str:
    """Return how a process ended that reported no reason, with the last line of its standard error."""
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    words = errors.strip().rpartition("\n")[2]
    return f"the process of the game {how}" + (f" ({shown(words, LONGEST_WORDS)})" if words else "")
