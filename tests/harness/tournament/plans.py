"""What of a plan is known before the first game: the jobs and deal sets of a tournament of one round."""

from __future__ import annotations

from harness.records.run import SetKey
from harness.tournament.job import Job
from harness.tournament.plan import Plan
from harness.tournament.rounds import Round


def first_round(plan: Plan) -> Round:
    """The first round, which is all of a round-robin or gauntlet."""
    return next(plan.rounds())


def jobs_of(plan: Plan) -> tuple[Job, ...]:
    """Its jobs."""
    return first_round(plan).jobs


def keys_of(plan: Plan) -> tuple[SetKey, ...]:
    """Its deal sets, in the order of the schedule."""
    return tuple(first_round(plan).keys)
