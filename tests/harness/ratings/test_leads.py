"""By how much one bot is above another over several variants, and when that is settled."""

from __future__ import annotations

import math
from collections.abc import Iterator

from harness.ratings.sequential.leads import lead
from harness.ratings.standings.pool import variant_fits
from harness.records.values.game_result import GameResult
from harness.records.values.run import GameId

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


def test_a_clear_lead_is_settled_and_its_interval_excludes_0() -> None:
    found = lead(variant_fits(results(200, 8)), "new", "old")
    assert found is not None
    assert found.is_settled
    assert 0 < found.interval[0] < found.estimate.value < found.interval[1]


def test_the_lead_of_the_other_one_is_the_same_with_the_other_sign() -> None:
    fits = variant_fits(results(200, 8))
    one, other = lead(fits, "new", "old"), lead(fits, "old", "new")
    assert one is not None
    assert other is not None
    assert math.isclose(one.estimate.value, -other.estimate.value)
    assert math.isclose(one.p_value, other.p_value)
    assert other.is_settled


def test_equal_bots_and_few_sets_settle_nothing() -> None:
    for sets, won in ((200, 5), (3, 8)):
        found = lead(variant_fits(results(sets, won)), "new", "old")
        assert found is not None
        assert not found.is_settled, f"{won} of ten in {sets} sets"


def test_a_bot_that_nobody_rates_has_no_lead() -> None:
    assert lead(variant_fits(results(10, 8)), "new", "nobody") is None
    assert lead({}, "new", "old") is None
