"""Repeats the measures of a design with new results each time. The figures do not depend on the number of processes."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from benchmarks.ratings.chosen_pairs import chosen_games, ratings_of_chosen, season_of_chosen
from benchmarks.ratings.collusion import flags
from benchmarks.ratings.coverage import bias, coverage, normalised_coverage
from benchmarks.ratings.designs import (
    BIAS,
    CHOSEN,
    EQUAL,
    FAMILIES,
    GAPS,
    GIFTS,
    HONEST,
    NORMALISED,
    SEASONS,
    Design,
    Setting,
    designs,
)
from benchmarks.ratings.family_wise import false_ranks, power
from benchmarks.ratings.generators import play
from bowerbird.harness.records.values.game_result import GameResult

Measure = Callable[[Setting, Sequence[GameResult]], dict[str, float]]

MEASURES: Mapping[str, Measure] = {
    **dict.fromkeys(FAMILIES, coverage),
    NORMALISED: normalised_coverage,
    EQUAL: false_ranks,
    GAPS: power,
    CHOSEN: ratings_of_chosen,
    SEASONS: season_of_chosen,
    BIAS: bias,
    HONEST: flags,
    GIFTS: flags,
}
"""The measures of each family of designs."""

SHARES = frozenset(
    {
        "difference",
        "rating",
        "open",
        "normalised",
        "ranks",
        "single",
        "step_down",
        "bonferroni",
        "false",
        "flagged",
        "found",
        "retired",
    }
)
"""The measures whose values are between 0 and 1."""

WIDTH = 1.96
"""The half-width of a 95% interval, in standard errors."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean of a measure over the replications that have it; `error` is the half-width of its 95% interval."""

    mean: float
    error: float
    replications: int

    def meets(self, low: float, high: float) -> bool:
        """Return whether the mean is in the interval, allowing for the Monte Carlo error."""
        return low - self.error <= self.mean <= high + self.error


def simulate(
    design: Design, replications: int, *, seed: int = 1, executor: Executor | None = None, jobs: int = 1
) -> dict[str, Figure]:
    """Return the figures of a design by measure. With an executor, the work is split into `jobs` parts.

    The executor's processes identify a design by its family and name (`designs`).
    """
    if executor is None:
        found = _replications(design, range(replications), seed)
    else:
        parts = [range(part, replications, jobs) for part in range(jobs)]
        waiting = [executor.submit(_named_replications, design.family, design.name, part, seed) for part in parts]
        found = [one for future in waiting for one in future.result()]
    return {key: figure(key, [one[key] for one in found]) for key in found[0]}


def figure(key: str, values: Sequence[float]) -> Figure:
    """Return the figure of a measure from its value in each replication, ignoring NaN.

    The error of a share is computed with one extra 0 and one extra 1, so equal values have an error, too.
    """
    known = sorted(value for value in values if not math.isnan(value))  # sorted: the sums do not depend on `jobs`
    if not known:
        return Figure(math.nan, math.nan, 0)
    mean, number = math.fsum(known) / len(known), len(known)
    spread = np.array([*known, 0.0, 1.0] if key in SHARES else known).std()
    return Figure(mean, WIDTH * float(spread) / math.sqrt(number), number)


def _named_replications(family: str, name: str, numbers: range, seed: int) -> list[dict[str, float]]:
    (design,) = (one for one in designs() if (one.family, one.name) == (family, name))
    return _replications(design, numbers, seed)


def _replications(design: Design, numbers: range, seed: int) -> list[dict[str, float]]:
    return [MEASURES[design.family](*drawn) for drawn in _runs(design, numbers, seed)]


def _runs(design: Design, numbers: range, seed: int) -> Iterator[tuple[Setting, list[GameResult]]]:
    """Yield the setting and results of each replication. They depend only on the design, the number and the seed."""
    known_as = zlib.crc32(f"{design.family}/{design.name}".encode())
    for number in numbers:
        rng = np.random.default_rng([seed, known_as, number])
        setting = design.draw(rng)
        if setting.chooser is None:
            yield setting, play(rng, setting.world, setting.tables)
        else:
            yield setting, chosen_games(rng, setting, setting.chooser)
