"""By how much one bot is above another over several variants, and when that is settled."""

from __future__ import annotations

import math

from bowerbird.harness.ratings.sequential.leads import lead
from bowerbird.harness.ratings.standings.pool import variant_fits
from tests.support.records.versions import results


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
