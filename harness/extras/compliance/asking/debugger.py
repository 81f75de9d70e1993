"""Starts a Python bot in the user's terminal and stops it in a debugger at one decision (`harness.sdk.debugging`)."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from pathlib import Path
from types import FrameType

from bowerbird.harness.extras.compliance.asking.messages import RecordedTable, Wishes
from bowerbird.harness.records.replay.positions import Position
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.referee.spec import BotSpec

WITH_EVENTS = Wishes(events=True, forced=False)
"""The SDK in the bot's process drops events that the bot does not want, because only that process knows.

Decisions without a choice are left out for all bots.
"""


def is_python(bot: BotSpec) -> bool:
    """Return whether the bot's command starts Python, so that Python's debugger can follow it."""
    return Path(bot.command[0]).name.startswith(("python", "pypy"))


def debug(bot: BotSpec, record: GameRecord, position: Position, *, seed: str, from_start: bool) -> int:
    """Start the bot's program, which runs the decision under a debugger, and return its exit code.

    It has the terminal, the rights and the environment of this process, and no time limit.

    Ctrl-C interrupts only the debugger. Raises OSError if the program cannot be started.
    """
    table = RecordedTable(record, position, seed)
    lines = "".join(f"{one.data.hex()}\n" for one in table.messages(WITH_EVENTS, from_start=from_start))
    with tempfile.TemporaryDirectory(prefix="bowerbird-ask-") as folder:
        file = Path(folder) / "messages"
        file.write_text(lines)
        environment = {**os.environ, **bot.environment, "BOWERBIRD_ASK": str(file)}
        before = signal.signal(signal.SIGINT, _ignore)  # a handler, because a child would inherit SIG_IGN
        try:
            return subprocess.run(bot.command, cwd=bot.cwd, env=environment, check=False).returncode
        finally:
            signal.signal(signal.SIGINT, before)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Leave an interrupt to the program that has the terminal."""
