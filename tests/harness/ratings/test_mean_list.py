"""The list over several variants ranks by the mean differences, with one error rate for the whole table."""

from __future__ import annotations

import random
from itertools import combinations
from pathlib import Path

import pytest

from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.standings import mean_list as mean_list_module
from bowerbird.harness.ratings.standings.mean_list import mean_list
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.ratings.standings.pool import equal_mean, on_one_scale, pooled_of, variant_fits
from bowerbird.harness.ratings.standings.ranks import MOST_SETS, more_sets
from bowerbird.harness.ratings.standings.rating_list import RatingList
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.ratings import game_result
from tests.support.records.stored_runs import store_run

VARIANTS = ("euchre", "buck", "cornish")


def games(
    strengths: dict[str, float], sets: int, *, seed: int = 1, variants: tuple[str, ...] = VARIANTS
) -> list[GameResult]:
    """Return mirrored games in which a bot wins in proportion to its strength."""
    chance = random.Random(seed)
    found = []
    for variant in variants:
        for number in range(sets):
            for one, other in combinations(strengths, 2):
                for rotation, (first, second) in enumerate(((one, other), (other, one))):
                    won = chance.random() < strengths[first] / (strengths[first] + strengths[second])
                    found.append(
                        game_result(
                            [first, second],
                            [1, 2] if won else [2, 1],
                            deal_set=number,
                            rotation=rotation,
                            variant=variant,
                            sides=(0, 1),
                        )
                    )
    return found


def listed(results: list[GameResult], anchor: str = "random") -> RatingList:
    fits = variant_fits(results, anchor)
    return mean_list(fits, pooled_of(on_one_scale(fits, anchor)), 100, anchor=anchor)


def test_whole_matrices_and_single_differences_give_the_same_p_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the intervals are symmetric, as with many deal sets."""
    fits = variant_fits(games({"a": 4.0, "b": 2.0, "c": 1.5, "random": 1.0}, 60))
    order = ["a", "b", "c", "random"]
    single = mean_list_module._p_values(fits, order, {})
    monkeypatch.setattr(mean_list_module, "MOST_DIFFERENCES", 0)
    assert mean_list_module._p_values(fits, order, {}) == pytest.approx(single, rel=1e-6)
    for one, other in combinations(range(len(order)), 2):
        mean = equal_mean([fit.difference(order[one], order[other]) for fit in fits.values()])
        assert single[one, other] == (mean.p_value if mean.value > 0 else 1.0)


def test_bots_are_ranked_and_the_zero_is_named() -> None:
    found = listed(games({"strong": 30.0, "middle": 4.0, "random": 0.6}, 20))
    assert [(line.bot, line.rank) for line in found.lines] == [("strong", 1), ("middle", 2), ("random", 3)]
    assert found.undecided == ()
    assert found.sentence == "Elo: the mean over 3 variants of equal weight; the anchor random is fixed at 0"
    assert found.lines[2].rating.value == 0
    assert "the mean of all is 0" in listed(games({"a": 2.0, "b": 1.0}, 9)).sentence


def test_a_perfect_score_has_an_open_interval_and_a_rank() -> None:
    found = listed(games({"strong": 1e9, "random": 1.0, "same": 1.0}, 12))
    assert found.lines[0].bot == "strong"
    assert [line.rank for line in found.lines] == [1, 2, 2]
    low, high = found.lines[0].rating.interval()
    assert low > 0
    assert high == float("inf")


def test_equal_bots_share_a_rank_and_say_what_it_would_take() -> None:
    found = listed(games(dict.fromkeys("abcd", 1.0), 4))
    assert {line.rank for line in found.lines} == {1}
    assert len(found.undecided) == 3
    assert all(pair.more_sets is None or pair.more_sets > 0 for pair in found.undecided)


def test_bots_that_never_met_have_no_ratings() -> None:
    results = games({"a": 1.0, "b": 1.0}, 3, variants=("euchre",)) + games({"c": 1.0, "d": 1.0}, 3, variants=("buck",))
    assert listed(results).lines == ()


def test_sets_needed_grow_with_the_square() -> None:
    assert more_sets(Estimate(20.0, 20.0).p_value, 2, 100) == 285  # 100 * (1.96**2 - 1)
    assert more_sets(Estimate(0.0, 20.0).p_value, 2, 100) is None
    assert more_sets(Estimate(1e-3, 20.0).p_value, 2, MOST_SETS) is None


def test_the_only_bot_with_two_sided_intervals_everywhere_is_the_zero() -> None:
    """In euchre a and b are open and c loses everything; in buck a wins everything and b and c are open."""
    euchre = games({"a": 1.0, "b": 1.0, "c": 1e-9}, 6, variants=("euchre",))
    buck = games({"a": 1e9, "b": 1.0, "c": 1.0}, 6, variants=("buck",))
    found = listed(euchre + buck)
    assert found.sentence.endswith("; b is fixed at 0")
    assert next(line.rating.value for line in found.lines if line.bot == "b") == 0


def test_every_neighbour_that_is_not_settled_is_undecided() -> None:
    for seed in range(12):
        found = listed(games({"a": 1.4, "b": 1.2, "c": 1.0}, 25, seed=seed))
        open_ones = {(pair.bot, pair.other) for pair in found.undecided}
        for line, following in zip(found.lines, found.lines[1:], strict=False):
            assert (line.bot, following.bot) in open_ones or (line.ahead or 0) > 0.975, f"seed {seed}: {found}"


def test_who_is_missing_is_said() -> None:
    results = games({"a": 1.0, "b": 2.0}, 3, variants=("euchre",)) + games({"c": 1.0, "d": 2.0}, 3, variants=("buck",))
    assert listed(results).sentence == "no ratings over all variants: no bot is rated in all of buck, euchre"


def test_the_mean_over_the_variants_of_one_run_has_percentiles_of_all_its_decisions(tmp_path: Path) -> None:
    store_run(tmp_path / "x.db", variants=("euchre", "buck"))
    with Store.open(tmp_path / "x.db") as store:
        whole = {line.bot: (line.p50_ms, line.p99_ms) for line in store.run().standings_by_scope()[None]}
        shown = overview([store.run()]).overall.standings
    assert {line.bot: (line.p50_ms, line.p99_ms) for line in shown} == whole
    assert all(None not in percentiles for percentiles in whole.values())
