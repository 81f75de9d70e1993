"""What the program that compares losses with points computes from its rows."""

from __future__ import annotations

import pytest

from benchmarks.strength.ladder import OTHERS
from benchmarks.strength.losses import VARIANTS, Compared, correlation, points_of


def rows(sign: int) -> list[Compared]:
    """Return rows whose two values have the same order in each variant, or the opposite one."""
    return [
        Compared(variant, bot, 4, float(place + scale), sign * (3.0 * place + 1) * scale, 0.1)
        for scale, variant in enumerate(("euchre", "buck", "british"), 1)
        for place, bot in enumerate(OTHERS)
    ]


@pytest.mark.parametrize("sign", [1, -1])
def test_values_in_one_order_correlate_wholly(sign: int) -> None:
    found = correlation(rows(sign), "all")
    for value in (found.pearson, found.pearson_low, found.pearson_high, found.ranks, found.ranks_low, found.ranks_high):
        assert value == pytest.approx(sign)


def test_points_are_read_from_the_table_of_the_ladder() -> None:
    points = points_of()
    assert {(variant, bot) for variant in VARIANTS for bot in OTHERS} <= points.keys()
    assert all(points[variant, "random"][0] < 0 for variant in VARIANTS)
    assert all(reach > 0 for _, reach in points.values())
