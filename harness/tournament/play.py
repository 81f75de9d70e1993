"""Plays a plan: refuses what can be refused, builds the bots, chooses their isolation; then `runner` has them play.

The order is that of a quick start. A launcher process and the probes of isolation tiers each take about as long as the
import of gRPC, and the three go on at once; then the first bots start, and trio and the referee are imported meanwhile.
Nothing that they need not wait for comes before that.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from harness.records.run import RunHeader
from harness.records.store import Store
from harness.referee.lifeline import Lifeline
from harness.tournament.build import prepare
from harness.tournament.events import Building, IsolationChosen, NothingLeft, Progress
from harness.tournament.extension import check_beacon, check_continues
from harness.tournament.isolation import choose_tier
from harness.tournament.plan import Plan
from harness.tournament.remote_bot import check_all_local

if TYPE_CHECKING:
    from harness.tournament.hosting import Hosting


def play_tournament(
    plan: Plan,
    store: Store,
    *,
    workspace: Path,
    progress: Progress,
    hosting: Hosting | None = None,
    workers: int = 1,
) -> None:
    """Play what a plan has left to play, and store it.

    `workspace` is a folder for logs. With more than one of `workers`, that many processes play, each with a referee of
    its own. Before the first game of a new run each bot must start; later on one that does not is NEVER_STARTED at its
    tables and the run goes on. Remote bots come in through `hosting`, and all of them must be there before any game;
    they meet one referee, in this process. Raises TournamentError or StoreError, with nothing of the run lost;
    KeyboardInterrupt after Ctrl-C or SIGTERM, when every process has ended. A second Ctrl-C does not wait.
    """
    stored = store.header(plan.header.fingerprint)
    if stored is not None:
        check_continues(stored, plan.header)
    check_beacon(stored, plan.header)
    if stored is not None and _is_complete(plan, stored, store):
        progress(NothingLeft(plan.header, len(store.stored_sets(plan.header.fingerprint))))
        return
    if hosting is None:
        check_all_local(plan.file.bots)
    bots = [prepare(bot, lambda name: progress(Building(name))) for bot in plan.file.bots]
    so_far = _tier_so_far(store, plan.header.fingerprint)
    hidden = (store.path.parent,)
    with ExitStack() as stack:
        lifeline = stack.enter_context(Lifeline.start()) if workers == 1 else None
        with ThreadPoolExecutor(max_workers=1) as beside:
            choosing = beside.submit(choose_tier, plan.file.isolation, bots, hidden, so_far)
            from harness.referee.ahead import HeadStart  # with gRPC, while others work
        chosen = choosing.result()
        progress(IsolationChosen(chosen.tier, chosen.remark))
        ahead = stack.enter_context(HeadStart(lifeline)) if lifeline is not None else None
        if ahead is not None and not so_far:
            ahead.send_for(bots, ahead.isolate(chosen.tier, hidden), workspace, plan.file.time.startup_ms)
        from harness.tournament.runner import perform  # with trio, while the bots start

        perform(
            plan,
            bots,
            store,
            workspace=workspace,
            tier=chosen.tier,
            progress=progress,
            hosting=hosting,
            workers=workers,
            ahead=ahead,
        )


def _is_complete(plan: Plan, stored: RunHeader, store: Store) -> bool:
    """Whether this very file has been played to its end."""
    return stored.config == plan.header.config and store.run(plan.header.fingerprint).ended is not None


def _tier_so_far(store: Store, fingerprint: str) -> str:
    """The isolation tier of the games of a run that are stored; "" where there is none."""
    game = next(iter(store.game_ids(fingerprint)), None)
    return store.record(game).conditions.isolation if game is not None else ""
