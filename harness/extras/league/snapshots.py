"""Copies the files of each version of a bot, so that it can play on while its author writes the next version.

A version is copied once, when it enters. A bundled bot is not copied, since its files belong to the installation.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from bowerbird.harness.extras.league.errors import LeagueError
from bowerbird.harness.extras.league.league_file import ListedBot
from bowerbird.harness.records.quoting import toml_text
from bowerbird.harness.records.store.atomic_file import sync_folder
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.resources import bundled_bots
from bowerbird.harness.tournament.config.fingerprint import EXCLUDED, fingerprint
from bowerbird.harness.tournament.preparation.bot_copy import copy_bot_folder, refused_link

LEAGUES = "leagues"
"""The folder beside a database that holds a folder for each league."""


def folder_of(database: Path, league: str) -> Path:
    """Return the folder of a league beside its database."""
    return database.parent / LEAGUES / league


def keep_version(listed: ListedBot, name: str, database: Path, league: str) -> str:
    """Copy the files of a bot under the name `name`, and return its `[[bot]]` table (`LeagueBot.entry`).

    Raises LeagueError if the bot cannot be copied, because a file, a link or the working folder is outside its folder
    or the disk is full.
    """
    spec, entry = listed.spec, listed.entry
    if entry.path in bundled_bots():
        path = entry.path
    else:
        where = folder_of(database, league) / "bots" / name
        _copy(spec, where)
        path = f"./{where.relative_to(database.parent)}"
    lines = [f"path = {toml_text(path)}", f"name = {toml_text(name)}", f"arguments = {toml_text(entry.arguments)}"]
    if entry.network:
        lines.append(f"network = {toml_text(entry.network)}")
    if entry.secrets:
        lines.append(f"secrets = {toml_text(entry.secrets)}")
    return "\n".join(lines)


def _copy(spec: BotSpec, target: Path) -> None:
    """Copy a bot's folder to `target`, which exists only once it is complete."""
    source = spec.source.parent
    where = f"bot {spec.name!r} cannot be kept by the league"
    outside = [one for one in (spec.cwd, *spec.files) if not one.resolve().is_relative_to(source.resolve())]
    if outside:
        raise LeagueError(f"{where}: {outside[0]} is outside its folder {source}, so a copy would lack it")
    if wrong := refused_link(source.absolute(), spec.read):
        raise LeagueError(f"{where}: {wrong}")
    fresh = target.with_name(f"{target.name}.new")
    try:
        for old in (fresh, target):
            shutil.rmtree(old, ignore_errors=True)
        copy_bot_folder(source, fresh, EXCLUDED, fresh)
        if fingerprint(fresh) != fingerprint(source):
            raise LeagueError(f"{where}: its files changed while they were copied; the next epoch tries again")
        os.replace(fresh, target)
        sync_folder(target.parent)
    except OSError as error:
        raise LeagueError(f"{where}: {error.filename or target}: {error.strerror}") from error
