"""A folder with bots and tournament files to write into, for the tests of this folder."""

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
    """A folder of bots; `write` makes a file in it, `bot` a bot that could be started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def bot(self, name: str, *lines: str) -> Path:
        """A bot.toml with a command that exists, and these further lines before it."""
        command = () if any(line.startswith("command") for line in lines) else ('command = ["{python}", "-c", ""]',)
        own = () if any(line.startswith("name") for line in lines) else (f'name = "{name}"',)
        return self.write(f"bots/{name}/bot.toml", "\n".join((*own, *command, *lines)) + "\n")

    def tournament(
        self, *lines: str, variants: str = BUCK, bots: str = ALPHA_AND_BETA, more: Sequence[str] = ()
    ) -> Path:
        """autumn.toml: `[tournament]` on line 1, these lines from line 2 on, then variants, bots and more."""
        head = "\n".join(("[tournament]", *lines))
        return self.write("autumn.toml", "\n".join((head, variants, bots, *more)))
