"""The process of a run in which the agent plays, like any run of `play_tournament`.

The order (`play.ordered_run`) consists of the tables of the tournament file, the database, and the server's socket and
secret.

It writes a line when the run is stored or has failed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bowerbird.harness.extras.play.ordered_run import carry_out, play_run, tell
from bowerbird.harness.tournament.config.toml.document import TomlDocument
from bowerbird.harness.tournament.config.tournament_file import tournament_of
from bowerbird.harness.tournament.events import TournamentEvent
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.run_options import RunOptions

SOCKET, SECRET = "AGENT_SOCKET", "AGENT_SECRET"
"""The environment variables that lead the agent's bot to the server (`agent_bot.agent`)."""

AGENT_MANIFEST = Path(__file__).parent / "agent_bot" / "bot.toml"


def plan_of(tables: Mapping[str, Any]) -> Plan:
    """Return the plan of a tournament from the tables of its file. Raises TournamentError, EngineError."""
    return make_plan(tournament_of(TomlDocument(tables["tournament"]["name"], tables, {}), Path()))


def _play(order: Any) -> int:
    """Play the run that the order describes. Return the exit code."""
    plan = _with_agent(plan_of(order["file"]), Path(order["socket"]), order["secret"])
    code = play_run(plan, Path(order["db"]), _on_event, RunOptions())
    if code == 0:
        tell("stored", run=plan.header.fingerprint)
    return code


def _with_agent(plan: Plan, socket: Path, secret: str) -> Plan:
    """Return the plan with the agent's bots connecting to the server."""
    bots = tuple(
        replace(bot, private={SOCKET: str(socket), SECRET: secret}, read=(socket,))
        if bot.source == AGENT_MANIFEST
        else bot
        for bot in plan.file.bots
    )
    return replace(plan, file=replace(plan.file, bots=bots))


def _on_event(_event: TournamentEvent) -> None:
    """Ignore an event, since the agent learns about its games through its seats."""


if __name__ == "__main__":
    sys.exit(carry_out(_play))
