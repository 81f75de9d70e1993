"""The `[[bot]]` tables of a tournament file: bots with a bot.toml, and remote bots that dial in.

Remote bots: protocol.md, The bot's environment.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.game_record import REMOTE, TimeControl
from bowerbird.harness.referee.network.target import ANY
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.resources import bundled_bots
from bowerbird.harness.tournament.config import schema
from bowerbird.harness.tournament.config.bot_file import (
    RESERVED,
    check_command,
    check_name,
    load_bot,
    read_network,
    read_variants,
)
from bowerbird.harness.tournament.config.bot_paths import find_bot, is_bare
from bowerbird.harness.tournament.config.toml.table import TomlTable
from bowerbird.harness.tournament.errors import ConfigError, RemoteBotError

_ONLY_LOCAL = [
    key.name for key in (schema.ENTRY_PATH, schema.ENTRY_ARGUMENTS, schema.ENTRY_NETWORK, schema.ENTRY_SECRETS)
]
_VARIABLE = re.compile("[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class BotEntry:
    """One `[[bot]]` as written: the bot's path, the name it is entered under, and extra arguments.

    `path` is as written, except that a folder written as one word gets a leading "./", since a single word always means
    a bundled bot. `rating` and `deviation` are the bot's rating and its standard deviation, or None. `network` and
    `secrets` come from its spec. A remote bot has no path, arguments, network or secrets.
    """

    path: str
    name: str
    arguments: tuple[str, ...]
    rating: int | None = None
    deviation: int | None = None
    network: str = ""
    secrets: tuple[str, ...] = ()


def read_bots(top: TomlTable, folder: Path, time: TimeControl) -> tuple[tuple[BotSpec, ...], tuple[BotEntry, ...]]:
    """Return the bots, and each `[[bot]]` as written. Raises ConfigError.

    Paths are relative to `folder`. `time` is the clock of the run.
    """
    bots: list[BotSpec] = []
    entries: list[BotEntry] = []
    for table in top.tables(schema.BOT):
        bot, entry = read_bot(table, folder, time)
        if bot.name in (other.name for other in bots):
            raise table.error(
                f"two bots are named {bot.name!r}; give one of them its own name with [[bot]] name",
                "name" if "name" in table.written() else "path",
            )
        bots.append(bot)
        entries.append(entry)
    if len(bots) < 2:
        found = "no bot is" if not bots else "only one bot is"
        raise top.error(f"{found} entered; add at least 2 [[bot]] tables", schema.BOT)
    return tuple(bots), tuple(entries)


def read_bot(local: TomlTable, folder: Path, time: TimeControl | None = None) -> tuple[BotSpec, BotEntry]:
    """Return the bot of one `[[bot]]`, and the entry as written. Raises ConfigError.

    local: the table, with the schema of a bot that is not remote.
    folder: the folder that paths are relative to.
    time: the clock of the run; None where bots cannot have their own.
    """
    is_remote = local.boolean(schema.ENTRY_REMOTE)
    table = local.with_schema(schema.REMOTE_BOT_TABLE) if is_remote else local
    _reject_unknown_keys(table, is_remote=is_remote)
    rating = table.integer(schema.ENTRY_RATING) if table.has(schema.ENTRY_RATING) else None
    deviation = table.integer(schema.ENTRY_DEVIATION) if table.has(schema.ENTRY_DEVIATION) else None
    if is_remote:
        bot = _remote(table)
        entry = BotEntry("", bot.name, ())
    else:
        bot, entry = _local(table, folder)
    own = None if time is None else _own_clock(table, time)
    return replace(bot, time=own), replace(entry, rating=rating, deviation=deviation)


def _own_clock(table: TomlTable, time: TimeControl) -> TimeControl | None:
    """Return the bot's own clock; None if it uses the clock of the run."""
    if not table.has(schema.ENTRY_TIME):
        return None
    own = table.table(schema.ENTRY_TIME)
    own.reject_unknown_keys([schema.TIME_TABLE])
    clock = replace(
        time,
        per_decision_ms=own.duration_ms(schema.PER_DECISION, time.per_decision_ms),
        bank_ms=own.duration_ms(schema.BANK, time.bank_ms),
        increment_ms=own.duration_ms(schema.INCREMENT, time.increment_ms),
        game_ms=own.duration_ms(schema.GAME_TIME, time.game_ms),
    )
    return clock if clock != time else None


def _reject_unknown_keys(table: TomlTable, *, is_remote: bool) -> None:
    """Raise ConfigError for an unknown key. A key that belongs to the other kind of bot gets its own message."""
    for name in table.written():
        if is_remote and name in _ONLY_LOCAL:
            raise table.error(
                f"bot {table.string(schema.REMOTE_NAME)!r} is remote and runs elsewhere; leave out {name!r}", name
            )
    table.reject_unknown_keys([schema.BOT_FILE, schema.TOURNAMENT_TABLE, schema.TIME_TABLE])


def _local(table: TomlTable, folder: Path) -> tuple[BotSpec, BotEntry]:
    """Read the entry of a bot that the referee starts."""
    path = table.string(schema.ENTRY_PATH)
    name = table.string(schema.ENTRY_NAME, "")
    arguments = table.strings(schema.ENTRY_ARGUMENTS)
    if table.has(schema.ENTRY_NAME):
        check_name(table, schema.ENTRY_NAME, name)
    try:
        manifest = find_bot(path, folder)
    except ConfigError as error:
        raise table.error(str(error), schema.ENTRY_PATH) from None
    bot = load_bot(manifest, name or None, arguments)
    bot = replace(bot, network=_granted(table, bot), secrets=_secrets(table))
    is_folder = is_bare(path) and path not in bundled_bots()
    entry = BotEntry(f"./{path}" if is_folder else path, bot.name, arguments, network=bot.network, secrets=bot.secrets)
    # a bot with a build command may have no program before it is built
    return bot if bot.build else check_command(bot), entry


def _granted(table: TomlTable, bot: BotSpec) -> str:
    """Return the host and port that the entry grants; "" for none. Raises ConfigError if the bot asks for another."""
    granted = read_network(table, schema.ENTRY_NETWORK)
    if granted and not bot.asks_network:
        raise table.error(
            f"bot {bot.name!r} asks for no network in its bot.toml; leave out 'network'", schema.ENTRY_NETWORK
        )
    if granted and bot.asks_network not in (ANY, granted):
        raise table.error(
            f"bot {bot.name!r} asks for {bot.asks_network!r} in its bot.toml, but {granted!r} is another host or port",
            schema.ENTRY_NETWORK,
        )
    return granted


def _secrets(table: TomlTable) -> tuple[str, ...]:
    """Return the names of the environment variables that the bot gets. Raises ConfigError for an invalid name."""
    names = table.strings(schema.ENTRY_SECRETS)
    for number, name in enumerate(names):
        if not _VARIABLE.fullmatch(name) or name.startswith(RESERVED):
            raise table.error(
                f"got {name!r}; must be the name of an environment variable that does not begin with {RESERVED}",
                schema.ENTRY_SECRETS,
                number,
            )
    return names


def _remote(table: TomlTable) -> BotSpec:
    """Read the entry of a remote bot, which holds the keys that other bots have in their bot.toml."""
    name = table.string(schema.REMOTE_NAME)
    check_name(table, schema.REMOTE_NAME, name)
    return BotSpec(
        name=name,
        version=table.string(schema.BOT_VERSION),
        author=table.string(schema.BOT_AUTHOR),
        command=(),
        cwd=Path(),
        build=(),
        environment={},
        variants=read_variants(table),
        tables=table.integer(schema.REMOTE_TABLES),
        memory_mb=0,
        read=(),
        source=Path(table.document.label),
        fingerprint=REMOTE,
        remote=table.boolean(schema.REMOTE_REMOTE),
    )


def entered_names(bots: Sequence[BotSpec]) -> list[str]:
    """Return names for bots without an entry of their own: a repeated name gets "-2", "-3" … appended."""
    counted: Counter[str] = Counter()
    names = []
    for bot in bots:
        counted[bot.name] += 1
        names.append(f"{bot.name}-{counted[bot.name]}" if counted[bot.name] > 1 else bot.name)
    return names


def folders_of_equal_names(typed: Sequence[str], bots: Sequence[BotSpec]) -> str:
    """Return a text such as `mybot = ./new, mybot-2 = ./old` if several folders share a name; else "".

    typed: the bots as the user named them.
    bots: the same bots, with the names in their bot.toml.
    """
    sources: dict[str, set[Path]] = {}
    for bot in bots:
        sources.setdefault(bot.name, set()).add(bot.source.resolve())
    bundled = bundled_bots()
    return ", ".join(
        f"{entered} = {f'bundled {text}' if text in bundled else shown(text)}"
        for text, bot, entered in zip(typed, bots, entered_names(bots), strict=True)
        if len(sources[bot.name]) > 1
    )


def check_all_local(bots: Sequence[BotSpec]) -> None:
    """Raise RemoteBotError if one of the bots is remote. For commands that do not accept remote bots."""
    remote = [bot for bot in bots if bot.remote]
    if remote:
        raise RemoteBotError(
            f"{remote[0].source}: bot {remote[0].name!r} is remote; play this file with `bowerbird host`"
        )
