"""Ratings in a variant, drawn towards the bot's mean over variants (ratings.md, Ratings kept, 4)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.standings.shrinkage import shrunken


def of_bot(*estimates: Estimate) -> dict[str, dict[str, Estimate]]:
    return {f"v{number}": {"a": one} for number, one in enumerate(estimates)}


def drawn(*estimates: Estimate) -> list[Estimate]:
    return [row["a"] for row in shrunken(of_bot(*estimates)).values()]


def test_variants_that_agree_share_what_is_known() -> None:
    """Four equal values with an error of 20: if tau were known to be 0, the error would be 10."""
    for one in drawn(*[Estimate(100, 20)] * 4):
        assert one.value == pytest.approx(100)
        assert 10 < one.se < 20


def test_a_value_is_drawn_to_the_mean_and_not_beyond_it() -> None:
    low, middle, high = drawn(Estimate(0, 30), Estimate(50, 30), Estimate(100, 30))
    assert 0 < low.value < middle.value < high.value < 100
    assert middle.value == pytest.approx(50)


def test_the_less_is_known_the_more_is_drawn() -> None:
    few, many, *_ = drawn(Estimate(100, 60), Estimate(100, 10), Estimate(0, 20), Estimate(-20, 20), Estimate(10, 20))
    assert abs(100 - few.value) > 2 * abs(100 - many.value)
    assert few.se > many.se


def test_variants_that_surely_differ_are_hardly_drawn() -> None:
    plain = [Estimate(value, 5) for value in (-400, -100, 0, 150, 350)]
    for one, before in zip(drawn(*plain), plain, strict=True):
        assert one.value == pytest.approx(before.value, abs=1)
        assert one.se == pytest.approx(5, rel=0.02)


def test_one_tau_is_estimated_from_all_bots() -> None:
    """Bots that agree over their variants pull a third bot further towards its mean."""
    alone = {"x": {"a": Estimate(0, 30)}, "y": {"a": Estimate(60, 30)}}
    steady = {f"b{number}": Estimate(10.0 * number, 5) for number in range(8)}
    together = {variant: {**row, **steady} for variant, row in alone.items()}
    assert shrunken(together)["y"]["a"].value < shrunken(alone)["y"]["a"].value - 5


def test_the_anchor_stays_at_its_rating() -> None:
    found = shrunken(
        {variant: {"a": Estimate(value, 30), "z": Estimate(0, 0)} for variant, value in (("x", 9), ("y", 7))}
    )
    assert [row["z"] for row in found.values()] == [Estimate(0, 0)] * 2


def test_a_perfect_score_is_drawn_by_its_finite_end() -> None:
    """600 with its finite end 196 lower counts as 600 with an error of 100."""
    perfect = Estimate(600, 90, side=1, bound=600 - 100 * 1.959964, doubt=0.01)
    others = [Estimate(value, 20) for value in (90, 110, 150, 80)]
    assert drawn(perfect, *others)[0].value == pytest.approx(drawn(Estimate(600, 100), *others)[0].value)
    assert math.isfinite(drawn(perfect, *others)[0].interval()[1])


def test_a_variant_that_says_nothing_gets_what_the_others_say() -> None:
    unknown, *others = drawn(Estimate(0, math.inf), *[Estimate(value, 10) for value in (80, 120, 90, 110)])
    assert unknown.value == pytest.approx(100)
    assert unknown.se > max(one.se for one in others)


def test_a_bot_of_one_variant_keeps_its_rating() -> None:
    games = of_bot(Estimate(0, 20), Estimate(30, 20))
    games["v0"]["b"] = Estimate(77, 12)
    found = shrunken(games)["v0"]["b"]
    assert [found.value, found.se] == pytest.approx([77, 12])


def test_nothing_is_drawn_if_no_bot_has_two_variants() -> None:
    ratings = {"x": {"a": Estimate(5, 2)}, "y": {"b": Estimate(7, 3)}}
    assert shrunken(ratings) == ratings
    nothing = of_bot(Estimate(0, math.inf), Estimate(0, math.inf))
    assert shrunken(nothing) == nothing


def test_one_variant_has_no_hierarchical_estimate() -> None:
    assert shrunken({"x": {"a": Estimate(5, 2)}}) == {}
    assert shrunken({}) == {}


def test_an_error_that_is_small_by_chance_does_not_rule() -> None:
    """Of 24 errors from three sets one is 1/50 of the others: it counts as if it were like them."""
    ratings = {f"v{number}": {bot: Estimate(10.0 * number, 40 + number, 2) for bot in "abcd"} for number in range(6)}
    ratings["v5"]["a"] = replace(ratings["v5"]["a"], se=0.9)
    assert shrunken(ratings)["v5"]["a"].se > 5


def of_four_bots(dof: float = 9) -> dict[str, dict[str, Estimate]]:
    return {f"v{v}": {f"b{b}": Estimate((v * 37 + b * 11) % 50, 10 + v, dof) for b in range(4)} for v in range(4)}


@pytest.mark.parametrize(
    ("dof", "figures"),
    [(9, (9.73277706, 10.4498880, 25.7854431, 9.52337825)), (1, (14.1659309, 14.3398732, 27.5089820, 13.9066863))],
)
def test_figures_of_four_bots_stay(dof: float, figures: tuple[float, ...]) -> None:
    """No other program computes them, and other tests bound them only."""
    found = shrunken(of_four_bots(dof))
    one, other = found["v0"]["b0"], found["v3"]["b1"]
    assert (one.value, one.se, other.value, other.se) == pytest.approx(figures, rel=1e-6)


def test_the_order_of_variants_and_bots_changes_nothing() -> None:
    ratings = of_four_bots()
    backwards = {variant: dict(reversed(row.items())) for variant, row in reversed(ratings.items())}
    assert shrunken(backwards) == shrunken(ratings)


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("anchored", [False, True])
@pytest.mark.parametrize(("tau", "dof"), [(0, 9), (25, 4), (25, 9), (40, 9)])
def test_drawn_ratings_are_nearer_the_truth_and_cover_it(tau: float, dof: int, anchored: bool) -> None:
    """Thirteen variants, six bots, errors of 60 from few sets: error below 0.7 of the plain one, coverage .93 to .98.

    anchored: all ratings are differences to one bot, whose own luck they share. With no spread at all (tau = 0) the
    intervals may cover more.
    """
    rng = np.random.default_rng(13)
    plain = after = held = total = 0.0
    for _ in range(60):
        truth = rng.normal(0, 150, 6)[:, None] + rng.normal(0, tau, (6, 13))
        errors = np.full((6, 13), 60.0)
        values = truth + rng.normal(0, errors)
        if anchored:
            shift = rng.normal(0, tau, 13)
            truth, values, errors = truth - shift, values - shift - rng.normal(0, 30, 13), np.hypot(errors, 30)
        known = errors * np.sqrt(rng.chisquare(dof, errors.shape) / dof)
        found = shrunken(
            {f"v{v:02}": {f"b{b}": Estimate(values[b, v], known[b, v], dof) for b in range(6)} for v in range(13)}
        )
        for column, row in enumerate(found.values()):
            for place, one in enumerate(row.values()):
                low, high = one.interval()
                held += low <= truth[place, column] <= high
                total += 1
                after += (one.value - truth[place, column]) ** 2
        plain += float(((values - truth) ** 2).sum())
    assert math.sqrt(after / plain) < 0.7
    assert 0.93 <= held / total <= (0.98 if tau else 1)
