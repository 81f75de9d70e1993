"""The first page: the leagues, and the runs that are not epochs of a league."""

from __future__ import annotations

from bowerbird.harness.extras.serve.pages.league_pages import league_summary
from bowerbird.harness.extras.serve.pages.reports import Values
from bowerbird.harness.extras.serve.pages.run_pages import Content, Context, progress, state_of
from bowerbird.harness.records.store.store import StoredRun


def home_page(context: Context) -> Content:
    """Return the list of all leagues and of all runs except epochs, which are on the pages of their league."""
    epochs = context.store.epochs()
    runs = [_run(context, run) for run in context.store.runs() if run.fingerprint not in epochs]
    leagues = [league_summary(context, league.name) for league in context.store.leagues()]
    return Content("home.html", "All runs", {"leagues": leagues, "runs": runs}, moves="*")


def _run(context: Context, run: StoredRun) -> Values:
    live = context.of_run(run)
    return {
        "run": run.fingerprint,
        "name": run.row.name,
        "state": state_of(run, live),
        "started": run.row.started[:16].replace("T", " "),
        "bots": run.row.bots,
        "sets": run.row.sets,
        "games": run.row.games,
        "practice": run.row.practice,
        "corrections": run.row.corrections,
        "progress": progress(run, live),
        "address": context.addresses.run(run.fingerprint),
    }
