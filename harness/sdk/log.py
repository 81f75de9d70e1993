"""Writes to stderr, which the referee keeps in the bot's log."""

from __future__ import annotations

import sys


def log(line: str) -> None:
    """Write one line."""
    sys.stderr.write(f"{line}\n")


def fail(sentence: str) -> int:
    """Write why the bot cannot play. Return the exit code for that, 1."""
    log(sentence)
    return 1
