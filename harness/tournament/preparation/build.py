"""Makes a bot ready to start: runs its build command once for every state of its files (bot-file.md)."""

from __future__ import annotations

import errno
import hashlib
import os
import shlex
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.config.bot_file import check_command
from bowerbird.harness.tournament.config.fingerprint import EXCLUDED, fingerprint
from bowerbird.harness.tournament.config.toml.document import read_toml
from bowerbird.harness.tournament.errors import BuildError, ConfigError
from bowerbird.harness.tournament.preparation.bot_copy import refused_link
from bowerbird.harness.tournament.preparation.build_place import (
    STAMP,
    CachedCopy,
    cache_folder,
    cached_copy,
    can_build_in_place,
    hold,
    locked,
    make_cache,
    mark_used,
    prune,
    remove,
)
from bowerbird.harness.tournament.preparation.build_process import run_build
from bowerbird.harness.tournament.preparation.build_tools import missing_program, missing_tool

TIMEOUT_S = 900.0
TAIL_LINES = 20

_DENIED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


@dataclass(frozen=True, slots=True)
class _Watch:
    """What to call before a build begins, with the bot's name, and during it, with the last line of its output."""

    building: Callable[[str], None]
    says: Callable[[str], None]


def _ignore(_line: str) -> None:
    """Take no notice of a line."""


def prepare(
    bot: BotSpec,
    building: Callable[[str], None],
    says: Callable[[str], None] = _ignore,
    *,
    timeout_s: float = TIMEOUT_S,
) -> BotSpec:
    """Return the bot, built if necessary, with the program of its command as an absolute path.

    A bot whose folder cannot be written comes back as its copy in the cache, with the fingerprint of the original.
    Skips the build if the stamp matches the bot's files and the program exists. Leaves a remote bot unchanged. Raises
    BuildError, with the end of the output, or ConfigError.

    building: called with the bot's name before a build begins. says: called with the last line of its output so far.
    """
    if bot.remote:
        return bot
    if not bot.build:
        return check_command(bot)
    if (ready := _built(bot)) is not None:
        return ready
    watch = _Watch(building, says)
    if can_build_in_place(bot):
        with locked(bot.source.parent) as lock:
            return _built(bot) or _build(bot, bot, lock, watch, timeout_s)
    return _prepare_copy(bot, watch, timeout_s)


def _prepare_copy(bot: BotSpec, watch: _Watch, timeout_s: float) -> BotSpec:
    """Return the bot's copy in the cache, ready to start. Remove it at once if it cannot be made or built."""
    state = _state(bot)
    with ExitStack() as stack:
        try:
            copy = cached_copy(bot, state)
            make_cache(copy.place.parent)
            lock = stack.enter_context(locked(copy.place))
            mark_used(copy.place)
            prune(copy.place.parent)
        except (OSError, RuntimeError) as error:
            raise _no_copy(bot, error) from None
        ready = _built(copy.bot)
        if ready is None:
            try:
                _fill(bot, copy, state)
                ready = _build(bot, copy.bot, lock, watch, timeout_s)
            except BaseException:
                with suppress(OSError):
                    remove(copy.place)
                raise
        hold(copy.place)
        return ready


def _fill(bot: BotSpec, copy: CachedCopy, state: str) -> None:
    """Make the copy. Raises BuildError if it cannot be made or differs from the original."""
    if wrong := refused_link(bot.source.parent, (*bot.files, *bot.read)):
        raise BuildError(f"{_where(bot)}: bot {bot.name!r} cannot be built in the cache: {wrong}", bot=bot.name)
    try:
        copy.fill()
    except OSError as error:
        raise _no_copy(bot, error) from None
    if _state(copy.bot) != state:
        raise BuildError(
            f"{_where(bot)}: bot {bot.name!r} cannot be built: its copy in the cache has other files or links "
            "(if the files were edited meanwhile, start again)",
            bot=bot.name,
        )


def _built(bot: BotSpec) -> BotSpec | None:
    """Return the bot, ready to start, if its stamp matches its files and its program exists; else None."""
    stamp = _read(bot.source.parent / STAMP)
    try:
        return check_command(bot) if stamp and stamp == _state(bot) else None
    except (BuildError, ConfigError):  # a file cannot be read, or its program has been removed
        return None


def _build(original: BotSpec, bot: BotSpec, lock: int, watch: _Watch, timeout_s: float) -> BotSpec:
    """Build `bot`, which is the original or its copy, and return it ready to start. Errors name the original."""
    watch.building(bot.name)
    before = _of_files(bot)
    _run(original, bot.source.parent, lock, watch, timeout_s)
    if _of_files(bot) != before:
        raise BuildError(
            f"{_where(original)}: the build of bot {bot.name!r} changes the bot's own files, which identify the bot; "
            f"let it write into a folder named {' or '.join(sorted(EXCLUDED))} or outside the bot's folder "
            "(if the files were edited meanwhile, start again)",
            bot=bot.name,
        )
    ready = check_command(bot)
    _write(bot.source.parent / STAMP, _state(bot))
    return ready


def _run(bot: BotSpec, folder: Path, lock: int, watch: _Watch, timeout_s: float) -> None:
    """Run the build in this folder, with the organiser's environment. Raises BuildError."""
    command = shlex.join(bot.build)
    failed = f"{_where(bot)}: bot {bot.name!r} cannot be built, {command!r}"
    if missing := missing_program(bot.build[0]):
        raise BuildError(f"{failed} {missing}", bot=bot.name)
    try:
        done = run_build(bot.build, folder, lock, timeout_s, watch.says)
    except subprocess.TimeoutExpired as error:
        raise BuildError(f"{failed} did not finish within {timeout_s:g} s", _tail(error.stdout), bot=bot.name) from None
    except OSError as error:
        raise BuildError(f"{failed} cannot be started ({error.strerror})", bot=bot.name) from None
    if done.status != 0:
        output = done.output.decode("utf-8", "replace")
        if missing := missing_tool(output):
            raise BuildError(f"{failed} {missing}", bot=bot.name)
        how = f"signal {-done.status}" if done.status < 0 else f"exit status {done.status}"
        raise BuildError(f"{failed} ended with {how}", _tail(done.output), bot=bot.name)


def _where(bot: BotSpec) -> str:
    return read_toml(bot.source).location(("build",))


def _tail(output: bytes | None) -> str:
    lines = (output or b"").decode("utf-8", "replace").strip().splitlines()
    return "\n".join(lines[-TAIL_LINES:])


def _of_files(bot: BotSpec) -> str:
    """Return the fingerprint of the bot's files. Raises BuildError if one cannot be read."""
    try:
        return fingerprint(bot.source.parent, further=bot.files)
    except OSError as error:
        raise BuildError(
            f"{bot.source}: bot {bot.name!r} cannot be built: its files cannot be read "
            f"({error.filename}: {error.strerror})",
            bot=bot.name,
        ) from None


def _state(bot: BotSpec) -> str:
    """Return a hash of everything a build depends on: the bot's files and the command."""
    return hashlib.sha256(utf8(f"{_of_files(bot)}\0{shlex.join(bot.build)}")).hexdigest()


def _no_copy(bot: BotSpec, error: OSError | RuntimeError) -> BuildError:
    """Return the error that says why a copy cannot be made, and what to do if the cache is not writable."""
    advice = "; set XDG_CACHE_HOME to a folder that you can write to"
    if isinstance(error, RuntimeError):  # no home folder
        reason = str(error)
    else:
        path = error.filename2 or error.filename
        reason = str(error.strerror)
        if path and os.path.islink(path) and not os.path.exists(path):
            reason = "a link that leads nowhere"
        if error.errno not in _DENIED or not path or not Path(path).is_relative_to(cache_folder().parents[1]):
            advice = ""
        reason = f"{path}: {reason}" if path else reason
    return BuildError(
        f"{_where(bot)}: bot {bot.name!r} cannot be built: a copy of its folder cannot be made in the cache "
        f"({reason}){advice}",
        bot=bot.name,
    )


def _read(stamp: Path) -> str:
    try:
        return stamp.read_text()
    except (OSError, UnicodeDecodeError):
        return ""


def _write(stamp: Path, state: str) -> None:
    """Write the stamp, if the folder is writable.

    Without it the bot is built each time, which is slower but correct.
    """
    try:
        stamp.write_text(state)
    except OSError:
        return
