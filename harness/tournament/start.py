"""Plays a plan: checks it, builds its bots, chooses their isolation and starts them; `runner` does the rest.

The order makes the start fast. The supervisor process and the probes of isolation tiers each take about as long as the
import of gRPC, so all three run at the same time. Then the first bots start while trio and the referee are imported.
This module must not import trio.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.harness.records.store.run_members import store_run_digest
from bowerbird.harness.records.store.sidecar import logs_of
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import NO_ISOLATION, OWN_USER
from bowerbird.harness.records.vouching import private_folders
from bowerbird.harness.referee.process.supervisor_handle import SupervisorHandle
from bowerbird.harness.tournament import events
from bowerbird.harness.tournament.config.bot_entries import check_all_local
from bowerbird.harness.tournament.config.resume_rules import check_beacon, check_resume
from bowerbird.harness.tournament.errors import IsolationError
from bowerbird.harness.tournament.plan import Plan
from bowerbird.harness.tournament.preparation.build import TIMEOUT_S, prepare
from bowerbird.harness.tournament.preparation.isolation import (
    TierChoice,
    choose_tier,
    close_to_others,
    readable_seed_refusal,
    refuse_unlike,
    unshared_processors,
)
from bowerbird.harness.tournament.preparation.network import network_lines, networks, refuse_elsewhere
from bowerbird.harness.tournament.record_ratings import store_record_ratings
from bowerbird.harness.tournament.run_options import PreparedRun, RunOptions

if TYPE_CHECKING:
    from bowerbird.harness.referee.spec import BotSpec

FEWEST_BOTS = 2
"""The fewest bots that can fill a table."""


def play_tournament(plan: Plan, store: Store, progress: events.Progress, options: RunOptions) -> None:
    """Play and store the part of a plan that is not yet stored. `progress` is called with each event.

    Before the first game of a new run each local bot must start. Later, a bot that does not start has the fault
    NEVER_STARTED at its tables, and the run continues. All remote bots must be connected before any game.

    Raises TournamentError or StoreError; everything stored so far stays. Raises KeyboardInterrupt after Ctrl-C or
    SIGTERM, once every process has ended; a second signal kills the processes at once.
    """
    run = store[plan.header.fingerprint]
    stored = run.header()
    if stored is not None:
        check_resume(stored, plan.header)
        run.secret_seeds()  # raises StoreError if one is lost, before any bot is built
    check_beacon(stored, plan.header)
    if stored is not None and stored.config == plan.header.config and run.row.ended is not None:
        progress(events.NothingLeft(plan.header, len(run.stored_sets())))
        store_record_ratings(run)  # versions before 7 stored none
        store_run_digest(run)  # versions before 9 stored none
        return
    if options.hosting is None:
        check_all_local(plan.file.bots)
    elif sum(not bot.remote for bot in plan.file.bots) < FEWEST_BOTS:
        options = replace(options, workers=1, machines=None)  # a remote bot sits at every table
    with ExitStack() as opened:
        prepare_all = _prepared_here if options.machines is None else _prepared_elsewhere
        prepared = prepare_all(plan, store, progress, options, opened)
        from bowerbird.harness.tournament.playing.runner import play_prepared  # imports trio, while the bots start

        play_prepared(prepared)


def _prepared_here(
    plan: Plan, store: Store, progress: events.Progress, options: RunOptions, opened: ExitStack
) -> PreparedRun:
    """Build the bots, choose their isolation, and start the first bots if only this process plays."""
    run, workspace = store[plan.header.fingerprint], logs_of(store.path, plan.header.fingerprint)
    built = _built(plan, progress)
    stored_conditions = run.conditions()
    hidden = (store.path.parent, *private_folders())
    bots = opened.enter_context(networks(built, workspace))
    for line in network_lines(bots):
        progress(events.NetworkChosen(line))
    supervisor = opened.enter_context(SupervisorHandle.start()) if options.workers == 1 else None
    with ThreadPoolExecutor(max_workers=1) as thread:
        sharing = thread.submit(unshared_processors)
        choosing = thread.submit(choose_tier, plan.file.isolation, bots, hidden, stored_conditions)
        from bowerbird.harness.referee.connection.prestart import Prestart  # imports gRPC, while the tiers are probed
    choice = choosing.result()
    prepared = PreparedRun(
        plan=plan,
        store=store,
        progress=progress,
        options=options,
        bots=bots,
        choice=choice,
        hidden=hidden,
        workspace=workspace,
        prestart=opened.enter_context(Prestart(supervisor)) if supervisor is not None else None,
    )
    _isolate(prepared, bots_can_read_seed=choice.bots_can_read_seed)
    if sharing.result() and choice.tier != NO_ISOLATION and any(not bot.remote for bot in bots):
        progress(events.ProcessorsUnshared(sharing.result()))
    if prepared.prestart is not None and stored_conditions is None:
        tier = prepared.prestart.tier(choice.tier, hidden, choice.measures)
        prepared.prestart.start_first(bots, tier, workspace, plan.file.time.startup_ms)
    return prepared


def _prepared_elsewhere(
    plan: Plan, store: Store, progress: events.Progress, options: RunOptions, opened: ExitStack
) -> PreparedRun:
    """Open the other machines, which build and isolate the bots. Tables with remote bots are played here."""
    machines = options.machines
    assert machines is not None
    refuse_elsewhere(plan.file.bots, machines.option)
    run, folders = store[plan.header.fingerprint], (store.path.parent, *private_folders(), *machines.folders)
    hidden = tuple(folder.absolute() for folder in folders)
    local = [bot for bot in plan.file.bots if not bot.remote]
    ready = opened.enter_context(machines.opened(local, plan.file.isolation, hidden, run.conditions()))
    bots, can_read_here = plan.file.bots, False
    if options.hosting is not None:
        bots, can_read_here = _built_like(plan, ready.choice, hidden, progress)
    prepared = PreparedRun(
        plan=plan,
        store=store,
        progress=progress,
        options=options,
        bots=bots,
        choice=ready.choice,
        hidden=hidden,
        workspace=logs_of(store.path, run.fingerprint),
        machines=ready,
    )
    _isolate(prepared, bots_can_read_seed=ready.choice.bots_can_read_seed or can_read_here)
    progress(ready.chosen)
    return prepared


def _isolate(prepared: PreparedRun, *, bots_can_read_seed: bool) -> None:
    """Deny bots that run as other users access to the run's files, and report the isolation.

    Raises IsolationError if local bots could read the seed and the options refuse that.
    """
    choice = prepared.choice
    if bots_can_read_seed and prepared.options.refuse_readable_seed:
        raise IsolationError(readable_seed_refusal(choice.tier))
    if OWN_USER in choice.measures:
        close_to_others(prepared.store.path, prepared.workspace)
    prepared.progress(events.IsolationChosen(choice.tier, choice.remark, choice.shared_files))


def _built(plan: Plan, progress: events.Progress) -> tuple[BotSpec, ...]:
    """Return the plan's bots, built and ready to start."""
    return tuple(
        prepare(
            bot, lambda name: progress(events.Building(name, TIMEOUT_S)), lambda line: progress(events.BuildSays(line))
        )
        for bot in plan.file.bots
    )


def _built_like(
    plan: Plan, elsewhere: TierChoice, hidden: tuple[Path, ...], progress: events.Progress
) -> tuple[tuple[BotSpec, ...], bool]:
    """Build the bots here too, for the tables with remote bots. Return them, and whether they could read the seed.

    Raises IsolationError unless they are isolated in the same way here and on the workers, since a run has one
    isolation.
    """
    bots = _built(plan, progress)
    here = choose_tier(elsewhere.tier, bots, hidden, None)
    refuse_unlike(here, elsewhere)
    return bots, here.bots_can_read_seed
