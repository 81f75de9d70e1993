"""What the SDK tells the author of a bot: lines on stderr, which the referee keeps in the bot's log."""

from __future__ import annotations

import sys


def tell(line: str) -> None:
    """Write one line."""
    sys.stderr.write(f"{line}\n")


def fail(sentence: str) -> int:
    """Say why the bot cannot play; returns the exit code for it."""
    tell(sentence)
    return 1
