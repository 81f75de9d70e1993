"""Refuses a Python bot whose folder hides a package of this project, which its SDK needs (bot-file.md).

Python looks for packages first in the folder of the script, or in the working folder with `-m`. A file `engine.py`
there takes the place of the engine, and the bot ends at its first import. The sentence names the file to rename.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import harness
from harness.referee.spec import BotSpec
from harness.tournament.config.fingerprint import EXCLUDED
from harness.tournament.errors import ConfigError

PACKAGES = ("bowerbird", "engine", "harness")
"""The packages of this project that the SDK imports."""

SDK = ("bowerbird.sdk", "bowerbird.engine", "bowerbird.records", "bowerbird.ratings", "harness.sdk")
"""The modules that need the project's other packages. `bowerbird.seat` needs none, and a bot may generate its own."""

NO_PARTS = EXCLUDED | {"test", "tests", "tools", "scripts", "docs"}
"""Folders in which no part of a running bot is looked for."""

_PYTHON = re.compile(r"(python|pypy)[0-9.]*(\.exe)?")
_LONGEST_LINE = 256
"""Bytes of the first line of a script that Linux reads."""

_WITH_VALUE = frozenset("WX")
"""Options of Python's command line that take a value. `-c` and `-m` take one, too, and end the options."""


def refuse_shadows(bot: BotSpec) -> None:
    """Raise ConfigError, which names the file, if a bot that uses our SDK imports another file in its place.

    Do nothing for a bot that does not run Python or does not use the SDK.
    """
    for folder in _import_folders(bot):
        if _is_whole_copy(folder):
            return
        for file in _shadows(folder):
            if _uses_sdk(bot, folder):
                raise ConfigError(_sentence(bot, file))


def _sentence(bot: BotSpec, file: Path) -> str:
    package = file.parent.name if file.name == "__init__.py" else file.stem
    what = f"the folder {package}" if file.name == "__init__.py" else f"the file {file.name}"
    return (
        f"{bot.source}: bot {bot.name!r} cannot be started, {file} hides Bowerbird's own package {package!r}, because "
        f"Python finds it first: rename {what}"
    )


def _import_folders(bot: BotSpec) -> Iterator[Path]:
    """Yield the folders in which the bot's Python looks before its installed packages; none for another program."""
    words = _python_words(bot)
    if words is None:
        return
    flags, source = _arguments(words)
    if "I" in flags:
        return
    if source is not None and "P" not in flags and not bot.environment.get("PYTHONSAFEPATH"):
        path = bot.cwd / source
        yield Path(os.path.realpath(path)).parent if source and not path.is_dir() else path
    if "E" not in flags:
        for part in filter(None, bot.environment.get("PYTHONPATH", "").split(os.pathsep)):
            yield bot.cwd / part


def _python_words(bot: BotSpec) -> tuple[str, ...] | None:
    """Return what stands after Python in the bot's command line; None if the command runs another program.

    A script whose first line names Python runs as `python script`.
    """
    program, *rest = bot.command
    if program == sys.executable or _is_python(program):
        return tuple(rest)
    try:
        with (bot.cwd / program).open("rb") as file:
            line = file.readline(_LONGEST_LINE).decode("utf-8", "replace")
    except OSError:
        return None
    words = line[2:].split() if line.startswith("#!") else []
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if word != "-S"]
    return (*words[1:], program, *rest) if words and _is_python(words[0]) else None


def _is_python(program: str) -> bool:
    return _PYTHON.fullmatch(os.path.basename(program)) is not None


def _arguments(words: tuple[str, ...]) -> tuple[str, str | None]:
    """Return the flags of Python's command line in one text, and the script.

    The script is "" where the working folder counts, with `-m` or `-c`, and None if there is no program at all.
    """
    flags = ""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            return flags, "" if word == "-" else word
        if word.startswith("--"):
            next(rest, None)  # --check-hash-based-pycs takes a value
            continue
        for place, letter in enumerate(word[1:], 1):
            if letter in "cm":
                return flags, ""
            if letter in _WITH_VALUE:
                if place == len(word) - 1:
                    next(rest, None)
                break
            flags += letter
    return flags, None


def _is_whole_copy(folder: Path) -> bool:
    """Return whether Python finds all packages of this project in a folder: this installation or another checkout."""
    own = Path(harness.__file__).parent.parent
    return os.path.realpath(folder) == os.path.realpath(own) or all(
        (folder / package / "__init__.py").is_file() for package in PACKAGES
    )


def _shadows(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder that Python imports under the name of one of our packages."""
    for package in PACKAGES:
        for file in (folder / package / "__init__.py", folder / f"{package}.py"):
            if file.is_file():
                yield file


def _uses_sdk(bot: BotSpec, folder: Path) -> bool:
    """Return whether a Python file of the bot imports our SDK. Tests and tools of its author do not count."""
    return any(_imports_sdk(file) for file in _sources(bot.source.parent)) or any(
        _imports_sdk(file) for file in sorted(folder.glob("*.py"))
    )


def _sources(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in NO_PARTS and not name.startswith("."))
        yield from (Path(parent, name) for name in sorted(files) if name.endswith(".py"))


def _imports_sdk(file: Path) -> bool:
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):  # ValueError: NUL bytes; such a file imports nothing
        return False
    except (MemoryError, RecursionError):  # an expression that is nested too deeply, for the bot's Python as well
        return False
    return any(_is_sdk(module) for node in ast.walk(tree) for module in _modules(node))


def _modules(node: ast.AST) -> Iterator[str]:
    """Yield the modules that a statement imports; `from bowerbird import sdk` may import `bowerbird.sdk`."""
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        yield node.module
        yield from (f"{node.module}.{name.name}" for name in node.names)


def _is_sdk(module: str) -> bool:
    return any(f"{module}.".startswith(f"{known}.") for known in SDK)
