"""Reads a bot.toml strictly (bot-file.md)."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine import did_you_mean, unknown, variant_names
from harness.records.values.run import wrong_name
from harness.referee.spec import BotSpec
from harness.tournament.config.fingerprint import fingerprint
from harness.tournament.config.toml_document import read_toml
from harness.tournament.config.toml_table import TomlTable
from harness.tournament.errors import ConfigError

FILE_NAME = "bot.toml"
MOST_TABLES = 1024
"""The most tables that a bot may offer to play at once."""

_RESERVED = "BOWERBIRD_"
"""Prefix of the environment variables that only the referee sets."""


def load_bot(path: Path, name: str | None = None, arguments: Sequence[str] = ()) -> BotSpec:
    """Return the bot that a bot.toml describes. Raises ConfigError.

    Does not check that the command exists, since a build may have to create it first; `check_command` checks it.

    path: a bot.toml, or the folder that holds one.
    name: the name to enter the bot under, instead of its own.
    arguments: appended to its command.
    """
    file = path / FILE_NAME if path.is_dir() else path
    if not file.exists():
        raise ConfigError(_missing(path))
    top = TomlTable.root(read_toml(file), FILE_NAME)
    own_name = top.string("name")
    check_name(top, own_name)
    version = top.string("version", "0")
    author = top.string("author", "")
    command = _command(top, "command")
    cwd = Path(os.path.abspath(file.parent / top.string("cwd", ".")))
    build = _command(top, "build") if top.has("build") else top.strings("build", ())
    files = tuple(_files(top, file.parent, top.strings("files", ())))
    variants = read_variants(top)
    tables = top.integer("tables", 1, low=1, high=MOST_TABLES)
    memory_mb = top.integer("memory_mb", 512, low=16)
    environment = _environment(top, top.mapping("environment"))
    sandbox = top.table("sandbox", "[sandbox]")
    read = tuple(file.parent / one for one in sandbox.strings("read", ()))
    sandbox.reject_unknown_keys()
    top.reject_unknown_keys()
    if not cwd.is_dir():
        raise top.error(f"there is no folder {cwd}", "cwd")
    return BotSpec(
        name=name or own_name,
        version=version,
        author=author,
        command=(*command, *arguments),
        cwd=cwd,
        build=build,
        environment=environment,
        variants=variants,
        tables=tables,
        memory_mb=memory_mb,
        read=read,
        source=file,
        fingerprint=_fingerprint(file, arguments, files),
        files=files,
    )


def check_name(table: TomlTable, name: str) -> None:
    """Raise ConfigError, at the key "name", for a name that cannot stand in an id such as "4f1c9a/buck-0/a+b/12/3"."""
    if wrong := wrong_name(name):
        raise table.error(wrong, "name")


def plays(bot: BotSpec, variant: str) -> bool:
    """Return whether the bot declares that it plays the variant."""
    return "*" in bot.variants or variant in bot.variants


def read_variants(table: TomlTable) -> tuple[str, ...]:
    """Read the variants that a bot plays, as written: names, or "*" for all (the default). Raises ConfigError."""
    names = table.strings("variants", ("*",))
    if not names:
        raise table.error('an empty list is not allowed, ["*"] or names of variants are', "variants")
    known = variant_names()
    for name in names:
        if name != "*" and name not in known:
            raise table.error(unknown("variant", name, known), "variants")
    return names


def check_command(bot: BotSpec) -> BotSpec:
    """Return the bot with the program of its command as an absolute path. Raises ConfigError if it cannot be run."""
    program = bot.command[0]
    where = read_toml(bot.source).location(("command",))
    if os.path.dirname(program):
        path = os.path.abspath(os.path.join(bot.cwd, program))
        if not os.path.isfile(path):
            raise ConfigError(f"{where}: bot {bot.name!r} cannot be started, there is no program {path}")
        if not os.access(path, os.X_OK):
            raise ConfigError(f"{where}: bot {bot.name!r} cannot be started, {path} is not executable")
    else:
        found = shutil.which(program)
        if found is None:
            raise ConfigError(
                f"{where}: bot {bot.name!r} cannot be started, there is no program {program!r} on the PATH"
            )
        path = os.path.abspath(found)
    return replace(bot, command=(path, *bot.command[1:]))


def _missing(path: Path) -> str:
    if path.is_dir():
        return f"{path}: this folder holds no {FILE_NAME}"
    parent = path.parent if path.parent.is_dir() else None
    folders = [one.name for one in parent.iterdir() if (one / FILE_NAME).is_file()] if parent else []
    hint = did_you_mean(path.name, folders)
    return f"{path}: there is no such bot, a {FILE_NAME} or a folder that holds one is needed{hint}"


def _command(top: TomlTable, key: str) -> tuple[str, ...]:
    words = top.strings(key, None)
    if not words or not words[0]:
        raise top.error('an empty list is not allowed, a list such as ["{python}", "-m", "bots.greedy"] is', key)
    return tuple(_filled(top, key, words))


def _filled(top: TomlTable, key: str, words: Iterable[str]) -> Iterable[str]:
    """Replace the placeholder {python} by this interpreter."""
    for word in words:
        for placeholder in re.findall(r"\{[a-z_]+\}", word):
            if placeholder != "{python}":
                raise top.error(f"unknown placeholder {placeholder!r}, '{{python}}' is allowed", key)
        yield word.replace("{python}", sys.executable)


def _environment(top: TomlTable, table: Mapping[str, object]) -> dict[str, str]:
    values: dict[str, str] = {}
    for key, value in table.items():
        if not isinstance(value, str):
            raise top.error("only strings are allowed in [environment]", "environment", key)
        if key.startswith(_RESERVED):
            raise top.error(f"names that begin with {_RESERVED} belong to the referee", "environment", key)
        values[key] = value
    return values


def _files(top: TomlTable, folder: Path, written: Iterable[str]) -> Iterator[Path]:
    """Yield the parts of the bot outside its own folder: files and folders. Raises ConfigError for a missing one."""
    for number, one in enumerate(written):
        path = Path(os.path.abspath(folder / one))
        if not path.exists():
            raise top.error(f"there is no file or folder {path}", "files", number)
        yield path


def _fingerprint(file: Path, arguments: Sequence[str], files: Sequence[Path]) -> str:
    try:
        return fingerprint(file.parent, arguments, files)
    except OSError as error:
        raise ConfigError(f"{file}: the bot's files cannot be read ({error.filename}: {error.strerror})") from None
