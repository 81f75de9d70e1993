"""Bots under bots/, built as a run would build them, and what it takes to do so."""

from __future__ import annotations

import fcntl
import os
import tomllib
from pathlib import Path

from seat_referee import ROOT

from harness.referee.spec import BotSpec
from harness.tournament.bot_file import load_bot
from harness.tournament.build import prepare

SCRIPTED = {
    "go": ("go", "protoc"),
    "rust": ("cargo", "protoc"),
    "java": ("java", "javac", "mvn"),
    "cpp": ("cmake", "g++", "protoc", "grpc_cpp_plugin", "pkg-config"),
}
"""What bots need whose build is a script, or needs more than it names."""


def ready(folder: Path) -> BotSpec:
    """The bot, built once for each state of its files, however many test processes there are."""
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return prepare(load_bot(folder), lambda name: None)
    finally:
        os.close(lock)


def all_folders() -> list[Path]:
    """Every folder under bots/ that holds a bot.toml, except what a build made."""
    made = {"target", "node_modules"}
    found = (path.parent for path in (ROOT / "bots").rglob("bot.toml"))
    return sorted(folder for folder in found if not made & set(folder.relative_to(ROOT).parts))


def programs_of(folder: Path) -> tuple[str, ...]:
    """The programs of another language that it takes to build the bot and to run it."""
    described = tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8"))
    words = {described["command"][0], *described.get("build", ())[:1]}
    return SCRIPTED.get(described["name"], tuple(sorted(word for word in words if "/" not in word and "{" not in word)))
