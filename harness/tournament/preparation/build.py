"""Makes a bot ready to start: runs its build command whenever its files have changed (bot-file.md)."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import selectors
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.config.bot_file import check_command
from bowerbird.harness.tournament.config.fingerprint import EXCLUDED, fingerprint
from bowerbird.harness.tournament.config.toml.document import read_toml
from bowerbird.harness.tournament.errors import BuildError, ConfigError
from bowerbird.harness.tournament.preparation import build_place
from bowerbird.harness.tournament.preparation.bot_copy import refused_link

_WATCHER = Path(__file__).with_name("build_watcher.py")

_END_S = 8.0
"""How long the watcher may take to kill the build."""

_CHUNK = 65536
"""How many bytes of output are read at a time."""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a build ended. status: its exit status, or the negated number of the signal that killed it."""

    status: int
    output: bytes


def run_build(
    command: Sequence[str], folder: Path, lock: int, timeout_s: float, says: Callable[[str], None]
) -> Finished:
    """Run a build in `folder` with the environment of this process; return when no process of its group is left.

    If this process ends first, even by SIGKILL, the build is killed. The lock is kept until the build has ended.

    lock: the descriptor of the folder's lock.
    says: called with the last line of the output whenever there is new output.
    Raises subprocess.TimeoutExpired with the output so far, or OSError if the build cannot be started.
    """
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            watcher = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_WATCHER), str(theirs.fileno()), *command],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(theirs.fileno(), lock),
                start_new_session=True,
            )
        with watcher:
            try:
                output = _output(watcher, timeout_s, says)
            except BaseException:
                with suppress(OSError):
                    ours.shutdown(socket.SHUT_WR)
                with suppress(subprocess.TimeoutExpired):
                    watcher.wait(_END_S)
                raise
        with suppress(ConnectionResetError), ours.makefile("rb") as lines:
            report = json.loads(lines.readline() or b"{}")
    if "refused" in report:
        raise OSError(0, report["refused"], os.fspath(command[0]))
    return Finished(report.get("status", watcher.returncode or 1), output)


def _output(watcher: subprocess.Popen[bytes], timeout_s: float, says: Callable[[str], None]) -> bytes:
    """Return the output of the watcher and its build once both have ended.

    Raises subprocess.TimeoutExpired with the output so far.
    """
    assert watcher.stdout is not None
    output, deadline = bytearray(), time.monotonic() + timeout_s
    with selectors.DefaultSelector() as ready:
        ready.register(watcher.stdout, selectors.EVENT_READ)
        while True:
            if not ready.select(max(0.0, deadline - time.monotonic())):
                raise subprocess.TimeoutExpired(watcher.args, timeout_s, bytes(output))
            if not (chunk := os.read(watcher.stdout.fileno(), _CHUNK)):
                break
            output += chunk
            if lines := bytes(output[-_CHUNK:]).decode("utf-8", "replace").strip().splitlines():
                says(lines[-1])
    watcher.wait(max(0.0, deadline - time.monotonic()))
    return bytes(output)


@dataclass(frozen=True, slots=True)
class _Tool:
    """A program that bots' builds use.

    title: what to install, for people. debian: the packages that contain it; "" if Debian has none that is new enough.
    marks: further strings in the output of a build that show that the program is missing.
    """

    title: str
    debian: str
    marks: tuple[str, ...] = ()


_TOOLS = {
    "go": _Tool("Go 1.26 or newer", ""),
    "cargo": _Tool("Rust 1.85 or newer, with cargo", ""),
    "node": _Tool("Node.js 18 or newer", "nodejs"),
    "npm": _Tool("npm, of Node.js 18 or newer", "nodejs npm"),
    "java": _Tool("a JDK, 17 or newer", "default-jdk-headless"),
    "javac": _Tool("a JDK, 17 or newer", "default-jdk-headless", ("No compiler is provided", "JAVA_HOME")),
    "mvn": _Tool("Maven", "maven"),
    "cmake": _Tool("CMake", "cmake"),
    "make": _Tool("make", "make", ("CMAKE_MAKE_PROGRAM",)),
    "g++": _Tool("a C++ compiler", "g++", ("CMAKE_CXX_COMPILER",)),
    "cc": _Tool("a C compiler", "gcc"),
    "pkg-config": _Tool("pkg-config", "pkg-config", ("PKG_CONFIG_EXECUTABLE",)),
    "protoc": _Tool("the protocol compiler", "protobuf-compiler"),
    "grpc_cpp_plugin": _Tool("the gRPC plugin of the protocol compiler", "protobuf-compiler-grpc"),
    "grpc_ruby_plugin": _Tool("the gRPC plugin of the protocol compiler", "protobuf-compiler-grpc"),
}

_LIBRARIES = {"grpc++": "libgrpc++-dev", "protobuf": "libprotobuf-dev"}
"""C++ libraries by their names in pkg-config, with the Debian packages that contain them."""

_GRPC_PROGRAMS = ("protoc", "grpc_cpp_plugin")
"""The programs that generate the gRPC code of a C++ bot."""

_SHELL = re.compile(r"(?:^|: )([\w.+-]+): (?:command )?not found$", re.MULTILINE)


def missing_program(name: str) -> str:
    """Return advice on a program that is not on the PATH, as the end of a sentence; "" if it is there."""
    if "/" in name or shutil.which(name) is not None:
        return ""
    tool = _TOOLS.get(name)
    advice = "install it" if tool is None else f"install {tool.title}{_packages(tool.debian)}"
    return f"needs {name!r}, which is not on the PATH: {advice}"


def missing_tool(output: str) -> str:
    """Return what a build lacked according to its output, as the end of a sentence; "" if unknown."""
    for name, tool in _TOOLS.items():
        if (_says_missing(output, name) or any(mark in output for mark in tool.marks)) and (
            missing := missing_program(name)
        ):
            return missing
    if libraries := [name for name in _LIBRARIES if _lacks_library(output, name)]:
        return _missing_libraries(libraries)
    for name in _SHELL.findall(output):
        if missing := missing_program(name):
            return missing
    return ""


def _lacks_library(output: str, name: str) -> bool:
    """Return whether pkg-config reports a missing library."""
    word = re.escape(name)
    return re.search(rf"[Pp]ackage '{word}'.*not found|No package '{word}' found", output) is not None


def _missing_libraries(libraries: list[str]) -> str:
    """Return advice on missing C++ libraries, as the end of a sentence.

    CMake stops at the libraries, before it looks for the programs that generate gRPC code. Missing programs are listed
    together with the libraries, so that nobody has to discover them one at a time.
    """
    programs = [name for name in _GRPC_PROGRAMS if "grpc++" in libraries and shutil.which(name) is None]
    named = "the C++ librar" + ("y " if len(libraries) == 1 else "ies ") + _and(libraries)
    if programs:
        named += f", and {_and(programs)} on the PATH"
    packages = dict.fromkeys([_LIBRARIES[name] for name in libraries] + [_TOOLS[name].debian for name in programs])
    return f"needs {named}: install {'it' if len(libraries + programs) == 1 else 'them'}{_packages(' '.join(packages))}"


def _and(names: list[str]) -> str:
    return " and ".join(map(repr, names))


def _says_missing(output: str, name: str) -> bool:
    """Return whether a shell, CMake, Cargo or env reports a missing program."""
    word = re.escape(name)
    ways = (
        rf"(?<![\w./-]){word}: (?:command )?not found",
        rf"[Cc]ould not find `{word}`",
        rf"following names:[^\n]*(?<=\s){word}(?!\S)",
        rf"linker `{word}` not found",
        rf"['‘]?(?<![\w./-]){word}['’]?: No such file or directory",
    )
    return any(re.search(way, output) for way in ways)


def _packages(names: str) -> str:
    return f" (on Debian and Ubuntu: apt-get install {names})" if names else ""


TIMEOUT_S = 900.0
TAIL_LINES = 20

_DENIED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


@dataclass(frozen=True, slots=True)
class _Watch:
    """The functions to call before a build, with the bot's name, and during it, with the last line of output."""

    building: Callable[[str], None]
    says: Callable[[str], None]


def _ignore(_line: str) -> None:
    """Ignore a line."""


def prepare(
    bot: BotSpec,
    building: Callable[[str], None],
    says: Callable[[str], None] = _ignore,
    *,
    timeout_s: float = TIMEOUT_S,
) -> BotSpec:
    """Return the bot, built if necessary, with the program of its command as an absolute path.

    If a bot's folder is not writable, its copy in the cache is returned, with the fingerprint of the original. Skips
    the build if the stamp matches the bot's files and the program exists. Leaves a remote bot unchanged. Raises
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
    if build_place.can_build_in_place(bot):
        with build_place.locked(bot.source.parent) as lock:
            return _built(bot) or _build(bot, bot, lock, watch, timeout_s)
    return _prepare_copy(bot, watch, timeout_s)


def _prepare_copy(bot: BotSpec, watch: _Watch, timeout_s: float) -> BotSpec:
    """Return the bot's copy in the cache, ready to start. If it cannot be made or built, remove it at once."""
    state = _state(bot)
    with ExitStack() as stack:
        try:
            copy = build_place.cached_copy(bot, state)
            build_place.make_cache(copy.place.parent)
            lock = stack.enter_context(build_place.locked(copy.place))
            build_place.mark_used(copy.place)
            build_place.prune(copy.place.parent)
        except (OSError, RuntimeError) as error:
            raise _no_copy(bot, error) from None
        ready = _built(copy.bot)
        if ready is None:
            try:
                _fill(bot, copy, state)
                ready = _build(bot, copy.bot, lock, watch, timeout_s)
            except BaseException:
                with suppress(OSError):
                    build_place.remove(copy.place)
                raise
        build_place.hold(copy.place)
        return ready


def _fill(bot: BotSpec, copy: build_place.CachedCopy, state: str) -> None:
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
    stamp = _read(bot.source.parent / build_place.STAMP)
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
    _write(bot.source.parent / build_place.STAMP, _state(bot))
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
    """Return the error for a copy that cannot be made, with advice if the cache is not writable."""
    advice = "; set XDG_CACHE_HOME to a folder that you can write to"
    if isinstance(error, RuntimeError):  # no home folder
        reason = str(error)
    else:
        path = error.filename2 or error.filename
        reason = str(error.strerror)
        if path and os.path.islink(path) and not os.path.exists(path):
            reason = "a broken link"
        if (
            error.errno not in _DENIED
            or not path
            or not Path(path).is_relative_to(build_place.cache_folder().parents[1])
        ):
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
    """Write the stamp if the folder is writable.

    Without it the bot is built each time, which is slower but correct.
    """
    try:
        stamp.write_text(state)
    except OSError:
        return
