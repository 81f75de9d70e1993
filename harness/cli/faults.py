"""What went wrong with bots in a run, told when it has ended: kind, reason, and the last line of their stderr."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.records.rows import FaultRow

LINE_LIMIT = 160


def fault_lines(faults: Sequence[FaultRow], folder: Path) -> list[str]:
    """A line for each bot and kind of fault: in how many games, the first one's detail; then each bot's last words.

    `folder` is the database's, to which the paths of logs are relative.
    """
    games: dict[tuple[str, str], set[str]] = {}
    details: dict[tuple[str, str], str] = {}
    for fault in faults:
        games.setdefault((fault.bot, fault.kind), set()).add(fault.game)
        details.setdefault((fault.bot, fault.kind), fault.detail)
    lines = []
    for (bot, kind), where in games.items():
        detail = printable(details[bot, kind])
        reason = f" ({detail})" if detail else ""
        lines.append(f"bot {bot}: {kind} in {len(where)} {'game' if len(where) == 1 else 'games'}{reason}")
    for bot in dict.fromkeys(bot for bot, _ in games):
        lines += last_words([fault for fault in faults if fault.bot == bot], folder)
    return lines


def last_words(faults: Sequence[FaultRow], folder: Path) -> list[str]:
    """The last line that the process behind the latest of one bot's faults wrote to stderr, and where its log is.

    `faults` are in the order of the run's schedule. Empty where none of them wrote anything.
    """
    from harness.records.story import last_lines

    for fault in reversed(faults):
        if lines := last_lines(fault.stderr):
            where = f" ({folder / fault.log})" if fault.log else ""
            return [f"bot {fault.bot} wrote last{where}: {printable(lines[-1])}"]
    log = next((fault.log for fault in reversed(faults) if fault.log), "")
    return [f"bot {faults[0].bot} wrote {folder / log}"] if log else []


def printable(text: str, longest: int = LINE_LIMIT) -> str:
    """The text of a stranger on one line of at most `longest` characters, without what could steer a terminal."""
    clean = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return clean if len(clean) <= longest else f"{clean[: longest - 1]}…"


def indented(line: str) -> str:
    """A line of a program's output, printable, with its indentation, which tells something in a traceback."""
    return f"{' ' * (len(line) - len(line.lstrip(' ')))}{printable(line)}"
