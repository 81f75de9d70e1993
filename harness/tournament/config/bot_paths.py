"""Finds the bot that a command line or a tournament file names: a bundled bot, or a path."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from bowerbird.engine import did_you_mean
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.resources import MANIFEST, bundled_bots
from bowerbird.harness.tournament.errors import ConfigError


def find_bot(text: str, folder: Path = Path()) -> Path:
    """Return the path of a bot's bot.toml: `text` is a bundled bot, a folder with a bot.toml, or a bot.toml.

    A bundled bot takes precedence over a folder of the same name; `./NAME` means the folder. Raises ConfigError, with
    the nearest match, if there is no such bot.

    folder: the folder that paths are relative to.
    """
    bundled = bundled_bots()
    if text in bundled:
        return bundled[text]
    path = folder / text
    if os.path.exists(path):  # unlike Path, it never raises
        return manifest_of(path)
    if is_bare(text):
        allowed = f"; name a bundled bot ({', '.join(bundled)}) or a folder with a {MANIFEST}"
        raise ConfigError(f"unknown bot {text!r}{did_you_mean(text, [*bundled, *_bots_in(folder)]) or allowed}")
    raise ConfigError(missing(path))


def is_bare(text: str) -> bool:
    """Return whether a bot is written as one word, such as "greedy", which means a bundled bot if there is one."""
    return not (text.startswith(".") or "/" in text or text.endswith(".toml"))


def manifest_of(path: Path) -> Path:
    """Return the bot.toml at `path`, a bot.toml or the folder that holds one. Raises ConfigError."""
    if not os.path.exists(path):
        raise ConfigError(missing(path))
    if not os.path.isdir(path):
        if path.suffix == ".toml":
            return path
        raise ConfigError(f"{shown(str(path))}: must be the bot's folder or its {MANIFEST}, not its program")
    if not os.path.isfile(path / MANIFEST):
        raise ConfigError(f"{shown(str(path))}: there is no {MANIFEST} in this folder")
    return path / MANIFEST


def missing(path: Path) -> str:
    """Return the message for a path that does not exist. It suggests the most similar bot nearby."""
    hint = did_you_mean(path.name, _bots_in(path.parent))
    needed = f"must be a bundled bot, a folder with a {MANIFEST} or a {MANIFEST}"
    return f"{shown(str(path))}: there is no such bot; {needed}{hint}"


def _bots_in(folder: Path) -> Iterator[str]:
    """Yield the names of the folders in `folder` that hold a bot.toml."""
    try:
        for one in folder.iterdir():
            if os.path.isfile(one / MANIFEST):
                yield one.name
    except OSError:
        return  # a folder that is missing or unreadable has no bots to offer
