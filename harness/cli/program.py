"""How the user would type the command, for the commands that we suggest."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence

NAME = "bowerbird"


def command_line(arguments: Sequence[str]) -> str:
    """A command line for the user's shell: `bowerbird …` where the PATH finds it, else with the way to it."""
    return shlex.join([_program(), *arguments])


def _program() -> str:
    """What this process was started as, from here."""
    started = shutil.which(sys.argv[0])
    if started is None or os.path.basename(started) != NAME:
        return NAME
    found = shutil.which(NAME)
    if found is not None and os.path.samefile(found, started):
        return NAME
    relative = os.path.relpath(started)
    return started if relative.startswith(os.pardir) else relative
