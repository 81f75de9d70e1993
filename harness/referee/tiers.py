"""The isolation tiers by name, and whether one works here: found out by running it (FAULTS.md, Isolation)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from harness.referee.handing import handing
from harness.referee.isolation import NONE, Limited, NoIsolationError, Tier, Unconfined
from harness.referee.sandbox import Sandbox
from harness.referee.spec import BotSpec

PROBE_S = 20.0

_LOOK = """
program=$1
shift
test -x "$program" || { echo "$program cannot be run" >&2; exit 1; }
for file; do test -r "$file" || { echo "$file cannot be read" >&2; exit 1; }; done
case ${program##*/} in python*) exec "$program" -c "import sys";; esac
"""
"""A shell that sees whether the program, its first argument, can be run, and the files, its others, can be read.

One that is a Python is started, too. All of it in one sandbox, since making one is most of the time that it takes.
"""


def tier_named(name: str, *, hidden: Sequence[Path] = ()) -> Tier:
    """The tier of this name; in a sandbox no bot sees the folders `hidden`. Raises KeyError."""
    tiers: dict[str, Tier] = {tier.name: tier for tier in (Sandbox(hidden), Limited(), Unconfined())}
    return tiers[name]


def probe(tier: Tier, bot: BotSpec) -> str:
    """Why the tier does not work here for the bot; "" if it does, or the bot runs elsewhere.

    Looks from inside, with the bot's own folders and interpreter, whether its program can be run, and its folder and
    files be read; where the program is a Python it is started. The bot's own code does not run.
    """
    if tier.name == NONE or bot.remote:
        return ""
    return _ask(tier, bot, ("/bin/sh", "-c", _LOOK, "sh", bot.command[0], *_files(bot)))


def _ask(tier: Tier, bot: BotSpec, question: Sequence[str]) -> str:
    try:
        launch = tier.launch(replace(bot, command=(bot.command[0],)), {})
        with handing((*launch.argv[:-1], *question), launch.handed) as (argv, descriptors):
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
        return f"it was not done after {PROBE_S:g} s"
    if done.returncode == 0:
        return ""
    words = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return words[-1] if words else f"exit status {done.returncode}"


def _files(bot: BotSpec) -> Iterable[str]:
    """What of the bot must be readable: its folder, what its manifest names, and the files that its command names."""
    yield os.path.abspath(bot.source if bot.source.is_dir() else bot.source.parent)
    yield from map(os.path.abspath, (*bot.files, *bot.read))
    for word in bot.command[1:]:
        path = os.path.join(bot.cwd, word)
        if os.path.isfile(path):
            yield path
