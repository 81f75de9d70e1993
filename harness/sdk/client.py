"""Runs a bot in the process that the referee started for it (protocol.md, The bot's environment).

Imports the engine, and gRPC, only when they are needed, because many processes are started, and a process that was
started wrongly fails before then.
"""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from bowerbird.harness.sdk.bot import Bot, check_bot
from bowerbird.harness.sdk.log import fail


def run(bot: Bot, environment: Mapping[str, str] | None = None) -> NoReturn:
    """Play until the referee says goodbye or the stream ends, then exit with code 0.

    Exits with code 1 and one sentence on stderr if there is no referee or it refuses the bot. If the bot raises, exits
    with code 1, writes the traceback to stderr and sends a BotFault to the referee. `environment` replaces os.environ.
    """
    sys.exit(serve(bot, os.environ if environment is None else environment))


def _own_folder() -> str:
    """Return the folder of the running script, as typed on a command line; "FOLDER" if it has no bot.toml."""
    folder = os.path.dirname(os.path.abspath(sys.argv[0]))
    return shlex.quote(folder) if os.path.isfile(os.path.join(folder, "bot.toml")) else "FOLDER"


def serve(bot: Bot, environment: Mapping[str, str]) -> int:
    """Do what `run` does, but return the exit code. With BOWERBIRD_ASK, ask for one decision instead (`debugging`)."""
    try:
        check_bot(bot)
    except TypeError as error:
        return fail(str(error))
    asked = environment.get("BOWERBIRD_ASK")
    if asked:
        from bowerbird.harness.sdk.debugging import debug

        return debug(bot, Path(asked))
    address = environment.get("BOWERBIRD_ADDRESS")
    if not address:
        return fail(
            "BOWERBIRD_ADDRESS is not set: this program is started by bowerbird; try "
            f"`bowerbird match {_own_folder()} random --variant euchre`, or bowerbird.sdk.play in a program of your own"
        )

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # printed lines reach the log, however the process ends

    from bowerbird.harness.sdk.connection import connect_and_play
    from bowerbird.harness.sdk.session import PROTOCOL_VERSIONS, SPOKEN

    offered = environment.get("BOWERBIRD_PROTOCOLS", "1")
    if not {str(version) for version in PROTOCOL_VERSIONS} & {version.strip() for version in offered.split(",")}:
        return fail(f"the referee speaks protocol {offered} (BOWERBIRD_PROTOCOLS); this bot speaks {SPOKEN}")
    token = environment.get("BOWERBIRD_TOKEN", "")
    return connect_and_play(bot, address=address, token=token, ca_file=environment.get("BOWERBIRD_CA", ""))
