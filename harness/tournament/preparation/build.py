"""Makes a bot ready to start: runs its build command once for each state of its files (bot-file.md)."""

from __future__ import annotations

import hashlib
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

from harness.referee.spec import BotSpec
from harness.tournament.config.bot_file import check_command
from harness.tournament.config.fingerprint import EXCLUDED, fingerprint
from harness.tournament.config.toml_document import read_toml
from harness.tournament.errors import BuildError, ConfigError

STAMP = ".bowerbird-build"
"""A file in the bot's folder with the hash of the files it was built from. The dot keeps it out of the fingerprint."""

TIMEOUT_S = 900.0
TAIL_LINES = 20


def prepare(bot: BotSpec, building: Callable[[str], None], *, timeout_s: float = TIMEOUT_S) -> BotSpec:
    """Return the bot, built if necessary, with the program of its command as an absolute path.

    Does not build again if the stamp matches the bot's files and the program exists. Leaves a remote bot unchanged.
    Raises BuildError, with the end of the output, or ConfigError.

    building: called with the bot's name before a build begins.
    """
    if bot.remote:
        return bot
    if not bot.build:
        return check_command(bot)
    stamp = bot.source.parent / STAMP
    state = _state(bot)
    if _read(stamp) == state:
        try:
            return check_command(bot)
        except ConfigError:
            pass  # its program has been removed: build it again
    building(bot.name)
    before = _of_files(bot)
    _run(bot, timeout_s)
    if _of_files(bot) != before:
        raise BuildError(
            f"{_where(bot)}: the build of bot {bot.name!r} changes the bot's own files, which identify the bot; "
            f"let it write into a folder named {' or '.join(sorted(EXCLUDED))} or outside the bot's folder "
            "(if the files were edited meanwhile, start again)"
        )
    ready = check_command(bot)
    _write(stamp, state)
    return ready


def _run(bot: BotSpec, timeout_s: float) -> None:
    """Run the build in the bot's folder, with the organiser's environment. Raises BuildError."""
    command = shlex.join(bot.build)
    failed = f"{_where(bot)}: bot {bot.name!r} cannot be built, {command!r}"
    try:
        done = subprocess.run(
            bot.build,
            cwd=bot.source.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise BuildError(f"{failed} was not done after {timeout_s:g} s", _tail(error.stdout)) from None
    except OSError as error:
        raise BuildError(f"{failed} cannot be started ({error.strerror})") from None
    if done.returncode != 0:
        how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit status {done.returncode}"
        raise BuildError(f"{failed} ended with {how}", _tail(done.stdout))


def _where(bot: BotSpec) -> str:
    return read_toml(bot.source).location(("build",))


def _tail(output: bytes | None) -> str:
    lines = (output or b"").decode("utf-8", "replace").strip().splitlines()
    return "\n".join(lines[-TAIL_LINES:])


def _of_files(bot: BotSpec) -> str:
    return fingerprint(bot.source.parent, further=bot.files)


def _state(bot: BotSpec) -> str:
    """Return a hash of everything a build depends on: the bot's files and the command."""
    return hashlib.sha256(f"{_of_files(bot)}\0{shlex.join(bot.build)}".encode()).hexdigest()


def _read(stamp: Path) -> str:
    try:
        return stamp.read_text()
    except (OSError, UnicodeDecodeError):
        return ""


def _write(stamp: Path, state: str) -> None:
    """Write the stamp, if the folder is writable. Otherwise the bot is built each time, which is only slower."""
    try:
        stamp.write_text(state)
    except OSError:
        return
