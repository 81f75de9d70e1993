"""Starts a bot that the referee started (PROTOCOL.md, "Who talks to whom").

Many processes are started: what they need is imported when they need it, and a wrong start says so before that.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from typing import NoReturn

from harness.sdk.bot import Bot, check_bot
from harness.sdk.protocols import PROTOCOLS, SPOKEN
from harness.sdk.telling import fail


def run(bot: Bot, environment: Mapping[str, str] | None = None) -> NoReturn:
    """Play until the referee says goodbye or the stream ends, then exit with code 0.

    Exits with code 1 and one sentence on stderr if there is no referee or it refuses the bot; with code 1, the
    traceback on stderr and a BotFault to the referee if the bot raises. `environment` stands in for os.environ.
    """
    sys.exit(serve(bot, os.environ if environment is None else environment))


def serve(bot: Bot, environment: Mapping[str, str]) -> int:
    """What `run` does, but returns the exit code."""
    try:
        check_bot(bot)
    except TypeError as error:
        return fail(str(error))
    address = environment.get("BOWERBIRD_ADDRESS")
    if not address:
        return fail("BOWERBIRD_ADDRESS is not set: this program is started by bowerbird; try `bowerbird match ...`")
    offered = environment.get("BOWERBIRD_PROTOCOLS", "1")
    if not {str(version) for version in PROTOCOLS} & {version.strip() for version in offered.split(",")}:
        return fail(f"the referee speaks protocol {offered} (BOWERBIRD_PROTOCOLS); this bot speaks {SPOKEN}")

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # what was printed is in the log, however the process ends

    from harness.sdk.conversation import converse

    token = environment.get("BOWERBIRD_TOKEN", "")
    return converse(bot, address=address, token=token, authority=environment.get("BOWERBIRD_CA", ""))
