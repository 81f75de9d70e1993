"""Finds bots by what the user types: the name of a bundled bot, or a path."""

from __future__ import annotations

from pathlib import Path

import harness
from harness.cli.shared.errors import InputError

MANIFEST = "bot.toml"


def project_root() -> Path:
    """Return the folder of the installed checkout; its `bots` folder holds the bundled bots."""
    return Path(harness.__file__).resolve().parent.parent


def bundled_bots() -> dict[str, Path]:
    """Return the path of each bundled bot's bot.toml, by its folder's name in alphabetical order."""
    from harness.tournament.config import bot_paths

    return bot_paths.bundled_bots()


def find_bot(text: str) -> Path:
    """Return the bot.toml of a bot, as `bot_paths.find_bot` finds it. Raises InputError."""
    from harness.tournament.config import bot_paths
    from harness.tournament.errors import ConfigError

    try:
        return bot_paths.find_bot(text)
    except ConfigError as error:
        raise InputError(str(error)) from None
