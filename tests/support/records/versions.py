"""Results of two versions of a bot, of which one wins more often."""

from __future__ import annotations

from collections.abc import Iterator

from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId

VARIANTS = ("euchre", "buck")


def results(sets: int, won: int) -> Iterator[GameResult]:
    """Yield deal sets of `new` against `old` in each variant: of each ten sets `new` wins `won`, `old` the others."""
    for variant in VARIANTS:
        for number in range(sets):
            winner = "new" if number % 10 < won else "old"
            for rotation in range(2):
                bots = ("new", "old", "new", "old") if rotation == 0 else ("old", "new", "old", "new")
                yield GameResult(
                    id=GameId("run", f"{variant}-0", "new+old", number, rotation),
                    variant=variant,
                    bots=bots,
                    sides=(0, 1, 0, 1),
                    ranks=tuple(1 if bot == winner else 2 for bot in bots),
                    scores=(0, 0, 0, 0),
                    offenders=(),
                    rated=True,
                    decisions=10,
                )
