"""Writes to stderr, which the referee saves in the bot's log."""

from __future__ import annotations

import sys


def log(line: str) -> None:
    """Write one line."""
    sys.stderr.write(f"{line}\n")


def fail(sentence: str) -> int:
    """Write the reason why the bot cannot play. Return the exit code, 1."""
    log(sentence)
    return 1
