"""The `[[bot]]` tables of a tournament file: bots with a bot.toml, and remote ones that dial in.

protocol.md, The bot's environment, says what a remote bot is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.records.quoting import quote
from harness.records.values.game_record import REMOTE
from harness.referee.spec import BotSpec
from harness.tournament.config.bot_file import MOST_TABLES, check_command, check_name, load_bot, read_variants
from harness.tournament.config.toml_document import toml_text
from harness.tournament.config.toml_table import TomlTable
from harness.tournament.errors import ConfigError, RemoteBotError

DEFAULT_REMOTE_TABLES = 16
"""How many tables a remote bot plays at once by default; its Hello may ask for fewer."""


@dataclass(frozen=True, slots=True)
class BotEntry:
    """One `[[bot]]` as it was written: the path as typed, the name it is entered under, further arguments.

    `rating` is its rating for the seeding, None if it has none. A remote bot has no path and no arguments.
    """

    path: str
    name: str
    arguments: tuple[str, ...]
    rating: int | None = None


def read_bots(top: TomlTable, folder: Path) -> tuple[tuple[BotSpec, ...], tuple[BotEntry, ...]]:
    """Read every `[[bot]]`: the bots, and how each was written. Raises ConfigError.

    `folder` is the folder that paths are relative to.
    """
    bots: list[BotSpec] = []
    entries: list[BotEntry] = []
    for table in top.tables("bot", "[[bot]]"):
        rating = table.integer("rating", None, low=-10_000, high=10_000) if table.has("rating") else None
        if table.boolean("remote"):
            bot = _remote(table)
            entry = BotEntry("", bot.name, ())
        else:
            bot, entry = _local(table, folder)
        if bot.name in (other.name for other in bots):
            raise table.error(
                f"two bots are named {bot.name!r}, give one of them a name of its own with [[bot]] name",
                "name" if table.has("name") else "path",
            )
        bots.append(bot)
        entries.append(replace(entry, rating=rating))
    if len(bots) < 2:
        found = "no bot is" if not bots else "only one bot is"
        raise top.error(f"{found} entered, at least 2 tables [[bot]] are needed", "bot")
    return tuple(bots), tuple(entries)


def _local(table: TomlTable, folder: Path) -> tuple[BotSpec, BotEntry]:
    """Read the entry of a bot that the referee starts."""
    path = table.string("path")
    name = table.string("name", "")
    arguments = table.strings("arguments", ())
    table.reject_unknown_keys()
    if table.has("name"):
        check_name(table, name)
    bot = _load(table, folder / path, name or None, arguments)
    return bot, BotEntry(path, bot.name, arguments)


def _load(table: TomlTable, path: Path, name: str | None, arguments: Sequence[str]) -> BotSpec:
    """Load a bot. Without a build command it must be ready to start; with one, that is checked after the build."""
    if not path.exists():
        try:
            return load_bot(path, name, arguments)
        except ConfigError as error:
            raise table.error(str(error), "path") from None
    bot = load_bot(path, name, arguments)
    return bot if bot.build else check_command(bot)


def _remote(table: TomlTable) -> BotSpec:
    """Read the entry of a remote bot, which holds the keys that other bots have in their bot.toml."""
    name = table.string("name")
    check_name(table, name)
    spec = BotSpec(
        name=name,
        version=table.string("version", "0"),
        author=table.string("author", ""),
        command=(),
        cwd=Path(),
        build=(),
        environment={},
        variants=read_variants(table),
        tables=table.integer("tables", DEFAULT_REMOTE_TABLES, low=1, high=MOST_TABLES),
        memory_mb=0,
        read=(),
        source=Path(table.document.label),
        fingerprint=REMOTE,
        remote=True,
    )
    for key in ("path", "arguments"):
        if table.has(key):
            raise table.error(f"bot {name!r} is remote and runs elsewhere, leave {key!r} out", key)
    table.reject_unknown_keys()
    return spec


def remote_lines(bot: BotSpec) -> Iterator[str]:
    """Yield the lines of a remote bot's entry as canonical TOML, which `read_bots` can read again."""
    yield "remote = true"
    yield f"name = {quote(bot.name)}"
    yield f"version = {quote(bot.version)}"
    yield f"author = {quote(bot.author)}"
    yield f"variants = {toml_text(bot.variants)}"
    yield f"tables = {bot.tables}"


def check_all_local(bots: Sequence[BotSpec]) -> None:
    """Raise RemoteBotError if one of the bots is remote. For commands that accept no remote bots."""
    remote = [bot for bot in bots if bot.remote]
    if remote:
        raise RemoteBotError(
            f"{remote[0].source}: bot {remote[0].name!r} is remote: only `bowerbird host` lets it in, "
            "play the file with that"
        )
