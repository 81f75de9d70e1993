"""bot.toml, read strictly (CLI.md, bot.toml)."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine import variant_names
from engine.wording import did_you_mean, unknown
from harness.records.names import wrong_name
from harness.referee.spec import BotSpec
from harness.tournament.errors import ConfigError
from harness.tournament.fingerprint import fingerprint
from harness.tournament.section import Section
from harness.tournament.source import KeyPath, Source, read_source

FILE_NAME = "bot.toml"
MOST_TABLES = 1024
_RESERVED = "BOWERBIRD_"


def load_bot(path: Path, name: str | None = None, arguments: Sequence[str] = ()) -> BotSpec:
    """The bot that a bot.toml, or a folder which holds one, describes.

    `name` enters it under another name, `arguments` are appended to its command. Whether the command exists is asked
    by `check_command`, since a build may have to make it first. Raises ConfigError.
    """
    file = path / FILE_NAME if path.is_dir() else path
    if not file.exists():
        raise ConfigError(_missing(path))
    source = read_source(file)
    top = Section(source, (), source.data, FILE_NAME)
    own_name = top.text("name")
    check_name(source, ("name",), own_name)
    version = top.text("version", "0")
    author = top.text("author", "")
    command = _command(source, top, "command")
    cwd = Path(os.path.abspath(file.parent / top.text("cwd", ".")))
    build = _command(source, top, "build") if top.has("build") else top.texts("build", ())
    files = tuple(_files(source, file.parent, top.texts("files", ())))
    variants = check_variants(source, ("variants",), top.texts("variants", ("*",)))
    tables = top.integer("tables", 1, low=1, high=MOST_TABLES)
    memory_mb = top.integer("memory_mb", 512, low=16)
    environment = _environment(source, top.table("environment"))
    sandbox = top.section("sandbox", "[sandbox]")
    read = tuple(file.parent / one for one in sandbox.texts("read", ()))
    sandbox.done()
    top.done()
    if not cwd.is_dir():
        raise source.error(("cwd",), f"there is no folder {cwd}")
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


def check_name(source: Source, where: KeyPath, name: str) -> None:
    """Refuse a name that could not stand in an id such as "4f1c9a/buck-0/greedy+pimc/12/3"."""
    if wrong := wrong_name(name):
        raise source.error(where, wrong)


def plays(bot: BotSpec, variant: str) -> bool:
    """Whether the bot says that it plays the variant."""
    return "*" in bot.variants or variant in bot.variants


def check_variants(source: Source, where: KeyPath, names: tuple[str, ...]) -> tuple[str, ...]:
    """The variants that a bot plays, as they were written: names, or "*" for all. Raises ConfigError."""
    if not names:
        raise source.error(where, 'an empty list is not allowed, ["*"] or names of variants are')
    known = variant_names()
    for name in names:
        if name != "*" and name not in known:
            raise source.error(where, unknown("variant", name, known))
    return names


def check_command(bot: BotSpec) -> BotSpec:
    """The bot with the program of its command as an absolute path. Raises ConfigError where there is none to run."""
    program = bot.command[0]
    where = read_source(bot.source).where(("command",))
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


def _command(source: Source, top: Section, key: str) -> tuple[str, ...]:
    words = top.texts(key, None)
    if not words or not words[0]:
        raise source.error((key,), 'an empty list is not allowed, a list such as ["{python}", "-m", "bots.greedy"] is')
    return tuple(_filled(source, key, words))


def _filled(source: Source, key: str, words: Iterable[str]) -> Iterable[str]:
    for word in words:
        for placeholder in re.findall(r"\{[a-z_]+\}", word):
            if placeholder != "{python}":
                raise source.error((key,), f"unknown placeholder {placeholder!r}, '{{python}}' is allowed")
        yield word.replace("{python}", sys.executable)


def _environment(source: Source, table: Mapping[str, object]) -> dict[str, str]:
    values: dict[str, str] = {}
    for key, value in table.items():
        path = ("environment", key)
        if not isinstance(value, str):
            raise source.error(path, "only strings are allowed in [environment]")
        if key.startswith(_RESERVED):
            raise source.error(path, f"names that begin with {_RESERVED} belong to the referee")
        values[key] = value
    return values


def _files(source: Source, folder: Path, written: Iterable[str]) -> Iterator[Path]:
    """What the bot is made of beside its own folder; each must be there."""
    for number, one in enumerate(written):
        path = Path(os.path.abspath(folder / one))
        if not path.exists():
            raise source.error(("files", number), f"there is no file or folder {path}")
        yield path


def _fingerprint(file: Path, arguments: Sequence[str], files: Sequence[Path]) -> str:
    try:
        return fingerprint(file.parent, arguments, files)
    except OSError as error:
        raise ConfigError(f"{file}: the bot's files cannot be read ({error.filename}: {error.strerror})") from None
