"""Reads a bot.toml strictly (bot-file.md)."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bowerbird.engine import UnknownVariant, variant_named
from bowerbird.harness.records.values.run import wrong_name
from bowerbird.harness.referee.network.target import ANY, TargetError, read_target
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.config import schema
from bowerbird.harness.tournament.config.bot_paths import manifest_of
from bowerbird.harness.tournament.config.fingerprint import fingerprint
from bowerbird.harness.tournament.config.toml.document import read_toml
from bowerbird.harness.tournament.config.toml.keys import Key, StringKey, StringsKey
from bowerbird.harness.tournament.config.toml.table import TomlTable
from bowerbird.harness.tournament.errors import ConfigError

RESERVED = "BOWERBIRD_"
"""Prefix of the environment variables that only the referee sets."""


def load_bot(path: Path, name: str | None = None, arguments: Sequence[str] = ()) -> BotSpec:
    """Return the bot that a bot.toml describes. Raises ConfigError.

    Does not check that the command exists, since a build may have to create it first; `check_command` checks it.

    path: a bot.toml, or the folder that holds one.
    name: the name to enter the bot under, instead of its own.
    arguments: appended to its command.
    """
    file = manifest_of(path)
    top = TomlTable.root(read_toml(file), schema.BOT_FILE)
    sandbox = top.table(schema.BOT_SANDBOX)
    sandbox.reject_unknown_keys([schema.BOT_FILE])
    own_name = top.string(schema.BOT_NAME)
    check_name(top, schema.BOT_NAME, own_name)
    version = top.string(schema.BOT_VERSION)
    author = top.string(schema.BOT_AUTHOR)
    command = _words(top, schema.BOT_COMMAND)
    cwd = Path(os.path.abspath(file.parent / top.string(schema.BOT_CWD)))
    build = _words(top, schema.BOT_BUILD)
    files = tuple(_files(top, file.parent, top.strings(schema.BOT_FILES)))
    variants = read_variants(top)
    tables = top.integer(schema.BOT_TABLES)
    memory_mb = top.integer(schema.BOT_MEMORY)
    environment = _environment(top, top.mapping(schema.BOT_ENVIRONMENT))
    read = tuple(file.parent / one for one in sandbox.strings(schema.SANDBOX_READ))
    asks_network = read_network(sandbox, schema.SANDBOX_NETWORK, also=(ANY,))
    if not os.path.isdir(cwd):  # unlike Path, it never raises
        raise top.error(f"there is no folder {cwd}", schema.BOT_CWD)
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
        asks_network=asks_network,
    )


def read_network(table: TomlTable, key: StringKey, also: Sequence[str] = ()) -> str:
    """Return the host and port of a key in normal form; "" for none. Raises ConfigError.

    also: other accepted values.
    """
    written = table.string(key)
    if not written or written in also:
        return written
    try:
        return str(read_target(written))
    except TargetError as error:
        raise table.error(str(error), key) from None


def check_name(table: TomlTable, key: StringKey, name: str) -> None:
    """Raise ConfigError, at `key`, for a name that cannot be part of an id such as "4f1c9a/buck-0/a+b/12/3"."""
    if wrong := wrong_name(name):
        raise table.error(wrong, key)


def plays(bot: BotSpec, variant: str) -> bool:
    """Return whether the bot declares that it plays the variant."""
    return "*" in bot.variants or variant in bot.variants


def read_variants(table: TomlTable) -> tuple[str, ...]:
    """Read the variants that a bot plays: ids, or "*" for all (the default). Raises ConfigError."""
    names = table.strings(schema.BOT_VARIANTS)
    if not names:
        raise table.error('got an empty list; must be ["*"] or names of variants', schema.BOT_VARIANTS)
    try:
        return tuple(name if name == "*" else variant_named(name) for name in names)
    except UnknownVariant as error:
        raise table.error(str(error), schema.BOT_VARIANTS) from None


def check_command(bot: BotSpec) -> BotSpec:
    """Return the bot with the program of its command as an absolute path. Raises ConfigError if it cannot be run."""
    program = bot.command[0]
    where = read_toml(bot.source).location(("command",))
    if os.path.dirname(program):
        path = os.path.abspath(os.path.join(bot.cwd, program))
        if not os.path.isfile(path):
            raise ConfigError(f"{where}: bot {bot.name!r} cannot be started: there is no program {path}")
        if not os.access(path, os.X_OK):
            raise ConfigError(f"{where}: bot {bot.name!r} cannot be started: {path} is not executable")
    else:
        found = shutil.which(program)
        if found is None:
            raise ConfigError(
                f"{where}: bot {bot.name!r} cannot be started: there is no program {program!r} on the PATH"
            )
        path = os.path.abspath(found)
    return replace(bot, command=(path, *bot.command[1:]))


def _words(top: TomlTable, key: StringsKey) -> tuple[str, ...]:
    """Read a command line. It may be empty only if it is not required."""
    words = top.strings(key)
    if (key.required and not words) or (words and not words[0]):
        empty = "an empty list" if not words else "an empty first word"
        raise top.error(f'got {empty}; must be a list such as ["{{python}}", "-m", "bowerbird.bots.greedy"]', key)
    return tuple(_filled(top, key, words))


def _filled(top: TomlTable, key: Key, words: Iterable[str]) -> Iterable[str]:
    """Replace the placeholder {python} with this interpreter."""
    for word in words:
        for placeholder in re.findall(r"\{[a-z_]+\}", word):
            if placeholder != "{python}":
                raise top.error(f"unknown placeholder {placeholder!r}; use '{{python}}'", key)
        yield word.replace("{python}", sys.executable)


def _environment(top: TomlTable, table: Mapping[str, object]) -> dict[str, str]:
    values: dict[str, str] = {}
    for key, value in table.items():
        if not isinstance(value, str):
            below = "; keys of bot.toml come before its first table" if schema.BOT_FILE.key(key) else ""
            raise top.error(f"only strings are allowed in [environment]{below}", schema.BOT_ENVIRONMENT, key)
        if not key or "=" in key or "\0" in key + value:
            raise top.error(
                'a name in [environment] must not be empty or contain "=", and U+0000 is not allowed',
                schema.BOT_ENVIRONMENT,
                key,
            )
        if key.startswith(RESERVED):
            raise top.error(f"names that begin with {RESERVED} belong to the referee", schema.BOT_ENVIRONMENT, key)
        values[key] = value
    return values


def _files(top: TomlTable, folder: Path, written: Iterable[str]) -> Iterator[Path]:
    """Yield the files and folders of the bot that are outside its own folder. Raises ConfigError if one is missing."""
    for number, one in enumerate(written):
        path = Path(os.path.abspath(folder / one))
        if not os.path.exists(path):
            raise top.error(f"there is no file or folder {path}", schema.BOT_FILES, number)
        yield path


def _fingerprint(file: Path, arguments: Sequence[str], files: Sequence[Path]) -> str:
    try:
        return fingerprint(file.parent, arguments, files)
    except OSError as error:
        raise ConfigError(f"{file}: the bot's files cannot be read ({error.filename}: {error.strerror})") from None
