"""The isolation tiers by name, and a probe of whether a tier works on this system (faults.md, Isolation)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bowerbird.harness.records.values.game_record import LIMITS, NO_ISOLATION, OWN_USER
from bowerbird.harness.referee.isolation.launch import (
    ADDRESS,
    PROCESS_LIMIT,
    Launch,
    NoIsolationError,
    Tier,
    clean_environment,
    own_variables,
    prlimit_command,
    program_path,
)
from bowerbird.harness.referee.isolation.own_user import UserIds, become_user_command, unused_user_ids
from bowerbird.harness.referee.isolation.sandbox import HOME, Sandbox
from bowerbird.harness.referee.isolation.seccomp import passing_filter
from bowerbird.harness.referee.spec import BotSpec

PROBE_S = 20.0

_OWNER_ONLY, _ENTER_ONLY = 0o600, 0o711
"""The modes of a bot's socket, and of the folder of all sockets, which bots cannot list."""

_PROBE_SCRIPT = """
program=$1
shift
test -x "$program" || { echo "$program cannot be run" >&2; exit 1; }
for file; do test -r "$file" || { echo "$file cannot be read" >&2; exit 1; }; done
case ${program##*/} in python*) exec "$program" -c "import sys";; esac
"""
"""A script that checks that its first argument can be run and the others can be read, and starts a Python program.

One script does everything in one sandbox, since making the sandbox takes most of the time.
"""


class Unconfined:
    """Tier none, for trusted bots: a separate process group and a clean environment."""

    name = NO_ISOLATION
    needs = "nothing"

    def launch(self, bot: BotSpec, seat: Mapping[str, str]) -> Launch:
        """Return the bot's own command."""
        return Launch(bot.command, bot.cwd, clean_environment(bot.environment, seat))


class Limited:
    """Tier limits: limits on processor time, open files, file size and memory; no core file.

    With `own_user` each process runs as an unused user (`OWN_USER`), which only root can arrange.
    """

    name = LIMITS
    needs = "prlimit (of util-linux)"

    def __init__(self, *, own_user: bool = False) -> None:
        """Create the tier. With `own_user`, each process gets its own user; `launch` then fails unless run by root."""
        self._own_user = own_user
        self._user_ids = UserIds(unused_user_ids() if own_user else ())

    def launch(self, bot: BotSpec, seat: Mapping[str, str]) -> Launch:
        """Return the bot's command behind prlimit.

        A process with its own user gets ownership of its seat's socket, so that no other bot can dial it.
        """
        confine = prlimit_command()
        own: dict[str, str] = {}
        if self._own_user:
            confine = (*self._become_user(seat), *prlimit_command(f"--nproc={PROCESS_LIMIT}"))
            own = {"HOME": HOME, "USER": "bot", "LOGNAME": "bot"}
        first, *rest = confine
        # By its path, since a PATH with "." would find a program of this name in the bot's folder.
        return Launch(
            (program_path(first), *rest, *own_variables(bot), *bot.command),
            bot.cwd,
            clean_environment(own, seat),
            memory_mb=bot.memory_mb,
            processes=PROCESS_LIMIT,
        )

    def _become_user(self, seat: Mapping[str, str]) -> tuple[str, ...]:
        """Return the prefix that runs a command as an unused user, and make that user the owner of its socket.

        Raises NoIsolationError, OSError.
        """
        if not self._user_ids:
            raise NoIsolationError("only root can start bots as users of their own")
        user = self._user_ids.choose()
        kind, _, socket = seat.get(ADDRESS, "").partition(":")
        if kind == "unix":
            os.chown(socket, user, user)
            os.chmod(socket, _OWNER_ONLY)
            os.chmod(os.path.dirname(socket), _ENTER_ONLY)
        return become_user_command(user)


def tier_named(name: str, *, hidden: Sequence[Path] = (), measures: Sequence[str] = ()) -> Tier:
    """Return the tier `name` with these `measures` (`game_record.MEASURES`). Raises KeyError.

    hidden: folders that its sandbox hides from every bot.
    """
    limited = Limited(own_user=OWN_USER in measures)
    tiers: dict[str, Tier] = {tier.name: tier for tier in (Sandbox(hidden), limited, Unconfined())}
    return tiers[name]


def probe(tier: Tier, bot: BotSpec) -> str:
    """Return why `tier` does not work here for `bot`; "" if it does, or if the bot runs elsewhere.

    Checks under the tier that the bot's program can be run and that its folder and files can be read. If the program is
    a Python, it is started. The bot's own code does not run.
    """
    if tier.name == NO_ISOLATION or bot.remote:
        return ""
    return _run_under(tier, bot, ("/bin/sh", "-c", _PROBE_SCRIPT, "sh", bot.command[0], *_files_to_read(bot)))


def _run_under(tier: Tier, bot: BotSpec, command: Sequence[str]) -> str:
    """Run `command` in place of the bot's; return why it failed, or ""."""
    try:
        launch = tier.launch(replace(bot, command=(bot.command[0],)), {})
        with passing_filter((*launch.argv[:-1], *command), memory_is_bounded=False) as (argv, descriptors):
            done = subprocess.run(
                argv,
                cwd=launch.cwd,
                env=dict(launch.environment),
                pass_fds=descriptors,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=PROBE_S,
                check=False,
            )
    except NoIsolationError as error:
        return str(error.strerror)
    except FileNotFoundError as error:
        return f"there is no {error.filename}"
    except OSError as error:
        return f"{error.filename or 'the operating system'}: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"it did not finish within {PROBE_S:g} s"
    if done.returncode == 0:
        return ""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"exit status {done.returncode}"


def _files_to_read(bot: BotSpec) -> Iterable[str]:
    """Yield the bot's folder, the paths in its bot.toml, and the files in its command."""
    yield os.path.abspath(bot.source if bot.source.is_dir() else bot.source.parent)
    yield from map(os.path.abspath, (*bot.files, *bot.read))
    for word in bot.command[1:]:
        path = os.path.join(bot.cwd, word)
        if os.path.isfile(path):
            yield path
