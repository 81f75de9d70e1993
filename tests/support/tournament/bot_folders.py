"""A folder to write bots and tournament files into, for the tests of tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

ALPHA_AND_BETA = """
[[bot]]
path = "bots/alpha"
[[bot]]
path = "bots/beta"
"""

BUCK = """
[[variant]]
name = "buck"
"""


class Yard:
    """A folder of bots. `write` makes a file in it, `bot` a bot that can be started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def bot(self, name: str, *lines: str) -> Path:
        """Write a bot.toml with a command that exists, followed by these lines; return its path."""
        command = () if any(line.startswith("command") for line in lines) else ('command = ["{python}", "-c", ""]',)
        own = () if any(line.startswith("name") for line in lines) else (f'name = "{name}"',)
        return self.write(f"bots/{name}/bot.toml", "\n".join((*own, *command, *lines)) + "\n")

    def tournament(
        self, *lines: str, variants: str = BUCK, bots: str = ALPHA_AND_BETA, more: Sequence[str] = ()
    ) -> Path:
        """Write autumn.toml; return its path.

        `[tournament]` is on line 1, `lines` start on line 2, then come variants, bots and `more`.
        """
        head = "\n".join(("[tournament]", *lines))
        return self.write("autumn.toml", "\n".join((head, variants, bots, *more)))
