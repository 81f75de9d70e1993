"""Finds bots by what the user types: the name of a bundled bot, or a path."""

from __future__ import annotations

from pathlib import Path

from harness.cli.shared.errors import InputError
from harness.resources import MANIFEST, bundled_bots


def find_bot(text: str) -> Path:
    """Return the bot.toml of a bot: `text` names a bundled bot, a folder with a bot.toml, or a bot.toml.

    A bundled bot comes before a folder of the same name, which `./NAME` names. Raises InputError, with the nearest
    match, if there is no such bot.
    """
    bundled = bundled_bots()
    if text in bundled:
        return bundled[text]
    path = Path(text)
    if path.is_dir():
        if not (path / MANIFEST).is_file():
            raise InputError(f"{path}: there is no {MANIFEST} in this folder")
        return path / MANIFEST
    if path.exists():
        return path
    if path.suffix == ".toml" or len(path.parts) > 1:
        raise InputError(f"{path}: there is no such bot; name a folder with a {MANIFEST}, or a {MANIFEST}")
    from engine import unknown

    raise InputError(unknown("bot", text, bundled))
