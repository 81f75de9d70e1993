"""A bot that misbehaves as long as a file is there, as if a machine were out of order."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.support.command.bowerbird_command import MARK, Bowerbird
from tests.support.paths import HOSTILE, ROOT

MOODY = 'if [ -e "$FLAG" ]; then exec "$PYTHON" "$HOSTILE" illegal 0 --every; else exec "$PYTHON" "$HOSTILE" honest; fi'
"""A shell script: a bot that answers nothing right while a file is there."""


def moody(bowerbird: Bowerbird, name: str) -> Path:
    """Write a bot that misbehaves while the file NAME.flag is in the folder of the test; return its folder."""
    folder = bowerbird.folder / "bots" / name
    folder.mkdir(parents=True)
    environment = {
        MARK: bowerbird.mark,
        "FLAG": str(flag(bowerbird, name)),
        "PYTHON": sys.executable,
        "HOSTILE": str(HOSTILE),
    }
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in environment.items())
    (folder / "bot.toml").write_text(
        f'name = "{name}"\nversion = "1.0"\ncommand = ["sh", "-c", {json.dumps(MOODY)}]\ncwd = "{ROOT}"\n'
        f"tables = 16\n[environment]\n{lines}\n",
        encoding="utf-8",
    )
    return folder


def flag(bowerbird: Bowerbird, name: str) -> Path:
    """Return the file that makes a bot misbehave."""
    return bowerbird.folder / f"{name}.flag"
