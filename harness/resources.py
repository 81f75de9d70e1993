"""Finds the files that travel with the project: the protocol, the pages, the bundled bots and the starters.

In a checkout `proto` and `docs` lie at its top. A wheel carries them inside the package `bowerbird`, since a top-level
`proto` or `docs` in site-packages would collide with other projects.
"""

from __future__ import annotations

from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
"""The top of the checkout, or the site-packages that the wheel is installed in."""

MANIFEST = "bot.toml"


def proto_folder() -> Path:
    """Return the folder that holds bowerbird/seat/v1/*.proto, as for `protoc --proto_path`."""
    return _ROOT / "bowerbird" / "proto"


def docs_folder() -> Path:
    """Return the folder with the pages, in subfolders such as reference."""
    installed = _ROOT / "bowerbird" / "docs"
    return installed if installed.is_dir() else _ROOT / "docs"


def starter_folder(language: str) -> Path:
    """Return the folder of a language's starter."""
    return _ROOT / "bots" / "starters" / language


def bundled_bots() -> dict[str, Path]:
    """Return the path of each bundled bot's bot.toml, by its folder's name in alphabetical order."""
    return {path.parent.name: path for path in sorted((_ROOT / "bots").glob(f"*/{MANIFEST}"))}


def is_installed(path: Path) -> bool:
    """Return whether a file belongs to an installed wheel: it changes with the next installation, and not before."""
    return (_ROOT / "bowerbird" / "docs").is_dir() and path.resolve().is_relative_to(_ROOT / "bots")
