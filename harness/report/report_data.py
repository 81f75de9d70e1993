"""The values in the report of a run: ratings, points, pairings, outcome, faults with their stories, times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby

from bowerbird.engine import counted, rules_of, variant_names
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.standings.curves import curve_points
from bowerbird.harness.ratings.standings.overview import Leaderboard, Overview
from bowerbird.harness.ratings.standings.text import cells
from bowerbird.harness.ratings.standings.text.headline import headline_of
from bowerbird.harness.ratings.standings.text.sentences import apart_text, flag_lines, rank_notes, undecided_text
from bowerbird.harness.ratings.standings.text.uneven import uneven_lines
from bowerbird.harness.ratings.standings.text.words import WORDS
from bowerbird.harness.records.store.protection import protection_lines
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.values.corrections import WITHDRAW, CorrectedSets, what_was_decided, withdrawal_lines
from bowerbird.harness.records.values.faults import FAULT_KINDS
from bowerbird.harness.records.values.figures import number_words
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.machines import machine_lines, machine_use
from bowerbird.harness.records.values.placements import MatchResult
from bowerbird.harness.records.values.query_results import FaultRow, Pairing
from bowerbird.harness.records.values.run import Entrant
from bowerbird.harness.records.values.voids import counts_of, void_lines
from bowerbird.harness.records.verify.beacons import source_in_words
from bowerbird.harness.records.vouching import Vouchers
from bowerbird.harness.report.replay_data import Values, story_values

CORRECTED_SETS = 20
"""The most deal sets named for each correction."""

STORIES = 40
"""The most faults shown with their stories, one for each bot, kind and reason."""


def report_data(run: StoredRun, overview: Overview, played: str = "") -> Values:
    """Return all values of a report, ready for JSON. Bots are named by their index in `bots`.

    overview: the standings of this run alone.
    played: a sentence about the progress of an unfinished run; "" if unknown.
    """
    entrants = run.bots()
    number = {bot.name: index for index, bot in enumerate(entrants)}
    faults = [fault for fault in run.faults() if fault.was_played]
    in_order = sorted(run.results(), key=lambda one: one.id.position)
    return {
        **tables_data(overview, entrants, in_order),
        "headline": headline_of(overview, [run]),
        "run": _run(run),
        "remarks": [
            *filter(None, [played, Vouchers().of(run).line]),
            *protection_lines(run),
            *withdrawal_lines(run.withdrawals()),
            *uneven_lines(run),
            *void_lines(counts_of(run.voids())),
            *([f"{counted(run.row.corrections, 'correction')}: see Corrections"] if run.row.corrections else []),
            *machine_lines(machine_use(run.machines(), run.row.sets)),
            *([f"stopped: {run.row.stopped}"] if run.row.stopped else []),
        ],
        "outcome": _outcome(run, number),
        "corrections": _corrections(run),
        "faults": _faults(faults, number),
        "cpu": [
            [number[one.bot], one.cpu_ms, one.charged_ms, _rounded(one.share, 4)]
            for one in run.cpu_times()
            if one.bot in number  # another program could have written a row for a bot that is not in the run
        ],
        "claims": [
            [number[one.bot], one.name, number_words(one.exact), number_words(one.mean), one.decisions, one.total]
            for one in run.figure_sums()
            if one.bot in number
        ],
        "kinds": [kind for kind in FAULT_KINDS if any(fault.kind == kind for fault in faults)],
    }


def tables_data(overview: Overview, bots: Sequence[Entrant], results: Sequence[GameResult]) -> Values:
    """Return the values of the tables and curves of one or more runs that are rated together, ready for JSON.

    bots: all bots of the overview, under the same names, and possibly others; rows refer to bots by index.
    results: the results of the same runs, one run after another.
    """
    number = {bot.name: index for index, bot in enumerate(bots)}
    boards = [*([overview.overall] if overview.overall.scope is None else []), *overview.every]
    return {
        "bots": [{"name": bot.name, "version": bot.version, "author": bot.author} for bot in bots],
        "words": WORDS,
        "titles": {"playing": cells.PLAYING_COLUMNS, "pooled": cells.POOLED_COLUMNS},
        "scopes": [_scope(overview, board, number) for board in boards],
        "pooled": _pooled(overview, number) if overview.pooled else None,
        "curves": _curves(overview, results, list(number)),
    }


def _outcome(run: StoredRun, number: Mapping[str, int]) -> Values | None:
    """Return the places and matches of a run; None if its format has none."""
    places, matches = run.placements(), run.matches()
    if not places and not matches:
        return None
    rows = [cells.place_cells(place) for place in places]
    kept = cells.filled_places(rows)
    return {
        "titles": [cells.PLACE_COLUMNS[at] for at in kept],
        "places": [
            {"bot": number[place.bot], "cells": [row[at] for at in kept]}
            for place, row in zip(places, rows, strict=True)
        ],
        "ties": cells.tie_breaks(places, matches),
        "rounds": [
            {"title": title, "matches": [_match(match, number) for match in of_round]}
            for (_, title), of_round in groupby(matches, lambda match: (match.round, match.title))
        ],
    }


def _match(match: MatchResult, number: Mapping[str, int]) -> list[object]:
    """Return both bots, their games won, the winner, and how it was decided; None for a missing bot or game."""
    return [
        number[match.bot],
        number.get(match.opponent),
        f"{match.won:g}" if match.games else None,
        f"{match.lost:g}" if match.games else None,
        number.get(match.winner),
        cells.HOW.get(match.decided_by, ""),
    ]


def _run(run: StoredRun) -> Values:
    return {
        "name": run.row.name,
        "fingerprint": run.fingerprint,
        "games": run.row.games - run.unplayed_games(),
        "sets": run.row.sets,
        "started": run.row.started[:16].replace("T", " "),
        "ended": None if run.row.ended is None else run.row.ended[:16].replace("T", " "),
        "practice": run.row.practice,
        "commitment": run.row.commitment,
        "beacon": run.row.beacon,
        "beacon_source": source_in_words(run.row.config),
        "seed": None if run.row.seed is None else run.row.seed.hex(),
        "digest": run.row.digest,
        "engine": run.row.engine,
        "rules": run.row.rules,
    }


def _scope(overview: Overview, board: Leaderboard, number: Mapping[str, int]) -> Values:
    """Return the figures of `bowerbird standings` for a scope or for all variants, and the values for drawing them."""
    estimates = overview.estimates.get(board.variant, {}) if board in overview.variants else {}
    rated = {line.bot: line for line in board.rating_list.lines}
    rows = [
        cells.rating_cells(line, rated.get(line.bot), estimates.get(line.bot), has_points=board.has_points)
        for line in board.standings
    ]
    kept = cells.filled(cells.RATING_COLUMNS, rows)
    listed = board.rating_list
    return {
        "variant": board.variant,
        "id": _id(overview, board),
        "title": _title(overview, board),
        "games": board.games,
        "apart": board in overview.apart,
        "sentence": listed.sentence,
        "notes": [
            *(["Ranked by points, as the tournament file says."] if listed.rank_by != "elo" else []),
            *filter(None, [undecided_text(listed)]),
            *rank_notes(listed),
            *listed.remarks,
            *([". ".join(flag_lines(board))] if board.collusion else []),
            *filter(None, [apart_text(overview, "see below") if board is overview.overall else ""]),
        ],
        "titles": [cells.RATING_COLUMNS[at] for at in kept],
        "rows": [
            {
                "bot": number[line.bot],
                "rating": [row[at] for at in kept],
                "playing": cells.playing_cells(line),
                "span": _span(rated[line.bot].rating) if line.bot in rated else None,
                "score": _rounded(line.score, 4),
                "p50": line.p50_ms,
                "p99": line.p99_ms,
                "faults": {kind: count for kind, count in line.faults.items() if count},
            }
            for line, row in zip(board.standings, rows, strict=True)
        ],
        "cross": [_pairing(one, number) for one in board.pairings],
    }


def _id(overview: Overview, board: Leaderboard) -> str:
    """Return the name of a scope in the page's address: its variant, with a number added if it is rated separately."""
    if board not in overview.apart:
        return board.variant
    same = [one for one in overview.apart if one.variant == board.variant]
    return f"{board.variant}-apart-{same.index(board) + 1}"


def _title(overview: Overview, board: Leaderboard) -> str:
    if board.scope is None:
        return "All variants"
    title = rules_of(board.variant).title if board.variant in variant_names() else board.variant
    return f"{title}{overview.description(board.scope).removeprefix(board.variant)}"


def _pooled(overview: Overview, number: Mapping[str, int]) -> Values:
    """Return the table over all variants, and the meanings of its terms."""
    rows = [
        {
            "bot": number[line.bot],
            "figures": cells.pooled_cells(line.bot, pooled, overview.normalised.get(line.bot)),
            "spans": [_span(pooled.equal), None if pooled.random is None else _span(pooled.random)],
        }
        for line in overview.overall.rating_list.lines
        for pooled in [overview.pooled[line.bot]]
    ]
    return {"title": cells.POOLED_TITLE, "note": cells.POOLED_NOTE, "rows": rows}


def _span(estimate: Estimate) -> list[float | None]:
    """Return the value and both ends of its 95% interval, with None for an infinite end."""
    low, high = estimate.interval()
    return [_finite(estimate.value), _finite(low), _finite(high)]


def _finite(value: float) -> float | None:
    return round(value, 1) if math.isfinite(value) else None


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _pairing(one: Pairing, number: Mapping[str, int]) -> list[float]:
    return [number[one.bot], number[one.opponent], one.wins, one.draws, one.losses]


def _curves(overview: Overview, results: Sequence[GameResult], bots: Sequence[str]) -> Values:
    """Return each bot's ratings over all variants as deal sets accumulate; None while it is not rated yet."""
    shown = {(game.id.run, game.id.entry) for board in overview.variants for game in board.results}
    rated = [game for game in results if (game.id.run, game.id.entry) in shown]
    points = curve_points(rated, overview.overall.rating_list)
    lines = [[round(point.ratings[bot]) if bot in point.ratings else None for point in points] for bot in bots]
    return {"sets": [point.sets for point in points], "lines": lines}


def _corrections(run: StoredRun) -> list[Values]:
    """Return the corrections of a run, the latest first."""
    corrections = run.corrections()
    stored = run.stored_sets() if corrections else frozenset()
    sets = CorrectedSets(corrections, stored)
    return [
        {
            "number": one.number,
            "saved": one.saved[:10],
            "by": one.by,
            "what": what_was_decided(one),
            "why": one.why,
            "sets": [str(key) for key in one.sets[:CORRECTED_SETS]],
            "more": max(0, len(one.sets) - CORRECTED_SETS),
            "count": sets.sentence(one),
            "annuls": one.kind == WITHDRAW and bool(one.sets),
            "commitment": one.commitment,
            "seed": None if one.seed is None else one.seed.hex(),
        }
        for one in reversed(corrections)
    ]


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
