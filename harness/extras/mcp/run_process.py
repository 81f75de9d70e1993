"""The process of a run in which the agent plays. It plays as `play_tournament` plays any run.

Reads one JSON line from stdin: the tournament as the tables of its file, the database, and the socket and the secret
of the server. Writes a JSON line when the run is stored or has failed. If stdin ends, the server is gone, and the run
ends in order. An interrupted run without a finished deal set leaves nothing behind.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from bowerbird.engine import EngineError
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.changes import delete_run
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.text.bounded_json import load_json
from bowerbird.harness.tournament.config.toml.document import TomlDocument
from bowerbird.harness.tournament.config.tournament_file import tournament_of
from bowerbird.harness.tournament.errors import TournamentError
from bowerbird.harness.tournament.events import TournamentEvent
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.run_options import RunOptions
from bowerbird.harness.tournament.start import play_tournament

SOCKET, SECRET = "AGENT_SOCKET", "AGENT_SECRET"
"""The variables from which the agent's bot knows the server (`agent_bot.agent`)."""

AGENT_MANIFEST = Path(__file__).parent / "agent_bot" / "bot.toml"
FAILED = 2
INTERRUPTED = 130


def plan_of(tables: Mapping[str, Any]) -> Plan:
    """Return the plan of a tournament given as the tables of its file. Raises TournamentError, EngineError."""
    return make_plan(tournament_of(TomlDocument(tables["tournament"]["name"], tables, {}), Path()))


def main() -> int:
    """Play the run that stdin describes. Return the exit code."""
    order = load_json(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        plan = _with_agent(plan_of(order["file"]), Path(order["socket"]), order["secret"])
        return _play(plan, Path(order["db"]))
    except (TournamentError, StoreError, EngineError) as error:
        _tell("failed", why=str(error.args[0]))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _with_agent(plan: Plan, socket: Path, secret: str) -> Plan:
    """Return the plan in which the bots of the agent dial the server."""
    bots = tuple(
        replace(bot, private={SOCKET: str(socket), SECRET: secret}, read=(socket,))
        if bot.source == AGENT_MANIFEST
        else bot
        for bot in plan.file.bots
    )
    return replace(plan, file=replace(plan.file, bots=bots))


def _play(plan: Plan, db: Path) -> int:
    fingerprint = plan.header.fingerprint
    with Store.create(db) as store:
        try:
            play_tournament(plan, store, _on_event, RunOptions())
        except KeyboardInterrupt:
            is_empty = not store[fingerprint].stored_sets()
        else:
            _tell("stored", run=fingerprint)
            return 0
    if is_empty:
        with suppress(StoreError):  # it may not have begun
            delete_run(db, fingerprint)
    return INTERRUPTED


def _on_event(_event: TournamentEvent) -> None:
    """Say nothing: the agent hears of its games from its seats."""


def _tell(what: str, **fields: object) -> None:
    with suppress(OSError):  # the server may be gone; then stdin ends, too
        sys.stdout.write(json.dumps({"kind": what, **fields}) + "\n")
        sys.stdout.flush()


def _end_with_parent() -> None:
    """Interrupt this process when stdin ends."""
    with suppress(OSError):
        while sys.stdin.readline():
            pass
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    sys.exit(main())
