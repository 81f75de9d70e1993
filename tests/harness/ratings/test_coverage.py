"""Coverage and error rates of the ratings, simulated (ratings.md, What the numbers do not say).

Results come from `benchmarks.ratings`, which shares no code with the fit. A target is missed if the figure lies outside
it by more than four Monte Carlo standard errors; the replications suffice for defects of the size that were found in
earlier versions. `make bench ARGS=ratings` measures more designs, and each more often.
"""

from __future__ import annotations

import pytest

from benchmarks.ratings.designs import (
    BIAS,
    BRIDGES,
    EQUAL,
    GAPS,
    NORMALISED,
    SEATS,
    SETS,
    SWEEPS,
    UNEQUAL,
    VERSIONS,
    designs,
)
from benchmarks.ratings.simulation import WIDTH, Figure, simulate
from benchmarks.ratings.table import TARGETS

MEASURED = (
    (SEATS, "3 seats, 3 bots", 150),
    (SEATS, "4 seats, luck in the weights", 150),
    (SEATS, "teams, 4 bots", 100),
    (SEATS, "mixed partners, 4 bots", 100),
    (SEATS, "one against copies, 3 bots", 50),
    pytest.param(SETS, "2 seats, 4 bots, 5 sets a pair", 150, marks=pytest.mark.long),
    (UNEQUAL, "4 bots, all pairs", 50),
    pytest.param(BRIDGES, "2 seats, 2 sets", 150, marks=pytest.mark.long),
    pytest.param(BRIDGES, "4 seats, 2 sets", 120, marks=pytest.mark.long),
    (SWEEPS, "2 sets, 50% perfect", 400),
    pytest.param(SWEEPS, "10 sets, 90% perfect", 800, marks=pytest.mark.long),
    pytest.param(SWEEPS, "40 sets, 50% perfect", 500, marks=pytest.mark.long),
    (VERSIONS, "100 sets, 0 Elo apart, 10% slips", 60),
    pytest.param(NORMALISED, "nElo 400, 50 sets", 150, marks=pytest.mark.long),
    (NORMALISED, "nElo 700, 50 sets", 100),
    pytest.param(EQUAL, "10 bots, 5 sets a pair", 40, marks=pytest.mark.long),
    pytest.param(GAPS, "two groups of 4 equal bots, 100 Elo", 100, marks=pytest.mark.long),
    pytest.param(BIAS, "4 seats, 4 bots, 2 sets", 200, marks=pytest.mark.long),
)
"""(family, design, replications)."""


def low_and_high(found: Figure) -> tuple[float, float]:
    """Return the ends of an interval of four standard errors to either side."""
    reach = 4 / WIDTH * found.error
    return found.mean - reach, found.mean + reach


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize(("family", "name", "replications"), MEASURED, ids=str)
def test_intervals_ranks_and_values_hold_what_they_promise(family: str, name: str, replications: int) -> None:
    (design,) = (one for one in designs() if (one.family, one.name) == (family, name))
    figures = simulate(design, replications)
    for measure, (least, most) in TARGETS[family].items():
        low, high = low_and_high(figures[measure])
        assert high >= least, f"{measure}: {figures[measure]}, at least {least}"
        assert low <= most, f"{measure}: {figures[measure]}, at most {most}"
