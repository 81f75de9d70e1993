"""`bowerbird standings [RUN]...`, and the standings that other commands show when they have played."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.choices import check_variant, variants_of
from harness.cli.options import complete_variant, reading
from harness.cli.output import plain, print_json, print_lines
from harness.cli.rated import pooled_document, pooled_text, rated_document
from harness.cli.stories import latest_stories
from harness.cli.tables import crosstable, playing_table, rating_table

if TYPE_CHECKING:
    from harness.ratings.scopes import Scope
    from harness.records.rows import RunRow
    from harness.records.store import Store


@click.command("standings")
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@click.option("--variant", shell_complete=complete_variant, help="Only this variant.")
@click.option("--pooled", "only_pooled", is_flag=True, help="Only what holds over all variants.")
@click.option("--all", "every_run", is_flag=True, help="All runs of the database together.")
@reading
def command(
    *, runs: tuple[str, ...], variant: str | None, only_pooled: bool, every_run: bool, db: Path, as_json: bool
) -> None:
    """Show the standings of RUN (its id, the beginning of it, or its name; the newest run if left out).

    Elo is the rating of record, fitted to all complete deal sets, with its 95% interval; one bot is ranked above
    another where the interval of their difference excludes 0. LOS is the likelihood that a bot is stronger than the
    next one. "live" is the incremental Elo that progress shows. Points are above the table's mean, with their standard
    error. Won, drawn and lost count pairs of bots: at each table, each bot on another side is an opponent. Times are
    what a decision took, as charged. Several runs are rated together.
    """
    from harness.records.store import Store

    if every_run and runs:
        raise click.UsageError("--all takes every run, leave the names of runs out")
    if variant is not None and only_pooled:
        raise click.UsageError("--pooled is about all variants, leave --variant out")
    with Store.open(db) as store:
        found = [store.run(run) for run in runs] or (store.runs() if every_run else [store.run()])
        if len(found) > 1 or every_run:
            from harness.cli.merged import show_merged

            show_merged(store, found, variant=variant, as_json=as_json)
            return
        check_variant(store, found[0], variant)
        show_standings(store, found[0], as_json=as_json, variant=variant, only_pooled=only_pooled)


def show_standings(
    store: Store, run: RunRow, *, as_json: bool, variant: str | None = None, only_pooled: bool = False
) -> None:
    """Print the standings of a run on stdout: each variant, then all together; or one of these alone."""
    if as_json:
        print_json(standings_document(store, run, variant))
    else:
        print_lines(standings_text(store, run, variant, only_pooled=only_pooled))


def standings_text(store: Store, run: RunRow, variant: str | None = None, *, only_pooled: bool = False) -> list[str]:
    """The standings as lines for people."""
    from harness.ratings.scopes import scopes_of
    from harness.records.protection import protection_lines, unprotected

    results = store.results(run.fingerprint)
    known = variants_of(store, run)
    lines = [headline(run), *protection_lines(unprotected(store, run)), ""]
    several = variant is None and (len(known) > 1 or only_pooled)
    wanted: list[str | None] = [] if only_pooled else [variant] if variant is not None else [*known]
    if several:
        wanted.append(None)
    scopes = scopes_of(store, run.fingerprint, results, wanted)
    for scope in scopes.values():
        lines += _scope_text(scope)
    if several:
        lines += pooled_text(results, scopes[None].league)
    if scopes:
        lines += crosstable(scopes[wanted[-1]].bots, scopes[wanted[-1]].pairings)
    return lines + latest_stories(store.faults(run.fingerprint), store.path.parent, run.fingerprint)


def _scope_text(scope: Scope) -> list[str]:
    """A variant, or all together: its two tables and what stands at 0."""
    title = scope.variant or "all variants"
    rating, playing = rating_table(scope), playing_table(scope)
    return [title, *rating, scope.league.sentence, "", *playing, ""]


def headline(run: RunRow) -> str:
    """One line that says which run this is and how far it has come."""
    seed = "seed typed: a practice run" if run.practice else "seed drawn"
    state = "complete" if run.ended else "unfinished" if run.beacon != "" else "waiting for its beacon"
    if run.sets_after_seed and not run.practice:
        seed += f", {run.sets_after_seed} deal sets added when it was published: practice"
    return f"run {run.fingerprint} ({run.name}): {run.games} games in {run.sets} deal sets, {state}; {seed}"


def standings_document(store: Store, run: RunRow, variant: str | None = None) -> dict[str, object]:
    """The standings as values for JSON; `overall` and `pooled` are left out where one variant is asked for."""
    from harness.ratings.league import pooled
    from harness.ratings.scopes import scopes_of
    from harness.records.protection import unprotected

    results = store.results(run.fingerprint)
    wanted: list[str | None] = [variant] if variant is not None else [None, *variants_of(store, run)]
    scopes = scopes_of(store, run.fingerprint, results, wanted)
    document: dict[str, object] = {"run": run, "unprotected": unprotected(store, run)}
    if variant is None:
        document["overall"] = _scope_document(scopes.pop(None))
        document["pooled"] = {bot: pooled_document(line) for bot, line in pooled(results).items()}
    document["variants"] = {each: _scope_document(scope) for each, scope in scopes.items()}
    document["faults"] = store.faults(run.fingerprint)
    return document


def _scope_document(scope: Scope) -> dict[str, object]:
    lines = [{**rated_document(scope.league.line(line.bot)), **fields_of(line)} for line in scope.standings]
    return {"standings": lines, "basis": scope.league.sentence, "crosstable": scope.pairings}


def fields_of(value: object) -> dict[str, object]:
    """The fields of a frozen value for JSON."""
    fields = plain(value)
    assert isinstance(fields, dict)
    return fields
