"""The starters: a small bot in each language, copied by `bowerbird new-bot`."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from harness.cli.bundled import MANIFEST, project_root
from harness.cli.errors import InputError
from harness.records.names import wrong_name
from harness.tournament.build import STAMP
from harness.tournament.fingerprint import EXCLUDED

NOT_KEPT = "".join([*(f"{name}/\n" for name in sorted(EXCLUDED)), f"{STAMP}\n", "*.env\n"])
"""For git: what a build makes, and invitations (`bowerbird host`), which hold tokens."""

_NAME = re.compile(r'^name = ".*"$', re.MULTILINE)


def starter(language: str) -> Path:
    """The folder of a language's starter."""
    return project_root() / "bots" / "starters" / language


def copy_starter(language: str, folder: Path, name: str | None = None) -> Path:
    """Copy a starter to a new folder, with the protocol, under a name; its bot.toml.

    `folder` may exist if it is empty; by default its name is the bot's. Raises InputError where it holds something, or
    the name cannot be a bot's; then nothing has been written.
    """
    called = folder.absolute().name if name is None else name
    if wrong := wrong_name(called):
        raise InputError(f"the bot's name {wrong}; give it one with --name")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: this is a file; name a folder that does not exist yet")
    if folder.is_dir() and any(folder.iterdir()):
        raise InputError(f"{folder}: this folder is not empty; name one that does not exist yet")
    try:
        shutil.copytree(starter(language), folder, ignore=_made, dirs_exist_ok=True)
    except shutil.Error as error:  # one for all files: the first says enough
        _, target, reason = error.args[0][0]
        raise InputError(f"{target}: cannot be written ({reason})") from error
    manifest = folder / MANIFEST
    manifest.write_text(
        _NAME.sub(f'name = "{called}"', manifest.read_text(encoding="utf-8"), count=1), encoding="utf-8"
    )
    (folder / ".gitignore").write_text(NOT_KEPT, encoding="utf-8")
    return manifest


def _made(folder: str, names: list[str]) -> set[str]:
    """What is not copied: what builds made, and of the protocol all but its text."""
    return {name for name in names if name in EXCLUDED or name == STAMP or name.endswith(".binpb")}
