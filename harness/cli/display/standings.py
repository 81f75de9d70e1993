"""The standings of a run, as text and as JSON (commands.md, `bowerbird standings`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from engine import counted
from harness.cli.display.faults import latest_story_lines
from harness.cli.shared.output import Column, output_width, plain_fields, print_json, print_lines, table
from harness.ratings.standings.cells import (
    PLAYING_COLUMNS,
    POOLED_COLUMNS,
    POOLED_NOTE,
    POOLED_TITLE,
    RATING_COLUMNS,
    TEXT_COLUMNS,
    percent_text,
    playing_cells,
    pooled_cells,
    rating_cells,
    whole_percent_text,
)

if TYPE_CHECKING:
    from harness.ratings.estimate import Estimate
    from harness.ratings.standings.pool import Pooled
    from harness.ratings.standings.rating_list import RatedBot, RatingList
    from harness.ratings.standings.scopes import Scope
    from harness.records.store.store import Store
    from harness.records.values.game_result import GameResult
    from harness.records.values.query_results import Pairing, RunRow
    from harness.records.values.voids import VoidedSet


def print_standings(
    store: Store, run: RunRow, *, as_json: bool, variant: str | None = None, only_pooled: bool = False
) -> None:
    """Print the standings of a run on stdout, as `standings_text` or `standings_document` has them."""
    if as_json:
        print_json(standings_document(store, run, variant))
    else:
        print_lines(standings_text(store, run, variant, only_pooled=only_pooled, width=output_width()))


def standings_text(
    store: Store, run: RunRow, variant: str | None = None, *, only_pooled: bool = False, width: int | None = None
) -> list[str]:
    """Return the standings of a run as lines: each variant, then all together, then the latest faults.

    variant: only this one; None for all.
    only_pooled: leave out the single variants.
    width: the longest line of a table; None for no limit.
    """
    from harness.ratings.standings.scopes import scopes_of
    from harness.records.store.protection import protection_lines
    from harness.records.values.machines import machine_lines, machine_use
    from harness.records.values.voids import counts_of, void_lines

    results = store.results(run.fingerprint)
    known = store.variants(run.fingerprint)
    voids = void_lines(counts_of(store.voids(run.fingerprint)))
    machines = machine_lines(machine_use(store.machines(run.fingerprint), run.sets))
    lines = [headline(run), *protection_lines(store, run), *voids, *machines, ""]
    several = variant is None and (len(known) > 1 or only_pooled)
    wanted: list[str | None] = [] if only_pooled else [variant] if variant is not None else [*known]
    if several:
        wanted.append(None)
    scopes = scopes_of(store, run.fingerprint, results, wanted)
    for scope in scopes.values():
        lines += _scope_text(scope, width)
    if several:
        lines += pooled_text(results, scopes[None].rating_list, width)
    if scopes:
        lines += crosstable(scopes[wanted[-1]].bots, scopes[wanted[-1]].pairings, width)
    return lines + latest_story_lines(store.faults(run.fingerprint), store.path, run.fingerprint)


def headline(run: RunRow) -> str:
    """Return a line that names a run, its progress and the origin of its seed."""
    seed = "seed typed: a practice run" if run.practice else "seed drawn"
    state = "complete" if run.ended else "unfinished" if run.beacon != "" else "waiting for its beacon"
    if run.sets_after_seed and not run.practice:
        seed += f"; {counted(run.sets_after_seed, 'deal set')} added after its publication: practice"
    played = f"{counted(run.games, 'game')} in {counted(run.sets, 'deal set')}"
    if run.left_out:
        played += f" ({run.left_out} left out)"
    return f"run {run.fingerprint} ({run.name}): {played}, {state}; {seed}"


def _scope_text(scope: Scope, width: int | None) -> list[str]:
    title = scope.variant or "all variants"
    return [title, *rating_table(scope, width), scope.rating_list.sentence, "", *playing_table(scope, width), ""]


def rating_table(scope: Scope, width: int | None = None) -> list[str]:
    """Return the table of ratings, their intervals and likelihoods of superiority."""
    rows = [rating_cells(line, scope.rating_list.line(line.bot)) for line in scope.standings]
    return table(_columns(RATING_COLUMNS), rows, width)


def playing_table(scope: Scope, width: int | None = None) -> list[str]:
    """Return the table of games, faults and times."""
    return table(_columns(PLAYING_COLUMNS), [playing_cells(line) for line in scope.standings], width)


def pooled_text(results: Sequence[GameResult], overall: RatingList, width: int | None = None) -> list[str]:
    """Return the table of ratings over several variants with its title and note; [] if no bot has one."""
    from harness.ratings.standings.pool import pooled_ratings

    found = pooled_ratings(results)
    return [POOLED_TITLE, *_pooled_table(found, overall, width), POOLED_NOTE, ""] if found else []


def _pooled_table(pooled: Mapping[str, Pooled], overall: RatingList, width: int | None) -> list[str]:
    rows = [pooled_cells(bot, line, overall.line(bot)) for bot, line in pooled.items()]
    return table(_columns(POOLED_COLUMNS), rows, width)


DROPPED = ("live", "points/deal", "LOS", "won-drawn-lost", "p50 ms", "decisions", "score", "tau", "variants", "norm.")
"""The columns that a narrow terminal does without, the first one first."""


def _columns(titles: Sequence[str]) -> list[Column]:
    return [
        Column(
            title,
            right=title not in TEXT_COLUMNS,
            cut=title == "bot",
            drop=DROPPED.index(title) + 1 if title in DROPPED else 0,
            below="faults: " if title == "faults" else None,
        )
        for title in titles
    ]


def crosstable(bots: Sequence[str], pairings: Sequence[Pairing], width: int | None = None) -> list[str]:
    """Return a crosstable in the order of `bots`: a cell is the share of the row's bot against the column's.

    If it is wider than `width`, the columns get numbers instead of names, and then the cells whole percentages.
    """
    shares = {(cell.bot, cell.opponent): cell.score for cell in pairings}

    def drawn(names: Sequence[str], titles: Sequence[str], text: Callable[[float | None], str]) -> list[str]:
        columns = [Column("against", cut=True), *(Column(title, right=True) for title in titles)]
        rows = [
            [name, *("·" if bot == other else text(shares.get((bot, other))) for other in bots)]
            for name, bot in zip(names, bots, strict=True)
        ]
        return table(columns, rows, None if text is percent_text else width)

    digits = len(str(len(bots)))
    numbers = [str(number + 1) for number in range(len(bots))]
    numbered = [f"{number:>{digits}} {bot}" for number, bot in zip(numbers, bots, strict=True)]
    for lines in (drawn(bots, bots, percent_text), drawn(numbered, numbers, percent_text)):
        if width is None or max(map(len, lines)) <= width:
            return lines
    return drawn(numbered, numbers, whole_percent_text)


def standings_document(store: Store, run: RunRow, variant: str | None = None) -> dict[str, object]:
    """Return the standings of a run for JSON; without `overall` and `pooled` if `variant` names a single variant."""
    from harness.ratings.standings.pool import pooled_ratings
    from harness.ratings.standings.scopes import scopes_of
    from harness.records.store.protection import could_read_seed, unprotected
    from harness.records.values.machines import machine_use

    results = store.results(run.fingerprint)
    wanted: list[str | None] = [variant] if variant is not None else [None, *store.variants(run.fingerprint)]
    scopes = scopes_of(store, run.fingerprint, results, wanted)
    document: dict[str, object] = {
        "run": run,
        "unprotected": unprotected(store, run),
        "could_read_seed": could_read_seed(store, run),
    }
    if variant is None:
        document["overall"] = _scope_document(scopes.pop(None))
        document["pooled"] = {bot: pooled_document(line) for bot, line in pooled_ratings(results).items()}
    document["variants"] = {each: _scope_document(scope) for each, scope in scopes.items()}
    document["faults"] = store.faults(run.fingerprint)
    document["cpu"] = store.cpu_times(run.fingerprint)
    document["voids"] = voids_document(store.voids(run.fingerprint))
    document["machines"] = machine_use(store.machines(run.fingerprint), run.sets)
    return document


def voids_document(voids: Sequence[VoidedSet]) -> dict[str, object]:
    """Return the voids of a run for JSON."""
    from harness.records.values.voids import counts_of

    counts = counts_of(voids)
    return {
        "bots": counts.by_bot,
        "left_out": [str(key) for key in counts.left_out],
        "attempts": [{**plain_fields(void), "key": str(void.key)} for void in voids],
    }


def _scope_document(scope: Scope) -> dict[str, object]:
    lines = [{**rated_document(scope.rating_list.line(line.bot)), **plain_fields(line)} for line in scope.standings]
    return {"standings": lines, "basis": scope.rating_list.sentence, "crosstable": scope.pairings}


def rated_document(rated: RatedBot | None) -> dict[str, object]:
    """Return a bot's rank and ratings for JSON; each is null if the bot is not rated."""
    if rated is None:
        return {"rank": None, "elo": None, "los_next": None, "normalised_elo": None, "points": None}
    return {
        "rank": rated.rank,
        "elo": estimate_document(rated.rating),
        "los_next": rated.ahead,
        "normalised_elo": None if rated.normalised is None else estimate_document(rated.normalised),
        "points": rated.points,
    }


def pooled_document(pooled_ratings: Pooled) -> dict[str, object]:
    """Return a bot's rating over several variants for JSON."""
    return {
        "equal": estimate_document(pooled_ratings.equal),
        "random_effects": None if pooled_ratings.random is None else estimate_document(pooled_ratings.random),
        "tau": pooled_ratings.tau,
        "variants": pooled_ratings.variants,
    }


def estimate_document(estimate: Estimate) -> dict[str, object]:
    """Return an estimate for JSON. JSON has no infinity: an unknown value and an open end are null."""
    low, high = estimate.interval()
    return {
        name: value if math.isfinite(value) else None
        for name, value in (("value", estimate.value), ("se", estimate.se), ("low", low), ("high", high))
    }
