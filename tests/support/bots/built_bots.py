"""Bots under bots/, built as a run builds them, and the programs that their builds need."""

from __future__ import annotations

import tomllib
from pathlib import Path

from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.config.bot_file import load_bot
from bowerbird.harness.tournament.preparation.build import prepare
from tests.support.paths import ROOT

SCRIPTED = {
    "go": ("go", "protoc"),
    "rust": ("cargo", "protoc"),
    "java": ("java", "javac", "mvn"),
    "stdio-node": ("node",),
    "cpp": ("cmake", "g++", "protoc", "grpc_cpp_plugin", "pkg-config"),
}
"""Programs that a bot needs if its build is a script or does not name them all."""


def ready(folder: Path) -> BotSpec:
    """Return the bot. Build it once for each state of its files, also if several test processes ask for it."""
    return prepare(load_bot(folder), lambda name: None)


def all_folders() -> list[Path]:
    """Return every folder under bots/ and examples/ that holds a bot.toml, except folders that a build made.

    The bot in Ruby has a test of its own (test_ruby_bot.py).
    """
    made = {"target", "node_modules", "ruby"}
    found = (path.parent for place in ("bots", "examples") for path in (ROOT / place).rglob("bot.toml"))
    return sorted(folder for folder in found if not made & set(folder.relative_to(ROOT).parts))


def programs_of(folder: Path) -> tuple[str, ...]:
    """Return the programs of another language that building and running the bot need."""
    described = tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8"))
    words = {described["command"][0], *described.get("build", ())[:1]}
    return SCRIPTED.get(described["name"], tuple(sorted(word for word in words if "/" not in word and "{" not in word)))
