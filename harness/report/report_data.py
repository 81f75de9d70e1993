"""The values that the report of a run shows: ratings, points, pairings, faults with their stories, times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby

from engine import rules_of
from harness.ratings.elo.update import START, changes
from harness.ratings.estimate import Estimate
from harness.ratings.standings.cells import (
    PLAYING_COLUMNS,
    POOLED_COLUMNS,
    POOLED_NOTE,
    POOLED_TITLE,
    RATING_COLUMNS,
    playing_cells,
    pooled_cells,
    rating_cells,
)
from harness.ratings.standings.pool import pooled_ratings
from harness.ratings.standings.rating_list import RatedBot
from harness.ratings.standings.scopes import Scope, scopes_of
from harness.records.store.protection import protection_lines
from harness.records.store.store import Store
from harness.records.values.faults import FAULT_KINDS
from harness.records.values.game_result import GameResult
from harness.records.values.machines import machine_lines, machine_use
from harness.records.values.query_results import FaultRow, Pairing, RunRow, Standing
from harness.records.values.voids import counts_of, void_lines
from harness.report.replay_data import Values, story_values

CURVE_POINTS = 80
"""Most points of a rating curve."""

STORIES = 40
"""Most faults to show with their story: the first of each bot, kind and reason."""


def report_data(store: Store, run: RunRow) -> Values:
    """Return all values of a report, ready for JSON. Bots are named by their index in `bots`."""
    results = store.results(run.fingerprint)
    entrants = store.bots(run.fingerprint)
    variants = sorted({result.variant for result in results})
    number = {bot.name: index for index, bot in enumerate(entrants)}
    faults = store.faults(run.fingerprint)
    wanted = [*([None] if len(variants) != 1 else []), *variants]
    scopes = list(scopes_of(store, run.fingerprint, results, wanted).values())
    return {
        "run": _run(run),
        "bots": [{"name": bot.name, "version": bot.version, "author": bot.author} for bot in entrants],
        "remarks": [
            *protection_lines(store, run),
            *void_lines(counts_of(store.voids(run.fingerprint))),
            *machine_lines(machine_use(store.machines(run.fingerprint), run.sets)),
        ],
        "titles": {"rating": RATING_COLUMNS, "playing": PLAYING_COLUMNS, "pooled": POOLED_COLUMNS},
        "scopes": [_scope(scope, number) for scope in scopes],
        "pooled": _pooled(results, scopes[0], number) if len(variants) > 1 else None,
        "curves": _curves(results, list(number)),
        "faults": _faults(faults, number),
        "cpu": [
            [number[one.bot], one.cpu_ms, one.charged_ms, _rounded(one.share, 4)]
            for one in store.cpu_times(run.fingerprint)
            if one.bot in number  # another program may have written a row for a bot that is not in the run
        ],
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
    """Return the figures of `bowerbird standings` for a variant, or for all, and the values to draw them."""
    return {
        "variant": scope.variant or "",
        "title": rules_of(scope.variant).title if scope.variant else "All variants",
        "games": scope.games,
        "sentence": scope.rating_list.sentence,
        "rows": [_row(line, scope.rating_list.line(line.bot), number) for line in scope.standings],
        "cross": [_pairing(one, number) for one in scope.pairings],
    }


def _row(line: Standing, rated: RatedBot | None, number: Mapping[str, int]) -> Values:
    return {
        "bot": number[line.bot],
        "rating": rating_cells(line, rated),
        "playing": playing_cells(line),
        "span": None if rated is None else _span(rated.rating),
        "score": _rounded(line.score, 4),
        "p50": line.p50_ms,
        "p99": line.p99_ms,
        "faults": {kind: count for kind, count in line.faults.items() if count},
    }


def _pooled(results: Sequence[GameResult], overall: Scope, number: Mapping[str, int]) -> Values:
    """Return the table over the variants and the meanings of its words."""
    found = pooled_ratings(results)
    rows = [
        {
            "bot": number[bot],
            "figures": pooled_cells(bot, line, overall.rating_list.line(bot)),
            "spans": [_span(line.equal), None if line.random is None else _span(line.random)],
        }
        for bot, line in found.items()
    ]
    return {"title": POOLED_TITLE, "note": POOLED_NOTE, "rows": rows}


def _span(estimate: Estimate) -> list[float | None]:
    """Return the value and both ends of its 95 % interval, each None if infinite."""
    low, high = estimate.interval()
    return [_finite(estimate.value), _finite(low), _finite(high)]


def _finite(value: float) -> float | None:
    return round(value, 1) if math.isfinite(value) else None


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _pairing(one: Pairing, number: Mapping[str, int]) -> list[float]:
    return [number[one.bot], number[one.opponent], one.wins, one.draws, one.losses]


def _curves(results: Sequence[GameResult], bots: Sequence[str]) -> Values:
    """Return each bot's incremental Elo over all variants, after equal numbers of deal sets in schedule order."""
    rated = sorted(results, key=lambda one: one.id.position)
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
    """Return one fault for each bot, kind and reason, with its story and the number of faults like it."""
    similar: dict[tuple[str, str, str], list[FaultRow]] = {}
    for fault in faults:
        similar.setdefault((fault.bot, fault.kind, fault.detail), []).append(fault)
    most_frequent = sorted(similar.values(), key=len, reverse=True)[:STORIES]
    return [_story(same[0], len(same), number) for same in most_frequent]


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
