"""The bots that come with Bowerbird, and how a bot is named on the command line."""

from __future__ import annotations

from pathlib import Path

import harness
from harness.cli.errors import InputError

MANIFEST = "bot.toml"


def project_root() -> Path:
    """The folder of the checkout that is installed; its `bots` folder holds the bundled bots."""
    return Path(harness.__file__).resolve().parent.parent


def bundled_bots() -> dict[str, Path]:
    """The path of each bundled bot's bot.toml, by the name of its folder, in alphabetical order."""
    folder = project_root() / "bots"
    return {path.parent.name: path for path in sorted(folder.glob(f"*/{MANIFEST}"))}


def find_bot(text: str) -> Path:
    """The bot.toml that `text` means: the name of a bundled bot, a folder with a bot.toml, or the file itself.

    Raises InputError with the nearest match. A folder that has the name of a bundled bot is meant by `./NAME`.
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
    from engine.wording import unknown

    raise InputError(unknown("bot", text, bundled))
