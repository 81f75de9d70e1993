"""A run as the values that its report shows: ratings, points, pairings, faults with their stories, times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby

from engine import rules_of
from harness.ratings.elo import START, changes
from harness.ratings.estimate import Estimate
from harness.ratings.figures import (
    PLAYING,
    POOLED,
    POOLED_NOTE,
    POOLED_TITLE,
    RATING,
    playing_figures,
    pooled_figures,
    rating_figures,
)
from harness.ratings.league import Rated, pooled
from harness.ratings.scopes import Scope, scopes_of
from harness.records.protection import protection_lines, unprotected
from harness.records.record import FAULT_KINDS
from harness.records.rows import FaultRow, GameResult, Pairing, RunRow, Standing
from harness.records.store import Store
from harness.report.fault_story import story_values

Values = dict[str, object]

CURVE_POINTS = 80
"""How many points a rating curve has at most."""

STORIES = 40
"""How many faults are told at length: the first of each bot, kind and reason."""


def report_data(store: Store, run: RunRow) -> Values:
    """Everything that the report of a run shows, as values for JSON; bots are named by their number in `bots`."""
    results = store.results(run.fingerprint)
    entrants = store.bots(run.fingerprint)
    variants = sorted({result.variant for result in results})
    number = {bot.name: place for place, bot in enumerate(entrants)}
    faults = store.faults(run.fingerprint)
    wanted = [*([None] if len(variants) != 1 else []), *variants]
    scopes = list(scopes_of(store, run.fingerprint, results, wanted).values())
    return {
        "run": _run(run),
        "bots": [{"name": bot.name, "version": bot.version, "author": bot.author} for bot in entrants],
        "remarks": protection_lines(unprotected(store, run)),
        "titles": {"rating": RATING, "playing": PLAYING, "pooled": POOLED},
        "scopes": [_scope(scope, number) for scope in scopes],
        "pooled": _pooled(results, scopes[0], number) if len(variants) > 1 else None,
        "curves": _curves(results, list(number)),
        "faults": _faults(faults, number),
        "kinds": [kind for kind in FAULT_KINDS if any(fault.kind == kind for fault in faults)],
    }


def _run(run: RunRow) -> Values:
    return {
        "name": run.name,
        "fingerprint": run.fingerprint,
        "games": run.games,
        "sets": run.sets,
        "started": run.started[:16].replace("T", " "),
        "ended": None if run.ended is None else run.ended[:16].replace("T", " "),
        "practice": run.practice,
        "commitment": run.commitment,
        "seed": None if run.seed is None else run.seed.hex(),
        "engine": run.engine,
        "rules": run.rules,
    }


def _scope(scope: Scope, number: Mapping[str, int]) -> Values:
    """A variant, or all of them: the figures of `bowerbird standings` in its words, and what the page draws of them."""
    return {
        "variant": scope.variant or "",
        "title": rules_of(scope.variant).title if scope.variant else "All variants",
        "games": scope.games,
        "sentence": scope.league.sentence,
        "rows": [_row(line, scope.league.line(line.bot), number) for line in scope.standings],
        "cross": [_pairing(one, number) for one in scope.pairings],
    }


def _row(line: Standing, rated: Rated | None, number: Mapping[str, int]) -> Values:
    return {
        "bot": number[line.bot],
        "rating": rating_figures(line, rated),
        "playing": playing_figures(line),
        "span": None if rated is None else _span(rated.rating),
        "score": _rounded(line.score, 4),
        "p50": line.p50_ms,
        "p99": line.p99_ms,
        "faults": {kind: count for kind, count in line.faults.items() if count},
    }


def _pooled(results: Sequence[GameResult], overall: Scope, number: Mapping[str, int]) -> Values:
    """The table over the variants, with what its words mean."""
    found = pooled(results)
    rows = [
        {
            "bot": number[bot],
            "figures": pooled_figures(bot, line, overall.league.line(bot)),
            "spans": [_span(line.equal), None if line.random is None else _span(line.random)],
        }
        for bot, line in found.items()
    ]
    return {"title": POOLED_TITLE, "note": POOLED_NOTE, "rows": rows}


def _span(estimate: Estimate) -> list[float | None]:
    """Value and both ends of the 95% interval, for drawing and sorting; None for an infinite one."""
    low, high = estimate.interval()
    return [_finite(estimate.value), _finite(low), _finite(high)]


def _finite(value: float) -> float | None:
    return round(value, 1) if math.isfinite(value) else None


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _pairing(one: Pairing, number: Mapping[str, int]) -> list[float]:
    return [number[one.bot], number[one.opponent], one.wins, one.draws, one.losses]


def _curves(results: Sequence[GameResult], bots: Sequence[str]) -> Values:
    """Incremental Elo over all variants after so many deal sets, in the order of the schedule."""
    rated = sorted(results, key=lambda one: one.id.place)
    sets = [list(games) for _, games in groupby(rated, key=lambda one: one.id.set_key)]
    step = max(1, math.ceil(len(sets) / CURVE_POINTS))
    ratings: dict[str, float] = {}
    at, lines = [0], {bot: [round(START)] for bot in bots}
    for place, games in enumerate(sets, 1):
        for game in games:
            for bot, change in changes(game, ratings).items():
                ratings[bot] = ratings.get(bot, START) + change
        if place % step == 0 or place == len(sets):
            at.append(place)
            for bot, line in lines.items():
                line.append(round(ratings.get(bot, START)))
    return {"sets": at, "lines": [lines[bot] for bot in bots]}


def _faults(faults: Sequence[FaultRow], number: dict[str, int]) -> list[Values]:
    """One fault of each bot, kind and reason, with its story and in how many games there was one like it."""
    alike: dict[tuple[str, str, str], list[FaultRow]] = {}
    for fault in faults:
        alike.setdefault((fault.bot, fault.kind, fault.detail), []).append(fault)
    told = sorted(alike.values(), key=len, reverse=True)[:STORIES]
    return [_story(same[0], len(same), number) for same in told]


def _story(fault: FaultRow, times: int, number: dict[str, int]) -> Values:
    return {
        "bot": number[fault.bot],
        "kind": fault.kind,
        "times": times,
        "game": fault.game,
        "seat": fault.seat,
        "hand": fault.hand,
        "action": fault.action,
        "clock": [fault.elapsed_ms, fault.limit_ms],
        "detail": fault.detail,
        **story_values(fault),
    }
