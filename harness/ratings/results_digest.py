"""The digest of a run's results, which shows whether stored ratings still match the stored results."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from bowerbird.harness.records.values.game_result import GameResult, by_set
from bowerbird.harness.records.values.run import ResultsDigest, schedule_order


def digest_of(results: Iterable[GameResult]) -> ResultsDigest:
    """Return the digest of these results, which can be in any order."""
    known = by_set(results)
    digest = hashlib.sha256()
    for key in sorted(known, key=schedule_order):
        for result in sorted(known[key], key=lambda one: one.id.rotation):
            digest.update(_bytes(result))
    return ResultsDigest(f"sha256:{digest.hexdigest()}", len(known))


def _bytes(result: GameResult) -> bytes:
    """Return the rated content of a result as unambiguous text."""
    parts = (str(result.id), result.variant, result.bots, result.sides, result.ranks, result.offenders, result.rated)
    return (repr(parts) + "\n").encode()
