"""`bowerbird standings [RUN]`, and the standings that other commands show when they have played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.choices import check_variant, variants_of
from harness.cli.options import complete_variant, reading
from harness.cli.output import print_json, print_lines
from harness.cli.protection import protection_lines, unprotected
from harness.cli.stories import latest_stories
from harness.cli.tables import crosstable, ranked, standings_table

if TYPE_CHECKING:
    from harness.records.rows import RunRow, Standing
    from harness.records.store import Store


@click.command("standings")
@click.argument("run", required=False)
@click.option("--variant", shell_complete=complete_variant, help="Only this variant.")
@reading
def command(run: str | None, variant: str | None, db: Path, as_json: bool) -> None:
    """Show the standings of RUN (its id, the beginning of it, or its name; the newest run if left out).

    Won, drawn and lost count pairs of bots: at each table, each bot on another side is an opponent. Times are what a
    decision took, as charged.
    """
    from harness.records.store import Store

    with Store.open(db) as store:
        found = store.run(run)
        check_variant(store, found, variant)
        show_standings(store, found, as_json=as_json, variant=variant)


def show_standings(store: Store, run: RunRow, *, as_json: bool, variant: str | None = None) -> None:
    """Print the standings of a run on stdout: each variant, then all together; or one variant alone."""
    if as_json:
        print_json(standings_document(store, run, variant))
    else:
        print_lines(standings_text(store, run, variant))


def standings_text(store: Store, run: RunRow, variant: str | None = None) -> list[str]:
    """The standings as lines for people."""
    lines = [headline(run), *protection_lines(unprotected(store, run)), ""]
    variants = [variant] if variant is not None else variants_of(store, run)
    for each in variants:
        lines += [each, *standings_table(_standings(store, run, each)), ""]
    scope = variants[0] if len(variants) == 1 else None
    overall = _standings(store, run, scope)
    if scope is None and variants:
        lines += ["all variants", *standings_table(overall), ""]
    lines += crosstable(overall, store.crosstable(run.fingerprint, scope))
    return lines + latest_stories(store.faults(run.fingerprint), store.path.parent, run.fingerprint)


def _standings(store: Store, run: RunRow, variant: str | None) -> list[Standing]:
    """The standings of a variant, or of all. Points of several variants together are left out: they have no unit."""
    standings = store.standings(run.fingerprint, variant)
    if variant is None and len(variants_of(store, run)) > 1:
        return [replace(line, points_per_deal=None) for line in standings]
    return standings


def headline(run: RunRow) -> str:
    """One line that says which run this is and how far it has come."""
    seed = "seed typed: a practice run" if run.practice else "seed drawn"
    state = "complete" if run.ended else "unfinished" if run.beacon != "" else "waiting for its beacon"
    if run.sets_after_seed and not run.practice:
        seed += f", {run.sets_after_seed} deal sets added when it was published: practice"
    return f"run {run.fingerprint} ({run.name}): {run.games} games in {run.sets} deal sets, {state}; {seed}"


def standings_document(store: Store, run: RunRow, variant: str | None = None) -> dict[str, object]:
    """The standings as values for JSON; `overall` is left out where one variant is asked for."""
    variants = [variant] if variant is not None else variants_of(store, run)
    document: dict[str, object] = {"run": run, "unprotected": unprotected(store, run)}
    if variant is None:
        document["overall"] = _scope(store, run, None)
    document["variants"] = {each: _scope(store, run, each) for each in variants}
    document["faults"] = store.faults(run.fingerprint)
    return document


def _scope(store: Store, run: RunRow, variant: str | None) -> dict[str, object]:
    from harness.cli.output import plain

    lines = []
    for rank, line in ranked(_standings(store, run, variant)):
        values = plain(line)
        assert isinstance(values, dict)
        lines.append({"rank": rank, **values})
    return {"standings": lines, "crosstable": store.crosstable(run.fingerprint, variant)}
