"""Makes a bot ready to start: runs its build command once for each state of its files (bot-file.md)."""

from __future__ import annotations

import hashlib
import shlex
import shutil
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from harness.referee.spec import BotSpec
from harness.tournament.config.bot_file import check_command
from harness.tournament.config.fingerprint import EXCLUDED, fingerprint
from harness.tournament.config.toml.document import read_toml
from harness.tournament.errors import BuildError, ConfigError
from harness.tournament.preparation.build_place import STAMP, cached_copy, can_build_in_place, locked, mark_used, prune
from harness.tournament.preparation.build_process import run_build
from harness.tournament.preparation.build_tools import missing_program, missing_tool
from harness.tournament.preparation.shadowing import refuse_shadows

TIMEOUT_S = 900.0
TAIL_LINES = 20


def prepare(bot: BotSpec, building: Callable[[str], None], *, timeout_s: float = TIMEOUT_S) -> BotSpec:
    """Return the bot, built if necessary, with the program of its command as an absolute path.

    A bot whose folder cannot be written comes back as its copy in the cache, with the fingerprint of the original. Does
    not build again if the stamp matches the bot's files and the program exists. Leaves a remote bot unchanged.
    Raises BuildError, with the end of the output, or ConfigError, also for a bot whose files hide our packages.

    building: called with the bot's name before a build begins.
    """
    if bot.remote:
        return bot
    refuse_shadows(bot)
    if not bot.build:
        return check_command(bot)
    if (ready := _built(bot)) is not None:
        return ready
    if can_build_in_place(bot):
        with locked(bot.source.parent) as lock:
            return _built(bot) or _build(bot, bot, lock, building, timeout_s)
    with ExitStack() as stack:
        try:
            copy = cached_copy(bot, _state(bot))
            lock = stack.enter_context(locked(copy.place))
            mark_used(copy.place)
            prune(copy.place.parent)
            if (ready := _built(copy.bot)) is not None:
                return ready
            copy.fill()
        except (OSError, RuntimeError, shutil.Error) as error:
            raise BuildError(
                f"{_where(bot)}: bot {bot.name!r} cannot be built: a copy of its folder cannot be made in the cache "
                f"({_reason(error)}); set XDG_CACHE_HOME to a folder that you may write"
            ) from None
        return _build(bot, copy.bot, lock, building, timeout_s)


def _built(bot: BotSpec) -> BotSpec | None:
    """Return the bot, ready to start, if its stamp matches its files and its program exists; else None."""
    stamp = _read(bot.source.parent / STAMP)
    if not stamp or stamp != _state(bot):
        return None
    try:
        return check_command(bot)
    except ConfigError:  # its program has been removed
        return None


def _build(original: BotSpec, bot: BotSpec, lock: int, building: Callable[[str], None], timeout_s: float) -> BotSpec:
    """Build `bot`, which is the original or its copy, and return it ready to start. Errors name the original."""
    building(bot.name)
    before = _of_files(bot)
    _run(original, bot.source.parent, lock, timeout_s)
    if _of_files(bot) != before:
        raise BuildError(
            f"{_where(original)}: the build of bot {bot.name!r} changes the bot's own files, which identify the bot; "
            f"let it write into a folder named {' or '.join(sorted(EXCLUDED))} or outside the bot's folder "
            "(if the files were edited meanwhile, start again)"
        )
    ready = check_command(bot)
    _write(bot.source.parent / STAMP, _state(bot))
    return ready


def _run(bot: BotSpec, folder: Path, lock: int, timeout_s: float) -> None:
    """Run the build in this folder, with the organiser's environment. Raises BuildError."""
    command = shlex.join(bot.build)
    failed = f"{_where(bot)}: bot {bot.name!r} cannot be built, {command!r}"
    if missing := missing_program(bot.build[0]):
        raise BuildError(f"{failed} {missing}")
    try:
        done = run_build(bot.build, folder, lock, timeout_s)
    except subprocess.TimeoutExpired as error:
        raise BuildError(f"{failed} was not done after {timeout_s:g} s", _tail(error.stdout)) from None
    except OSError as error:
        raise BuildError(f"{failed} cannot be started ({error.strerror})") from None
    if done.status != 0:
        output = done.output.decode("utf-8", "replace")
        if missing := missing_tool(output):
            raise BuildError(f"{failed} {missing}")
        how = f"signal {-done.status}" if done.status < 0 else f"exit status {done.status}"
        raise BuildError(f"{failed} ended with {how}", _tail(done.output))


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


def _reason(error: Exception) -> str:
    """Return in a few words why a copy cannot be made, with the path if there is one."""
    if isinstance(error, shutil.Error):
        _, target, reason = error.args[0][0]
        return f"{target}: {reason}"
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
    return str(error)


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
