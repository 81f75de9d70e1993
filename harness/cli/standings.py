"""`bowerbird standings [RUN]...`, and the standings that other commands show when they have played."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.choices import check_variant, variants_of
from harness.cli.options import complete_variant, reading
from harness.cli.output import plain, print_json, print_lines
from harness.cli.protection import protection_lines, unprotected
from harness.cli.stories import latest_stories
from harness.cli.tables import crosstable, ordered, playing_table, pooled_table, rating_table

if TYPE_CHECKING:
    from harness.ratings.estimate import Estimate
    from harness.ratings.league import League, Rated
    from harness.ratings.pool import Pooled
    from harness.records.rows import GameResult, RunRow, Standing
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
    results = store.results(run.fingerprint)
    known = variants_of(store, run)
    lines = [headline(run), *protection_lines(unprotected(store, run)), ""]
    scopes: list[str | None] = [] if only_pooled else [variant] if variant is not None else [*known]
    several = variant is None and (len(known) > 1 or only_pooled)
    if several:
        scopes.append(None)
    found = {scope: league_of(results, scope) for scope in scopes}
    for scope, league in found.items():
        lines += _scope_text(store, run, league, scope)
    if several:
        lines += pooled_text(results, found[None])
    last = scopes[-1] if scopes else None
    order = ordered(
        [line.bot for line in store.standings(run.fingerprint, last)],
        found[last] if scopes else league_of(results, None),
    )
    lines += crosstable(order, store.crosstable(run.fingerprint, last))
    return lines + latest_stories(store.faults(run.fingerprint), store.path.parent, run.fingerprint)


def _scope_text(store: Store, run: RunRow, league: League, variant: str | None) -> list[str]:
    """A variant, or all together: its two tables and what stands at 0."""
    standings = _standings(store, run, variant)
    title = variant or "all variants"
    return [title, *rating_table(standings, league), league.sentence, "", *playing_table(standings, league), ""]


def _standings(store: Store, run: RunRow, variant: str | None) -> list[Standing]:
    """The standings of a variant, or of all. Points of several variants together are left out: they have no unit."""
    standings = store.standings(run.fingerprint, variant)
    if variant is None and len(variants_of(store, run)) > 1:
        return [replace(line, points_per_deal=None) for line in standings]
    return standings


def pooled_text(results: Sequence[GameResult], overall: League) -> list[str]:
    """The table over several variants, with what its words mean."""
    from harness.ratings.league import pooled

    found = pooled(results)
    if not found:
        return []
    return [
        "over the variants, each weighing the same, and as a sample of all variants (random effects, spread tau)",
        *pooled_table(found, overall),
        "norm.: normalised Elo against the field, over all games",
        "",
    ]


def league_of(results: Sequence[GameResult], variant: str | None) -> League:
    """The league of a variant, or of all games."""
    from harness.ratings.league import league

    return league([result for result in results if variant is None or result.variant == variant])


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

    results = store.results(run.fingerprint)
    variants = [variant] if variant is not None else variants_of(store, run)
    document: dict[str, object] = {"run": run, "unprotected": unprotected(store, run)}
    if variant is None:
        document["overall"] = _scope(store, run, results, None)
        document["pooled"] = {bot: pooled_document(line) for bot, line in pooled(results).items()}
    document["variants"] = {each: _scope(store, run, results, each) for each in variants}
    document["faults"] = store.faults(run.fingerprint)
    return document


def _scope(store: Store, run: RunRow, results: Sequence[GameResult], variant: str | None) -> dict[str, object]:
    found = league_of(results, variant)
    standings = {line.bot: line for line in _standings(store, run, variant)}
    lines = [{**rated_document(found.line(bot)), **fields_of(standings[bot])} for bot in ordered(standings, found)]
    crosstable = store.crosstable(run.fingerprint, variant)
    return {"standings": lines, "basis": found.sentence, "crosstable": crosstable}


def fields_of(value: object) -> dict[str, object]:
    """The fields of a frozen value for JSON."""
    fields = plain(value)
    assert isinstance(fields, dict)
    return fields


def rated_document(rated: Rated | None) -> dict[str, object]:
    """A bot's place for JSON. `elo` is null where it is not rated."""
    if rated is None:
        return {"rank": None, "elo": None, "los_next": None, "normalised_elo": None, "points": None}
    return {
        "rank": rated.rank,
        "elo": estimate_document(rated.rating),
        "los_next": rated.ahead,
        "normalised_elo": None if rated.normalised is None else estimate_document(rated.normalised),
        "points": rated.points,
    }


def estimate_document(estimate: Estimate) -> dict[str, object]:
    """An estimate for JSON, which has no infinity: null where nothing is known, or for an open end."""
    low, high = estimate.interval()
    return {
        name: value if math.isfinite(value) else None
        for name, value in (("value", estimate.value), ("se", estimate.se), ("low", low), ("high", high))
    }


def pooled_document(pooled: Pooled) -> dict[str, object]:
    """A bot's rating over several variants for JSON."""
    return {
        "equal": estimate_document(pooled.equal),
        "random_effects": None if pooled.random is None else estimate_document(pooled.random),
        "tau": pooled.tau,
        "variants": pooled.variants,
    }
