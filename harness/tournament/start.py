"""Plays a plan: checks it, builds its bots, chooses their isolation and starts them; `runner` does the rest.

The order makes the start quick. The supervisor process and the probes of isolation tiers each take about as long as the
import of gRPC, so the three run at the same time. Then the first bots start while trio and the referee are imported.
This module must not import trio.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from harness.records.signatures.key_files import private_folders
from harness.records.store.run_members import store_run_digest
from harness.records.store.store import Store
from harness.records.values.game_record import OWN_USER
from harness.referee.process.supervisor_handle import SupervisorHandle
from harness.tournament.config.bot_entries import check_all_local
from harness.tournament.config.resume_rules import check_beacon, check_resume
from harness.tournament.errors import IsolationError
from harness.tournament.events import (
    Building,
    IsolationChosen,
    NetworkChosen,
    NothingLeft,
    Progress,
    WorkersChosen,
)
from harness.tournament.executors.cluster.address import missing_library
from harness.tournament.plan import Plan
from harness.tournament.preparation.build import prepare
from harness.tournament.preparation.isolation import (
    TierChoice,
    choose_tier,
    close_to_others,
    readable_seed_refusal,
    refuse_unlike,
)
from harness.tournament.preparation.network import network_lines, networks, refuse_on_cluster
from harness.tournament.prepared_run import PreparedRun
from harness.tournament.record_ratings import store_record_ratings

if TYPE_CHECKING:
    from harness.referee.spec import BotSpec
    from harness.referee.table_watch import OnSteps
    from harness.tournament.executors.cluster.address import ClusterOptions
    from harness.tournament.preparation.hosting import Hosting


FEWEST_BOTS = 2
"""The fewest bots that can fill a table."""


def play_tournament(
    plan: Plan,
    store: Store,
    *,
    workspace: Path,
    progress: Progress,
    hosting: Hosting | None = None,
    workers: int = 1,
    cluster: ClusterOptions | None = None,
    refuse_readable_seed: bool = False,
    watch: bool = False,
    on_steps: OnSteps | None = None,
) -> None:
    """Play the part of a plan that is not stored yet, and store it.

    Before the first game of a new run each local bot must start. Later, a bot that does not start is
    NEVER_STARTED at its tables, and the run continues. All remote bots must be connected before any game.

    Raises TournamentError or StoreError; everything stored of the run stays. Raises KeyboardInterrupt after Ctrl-C or
    SIGTERM, when every process has ended; a second one kills the processes at once.

    workspace: the folder for logs.
    progress: called with each event.
    hosting: the listener for remote bots, which play with the referee of this process.
    workers: how many processes play, each with a referee of its own; 1 for this process alone. With `hosting`, several
        play the tables without a remote bot, beside this process.
    cluster: plays instead of processes of this machine. Its workers build the bots and isolate them. With `hosting`
        this process plays the tables with a remote bot, under the same isolation.
    refuse_readable_seed: raise IsolationError if a local bot could read the secret seed.
    watch: let spectators watch the run (`run_watch`).
    on_steps: is told at once what happens at every table, hidden actions too; it must not wait. Only with one worker.
    """
    run = store[plan.header.fingerprint]
    stored = run.header()
    if stored is not None:
        check_resume(stored, plan.header)
        run.secret_seeds()  # raises StoreError if one is lost, before any bot is built
    check_beacon(stored, plan.header)
    if stored is not None and stored.config == plan.header.config and run.row.ended is not None:
        progress(NothingLeft(plan.header, len(run.stored_sets())))
        store_record_ratings(run)  # a version before 7 stored none
        store_run_digest(run)  # one before 9 stored none
        return
    if hosting is None:
        check_all_local(plan.file.bots)
    elif sum(not bot.remote for bot in plan.file.bots) < FEWEST_BOTS:
        workers, cluster = 1, None  # a remote bot sits at every table
    if cluster is not None:
        refuse_on_cluster(plan.file.bots)
        _play_on_cluster(
            plan,
            store,
            cluster,
            workspace,
            progress,
            hosting=hosting,
            refuse_readable_seed=refuse_readable_seed,
            watch=watch,
        )
        return
    prepared = tuple(prepare(bot, lambda name: progress(Building(name))) for bot in plan.file.bots)
    stored_conditions = run.conditions()
    hidden = (store.path.parent, *private_folders())
    with ExitStack() as stack:
        bots = stack.enter_context(networks(prepared, workspace))
        for line in network_lines(bots):
            progress(NetworkChosen(line))
        supervisor = stack.enter_context(SupervisorHandle.start()) if workers == 1 else None
        with ThreadPoolExecutor(max_workers=1) as thread:
            choosing = thread.submit(choose_tier, plan.file.isolation, bots, hidden, stored_conditions)
            from harness.referee.connection.prestart import Prestart  # imports gRPC, while the tiers are probed
        choice = choosing.result()
        if choice.bots_can_read_seed and refuse_readable_seed:
            raise IsolationError(readable_seed_refusal(choice.tier))
        if OWN_USER in choice.measures:
            close_to_others(store.path, workspace)
        progress(IsolationChosen(choice.tier, choice.remark, choice.shared_files))
        prestart = stack.enter_context(Prestart(supervisor)) if supervisor is not None else None
        if prestart is not None and stored_conditions is None:
            tier = prestart.tier(choice.tier, hidden, choice.measures)
            prestart.start_first(bots, tier, workspace, plan.file.time.startup_ms)
        from harness.tournament.runner import play_prepared  # imports trio, while the bots start

        play_prepared(
            PreparedRun(
                plan=plan,
                store=store,
                bots=bots,
                tier=choice.tier,
                measures=choice.measures,
                hidden=hidden,
                workspace=workspace,
                progress=progress,
                hosting=hosting,
                workers=workers,
                prestart=prestart,
                watch=watch,
                on_steps=on_steps,
            )
        )


def _play_on_cluster(
    plan: Plan,
    store: Store,
    options: ClusterOptions,
    workspace: Path,
    progress: Progress,
    *,
    hosting: Hosting | None,
    refuse_readable_seed: bool,
    watch: bool,
) -> None:
    """Play a plan on the workers of a cluster, which build and isolate the bots; tables with remote bots here."""
    try:
        from harness.tournament.executors.cluster.on_worker.site import WantedIsolation
        from harness.tournament.executors.cluster.open_cluster import open_cluster
    except ModuleNotFoundError as error:
        raise missing_library(error) from None
    from harness.tournament.runner import play_prepared

    hidden = tuple(
        folder.absolute() for folder in (store.path.parent, *private_folders(), options.tls) if folder is not None
    )
    wanted = WantedIsolation(plan.file.isolation, hidden, store[plan.header.fingerprint].conditions())
    local = [bot for bot in plan.file.bots if not bot.remote]
    with open_cluster(options, local, wanted) as cluster:
        roster = cluster.roster
        choice = roster.choice
        bots, can_read_here = plan.file.bots, False
        if hosting is not None:
            bots, can_read_here = _built_like(plan, choice, hidden, progress)
        if (choice.bots_can_read_seed or can_read_here) and refuse_readable_seed:
            raise IsolationError(readable_seed_refusal(choice.tier))
        if OWN_USER in choice.measures:
            close_to_others(store.path, workspace)
        progress(IsolationChosen(choice.tier, choice.remark, choice.shared_files))
        progress(WorkersChosen(len(roster.admitted), roster.machines, tuple(map(str, roster.left_out))))
        play_prepared(
            PreparedRun(
                plan=plan,
                store=store,
                bots=bots,
                tier=choice.tier,
                measures=choice.measures,
                hidden=hidden,
                workspace=workspace,
                progress=progress,
                hosting=hosting,
                workers=len(roster.admitted),
                prestart=None,
                cluster=cluster,
                watch=watch,
            )
        )


def _built_like(
    plan: Plan, elsewhere: TierChoice, hidden: tuple[Path, ...], progress: Progress
) -> tuple[tuple[BotSpec, ...], bool]:
    """Build the bots here, too, for the tables with remote bots. Return them, and whether they could read the seed.

    Raises IsolationError unless they are isolated here as on the workers: a run has one isolation.
    """
    bots = tuple(prepare(bot, lambda name: progress(Building(name))) for bot in plan.file.bots)
    here = choose_tier(elsewhere.tier, bots, hidden, None)
    refuse_unlike(here, elsewhere)
    return bots, here.bots_can_read_seed
