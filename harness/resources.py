"""Finds the files that come with the project: the protocol, the pages, the bundled bots and the starters.

All of them lie in the package `bowerbird`. In a checkout, `engine`, `harness`, `bots` and `proto` in it are links to
the folders at the top, where the pages are as well.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parent.parent
"""The folder of the package `bowerbird`."""

MANIFEST = "bot.toml"

_BOTS = (PACKAGE / "bots").resolve()


def source_folders() -> list[Path]:
    """Return the folders with the project's code: the package, and the targets of links in it."""
    return [PACKAGE, *(path.resolve() for path in sorted(PACKAGE.iterdir()) if path.is_symlink())]


def proto_folder() -> Path:
    """Return the folder that contains bowerbird/seat/v1/*.proto, for `protoc --proto_path`."""
    return PACKAGE / "proto"


def docs_folder() -> Path:
    """Return the folder with the pages, in subfolders such as reference."""
    return PACKAGE / "docs" if _is_wheel() else PACKAGE.parent / "docs"


def starter_folder(language: str) -> Path:
    """Return the folder of a language's starter."""
    return _BOTS / "starters" / language


def bundled_bots() -> dict[str, Path]:
    """Return the path of each bundled bot's bot.toml, by its folder's name in alphabetical order."""
    return {path.parent.name: path for path in sorted(_BOTS.glob(f"*/{MANIFEST}"))}


def is_installed(path: Path) -> bool:
    """Return whether a file belongs to an installed wheel, so that it changes only with the next installation."""
    return _is_wheel() and path.resolve().is_relative_to(_BOTS)


def _is_wheel() -> bool:
    return (PACKAGE / "docs").is_dir()
