"""Jobs and deal sets of plans with one round, which are known before the first game, and setups of their referees."""

from __future__ import annotations

from pathlib import Path

from bowerbird.harness.records.values.faults import FORFEIT
from bowerbird.harness.records.values.game_record import Conditions, TimeControl
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.referee.spec import FaultLimits
from bowerbird.harness.tournament.executors.contract import RefereeSetup
from bowerbird.harness.tournament.formats.rounds import Round
from bowerbird.harness.tournament.jobs.job import Job
from bowerbird.harness.tournament.plan import Plan


def first_round(plan: Plan) -> Round:
    """Return the first round: the only one of a round-robin or gauntlet."""
    return next(plan.rounds())


def jobs_of(plan: Plan) -> tuple[Job, ...]:
    """Return the jobs of a plan of one round."""
    return tuple(first_round(plan).jobs)


def keys_of(plan: Plan) -> tuple[SetKey, ...]:
    """Return the deal sets of a plan of one round, in the order of the schedule."""
    return tuple(first_round(plan).keys)


def setup_of(plan: Plan, tables: int = 16) -> RefereeSetup:
    """Return the setup of a referee of a plan."""
    conditions = Conditions(FORFEIT, "none", "seat", TimeControl())
    return RefereeSetup(
        plan.file.bots, conditions, Path("logs"), hidden=(), slots=2, tables=tables, limits=FaultLimits()
    )
