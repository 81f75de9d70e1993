"""The process of the run, which plays one game with `play_tournament` and ends with the program that ordered it.

The order (`ordered_run`) consists of the setup, the database, and the socket and secret of the program that shows the
game. An interrupted game leaves nothing behind.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bowerbird.harness.extras.play.ordered_run import carry_out, play_run, tell
from bowerbird.harness.extras.play.setup import Setup, plan_of, with_person
from bowerbird.harness.records.values.live import LiveSteps
from bowerbird.harness.tournament.events import Building, IsolationChosen, RunEnded, TournamentEvent
from bowerbird.harness.tournament.run_options import RunOptions


def _play(order: Any) -> int:
    """Play the game that the order describes. Return the exit code."""
    plan = with_person(plan_of(Setup.from_fields(order["setup"])), Path(order["socket"]), order["secret"])
    return play_run(plan, Path(order["db"]), _on_event, RunOptions(on_steps=_on_steps))


def _on_event(event: TournamentEvent) -> None:
    match event:
        case Building(bot=bot):
            tell("building", bot=bot)
        case IsolationChosen(tier=tier, remark=remark):
            tell("isolation", tier=tier, remark=remark)
        case RunEnded():
            tell("stored")


def _on_steps(steps: LiveSteps) -> None:
    """Report an event at the table.

    Hidden actions are included, since the program that ordered the run dealt the packs.
    """
    tell("steps", game=steps.game, actions=steps.actions, faults=[asdict(fault) for fault in steps.faults])


if __name__ == "__main__":
    sys.exit(carry_out(_play))
