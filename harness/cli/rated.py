"""Ratings as every command shows them: as values for JSON, and the table over several variants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.cli.tables import pooled_table
from harness.ratings.figures import POOLED_NOTE, POOLED_TITLE

if TYPE_CHECKING:
    from harness.ratings.estimate import Estimate
    from harness.ratings.league import League, Rated
    from harness.ratings.pool import Pooled
    from harness.records.rows import GameResult


def pooled_text(results: Sequence[GameResult], overall: League) -> list[str]:
    """The table over several variants, with what its words mean."""
    from harness.ratings.league import pooled

    found = pooled(results)
    if not found:
        return []
    return [
        POOLED_TITLE,
        *pooled_table(found, overall),
        POOLED_NOTE,
        "",
    ]


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
