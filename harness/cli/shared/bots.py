"""Finds bots by what the user types: the name of a bundled bot, or a path."""

from __future__ import annotations

from pathlib import Path

import harness
from harness.cli.shared.errors import InputError
from harness.tournament.config import bot_paths
from harness.tournament.config.bot_paths import bundled_bots
from harness.tournament.errors import ConfigError

MANIFEST = bot_paths.FILE_NAME

__all__ = ["MANIFEST", "bundled_bots", "find_bot", "project_root"]


def project_root() -> Path:
    """Return the folder of the installed checkout; its `bots` folder holds the bundled bots."""
    return Path(harness.__file__).resolve().parent.parent


def find_bot(text: str) -> Path:
    """Return the bot.toml of a bot, as `bot_paths.find_bot` finds it. Raises InputError."""
    try:
        return bot_paths.find_bot(text)
    except ConfigError as error:
        raise InputError(str(error)) from None
