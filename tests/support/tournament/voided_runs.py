"""Runs in which chosen games are void, played at local tables and recorded in a store."""

from __future__ import annotations

from collections.abc import Callable

import trio

from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.store.writer import RunWriter
from bowerbird.harness.records.values.voids import MOST_ATTEMPTS
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.events import TournamentEvent
from bowerbird.harness.tournament.executors.contract import Executor
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.playing.run import Run, SetWriter
from bowerbird.harness.tournament.playing.runner import unwrapped_errors
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.plans import jobs_of

BOTS = '[[bot]]\npath = "bots/alpha"\n[[bot]]\npath = "bots/last"\n'
EUCHRE = '[[variant]]\nname = "euchre"\n'
EVERY = tuple(range(MOST_ATTEMPTS))
FIRST = "buck-0/alpha+alpha+last+last/0"


def planned(yard: Yard, *lines: str, variants: str = f'{EUCHRE}[[variant]]\nname = "buck"\n') -> Plan:
    """Return a plan of two bots that play differently: by default three sets of two variants, 18 games."""
    yard.bot("last")
    return make_plan(
        load_tournament(yard.tournament('seed = "leaves"', *(lines or ("sets = 3",)), variants=variants, bots=BOTS))
    )


def play(
    plan: Plan, store: Store, tables: Executor, watched: Callable[[RunWriter], SetWriter] = lambda writer: writer
) -> list[TournamentEvent]:
    """Play a plan's run with these tables; return its events."""
    events: list[TournamentEvent] = []
    with store.begin(plan.header, plan.seed) as writer:
        run = Run(plan, store[plan.header.fingerprint], watched(writer), events.append)
        with unwrapped_errors():
            trio.run(run.play, tables)
    return events


def games_of(plan: Plan, key: str) -> list[str]:
    """Return the ids of a deal set's games."""
    tables = [table for job in jobs_of(plan) for table in job.tables()]
    return [table.game_id for table in tables if table.game_id.rpartition("/")[0] == f"{plan.header.fingerprint}/{key}"]


def voided(plan: Plan, key: str, *attempts: int) -> set[tuple[str, int]]:
    """Return the first game of a deal set as void in these attempts."""
    return {(games_of(plan, key)[0], attempt) for attempt in attempts}
