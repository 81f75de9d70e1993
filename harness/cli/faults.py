"""What went wrong with bots in a run, told when it has ended: kind, reason, and the end of what the bot wrote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from harness.records.rows import FaultRow

LINE_LIMIT = 160
TAIL_BYTES = 4096


def fault_lines(faults: Sequence[FaultRow], logs: Path) -> list[str]:
    """A line for each bot and kind of fault: in how many games, the first one's detail, and the bot's last words.

    `logs` is the folder in which the referee keeps what processes write.
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
        words = last_words(bot, logs)
        if words is not None:
            path, line = words
            lines.append(f"bot {bot} wrote last ({path}): {line}")
    return lines


def last_words(bot: str, logs: Path) -> tuple[Path, str] | None:
    """The latest log of a bot's processes in which something stands, and its last line; None if it wrote nothing."""
    name = re.compile(re.escape(re.sub(r"[^A-Za-z0-9._-]", "_", bot)) + r"-\d+-\d+\.log")
    found = [path for path in logs.glob("*.log") if name.fullmatch(path.name)] if logs.is_dir() else []
    for path in sorted(found, key=lambda path: path.stat().st_mtime_ns, reverse=True):
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - TAIL_BYTES))
            lines = log.read().decode(errors="replace").split("\n")
        line = next((text for line in reversed(lines) if (text := printable(line))), "")
        if line:
            return path, line
    return None


def printable(text: str) -> str:
    """The text of a stranger on one line, short, and without what could steer a terminal."""
    clean = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return clean if len(clean) <= LINE_LIMIT else f"{clean[: LINE_LIMIT - 1]}…"
