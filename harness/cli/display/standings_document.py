"""The standings of runs for JSON (commands.md, `bowerbird standings`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bowerbird.harness.cli.display.corrections import corrections_document
from bowerbird.harness.cli.shared.output import plain_fields
from bowerbird.harness.cli.shared.runs import require_variant
from bowerbird.harness.cli.shared.vouching import vouching_document

if TYPE_CHECKING:
    from bowerbird.harness.ratings.collusion.collusion import CollusionFlag, Surprise
    from bowerbird.harness.ratings.estimate import Estimate
    from bowerbird.harness.ratings.points import Points
    from bowerbird.harness.ratings.standings.overview import Leaderboard, Overview
    from bowerbird.harness.ratings.standings.pool import Pooled
    from bowerbird.harness.ratings.standings.ranks import Likelihoods
    from bowerbird.harness.ratings.standings.rating_list import RatedBot
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.values.voids import VoidedSet

STORED = ("rank", "elo", "elo_low", "elo_high")
"""Fields of a `Standing` that come from the rating list."""


def standings_document(runs: Sequence[StoredRun], variant: str | None = None) -> dict[str, object]:
    """Return the standings of runs for JSON. With `variant`, leave out the standings over all variants.

    Raises InputError if the runs have no game of the variant.
    """
    from bowerbird.harness.ratings.standings.overview import overview
    from bowerbird.harness.ratings.standings.text.headline import headline_of
    from bowerbird.harness.records.vouching import Vouchers

    if variant is not None:
        require_variant(runs, variant)
    found = overview(runs, variant)
    vouchers = Vouchers()
    document: dict[str, object] = {
        "runs": [run.fingerprint for run in runs],
        "vouching": {run.fingerprint: vouching_document(vouchers.of(run)) for run in runs},
    }
    if len(runs) == 1:
        document = {**_run_document(runs[0]), **vouching_document(vouchers.of(runs[0]))}
    if variant is None:
        document["headline"] = headline_of(found, runs)
        document["overall"] = board_document(found, found.overall)
        document["pooled"] = {bot: pooled_document(line) for bot, line in found.pooled.items()}
    document["variants"] = {board.variant: board_document(found, board) for board in found.variants}
    document["apart"] = [board_document(found, board) for board in found.apart]
    if len(runs) > 1:
        return document
    return {
        **document,
        "faults": [fault for fault in runs[0].faults() if fault.was_played],
        **_conduct_document(runs[0]),
    }


def _run_document(run: StoredRun) -> dict[str, object]:
    from bowerbird.harness.records.store.protection import could_read_seed, unprotected

    return {
        "run": run.row,
        "unprotected": unprotected(run),
        "could_read_seed": could_read_seed(run),
        "stopped": run.row.stopped,
        "places": run.placements(),
        "matches": run.matches(),
        "withdrawn": [{**plain_fields(one), "sentence": one.sentence} for one in run.withdrawals()],
    }


def _conduct_document(run: StoredRun) -> dict[str, object]:
    from bowerbird.harness.records.values.machines import machine_use

    return {
        "cpu": run.cpu_times(),
        "figures": run.figure_sums(),
        "voids": voids_document(run.voids()),
        "corrections": corrections_document(run),
        "machines": machine_use(run.machines(), run.row.sets),
    }


def voids_document(voids: Sequence[VoidedSet]) -> dict[str, object]:
    """Return the voids of a run for JSON."""
    from bowerbird.harness.records.values.voids import counts_of

    counts = counts_of(voids)
    return {
        "bots": counts.by_bot,
        "left_out": [str(key) for key in counts.left_out],
        "attempts": [{**plain_fields(void), "key": str(void.key)} for void in voids],
    }


def board_document(overview: Overview, board: Leaderboard) -> dict[str, object]:
    """Return a leaderboard for JSON: its scope, the ratings and counts of each bot, and the crosstable."""
    rated = {line.bot: line for line in board.rating_list.lines}
    estimates = overview.estimates.get(board.variant, {}) if board in overview.variants else {}
    listed = board.rating_list
    lines = []
    for line in board.standings:
        counts = {name: value for name, value in plain_fields(line).items() if name not in STORED}
        found = rated_document(rated.get(line.bot), has_points=board.has_points)
        if estimates:
            found["estimate"] = estimate_document(estimates[line.bot]) if line.bot in estimates else None
        lines.append({"place": board.places.get(line.bot), **found, **counts})
    scope = board.scope
    return {
        "title": "all variants" if scope is None else overview.description(scope),
        "variant": None if scope is None else scope.variant,
        "unit": None if scope is None else scope.unit,
        "options": None if scope is None else dict(scope.options),
        "time": None if scope is None else dict(scope.time),
        "own_times": None if scope is None else {bot: dict(own) for bot, own in scope.own_times},
        "runs": board.runs,
        "games": board.games,
        "sets": board.sets,
        "rank_by": listed.rank_by,
        "standings": lines,
        "basis": listed.sentence,
        "remarks": listed.remarks,
        "undecided": listed.undecided,
        "no_ranks": listed.no_ranks or None,
        "likelihoods": likelihoods_document(listed.likelihoods),
        "collusion": [flag_document(flag) for flag in board.collusion],
        "crosstable": board.pairings,
    }


def likelihoods_document(found: Likelihoods | None) -> dict[str, object] | None:
    """Return for JSON how likely each bot is to be stronger than each other bot, and the settled pairs."""
    if found is None:
        return None
    return {
        "bots": found.bots,
        "superiority": [[round(one, 6) for one in row] for row in found.superiority.tolist()],
        "settled": found.settled_pairs(),
    }


def flag_document(flag: CollusionFlag) -> dict[str, object]:
    """Return a collusion flag for JSON."""
    return {
        "gained": flag.gained,
        "lost": flag.lost,
        "sets": flag.sets,
        "p_value": flag.p_value,
        "by_points": flag.by_points,
        "share": _surprise_document(flag.share),
        "points": None if flag.points is None else _surprise_document(flag.points),
        "sentence": flag.sentence,
    }


def _surprise_document(surprise: Surprise) -> dict[str, object]:
    return {
        "observed": surprise.observed,
        "expected": surprise.expected,
        "margin": finite(surprise.margin),
        "excess": surprise.excess,
        "error": finite(surprise.error),
        "dof": surprise.dof,
    }


def rated_document(rated: RatedBot | None, *, has_points: bool) -> dict[str, object]:
    """Return a bot's rank and ratings for JSON; each is null if the bot is not rated."""
    if rated is None:
        return {"rank": None, "last_rank": None, "elo": None, "los_next": None, "normalised_elo": None, "points": None}
    return {
        "rank": rated.rank,
        "last_rank": rated.last_rank,
        "elo": estimate_document(rated.rating),
        "los_next": rated.ahead,
        "normalised_elo": None if rated.normalised is None else estimate_document(rated.normalised),
        "points": points_document(rated.points) if has_points else None,
    }


def points_document(points: Points | None) -> dict[str, object] | None:
    """Return the points per deal for JSON; null without points."""
    if points is None:
        return None
    found = estimate_document(points.estimate)
    return {
        "variant": points.variant,
        "bot": points.bot,
        "mean": found["value"],
        "error": found["se"],
        "low": found["low"],
        "high": found["high"],
        "sets": points.sets,
    }


def pooled_document(pooled: Pooled) -> dict[str, object]:
    """Return a bot's rating over several variants for JSON."""
    interval = pooled.tau_interval
    return {
        "equal": estimate_document(pooled.equal),
        "random_effects": None if pooled.random is None else estimate_document(pooled.random),
        "tau": pooled.tau,
        "tau_low": None if interval is None else finite(interval[0]),
        "tau_high": None if interval is None else finite(interval[1]),
        "variants": pooled.variants,
    }


def estimate_document(estimate: Estimate) -> dict[str, object]:
    """Return an estimate for JSON. JSON has no infinity, so an unknown error and an open end are null."""
    low, high = estimate.interval()
    return {
        name: finite(value)
        for name, value in (("value", estimate.value), ("se", estimate.se), ("low", low), ("high", high))
    }


def finite(value: float) -> float | None:
    """Return a number, or None if it is infinite."""
    return value if math.isfinite(value) else None
