"""The sequential test on deal sets (ratings.md, Sequential test; rating-checks.md, Known answers)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from bowerbird.harness.ratings.normalised import ELO_PER_DEVIATION
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.sequential.likelihood_ratio import mean_llr, mle_with_mean, mle_with_t_value, t_value_llr
from bowerbird.harness.ratings.sequential.set_values import POINTS, SetValue, set_values
from bowerbird.harness.ratings.sequential.sprt import TRACE, Hypotheses, decide, ratios_of, strength_of
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import SetKey
from tests.support.tournament.rated_games import game, series

FIVE = np.array([-0.5, -0.25, 0, 0.25, 0.5])
"""Possible results of a set of two games, less one half: LL, LD, WL or DD, WD, WW."""


def pentanomial(*counts: int) -> np.ndarray:
    """Return the counts in the order of FIVE, with a trace for a count of 0 (rating-checks.md, Known answers).

    `counts` are the numbers of LL, LD, WL, DD, WD, WW.
    """
    ll, ld, wl, dd, wd, ww = counts
    return np.array([count or TRACE for count in (ll, ld, wl + dd, wd, ww)], dtype=float)


def mean_at(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400)) - 0.5


def sets(counts: Sequence[int], games: int = 2) -> list[SetValue]:
    return [SetValue(Fraction(value), games) for value, count in zip(FIVE, counts, strict=True) for _ in range(count)]


@pytest.mark.parametrize(
    ("counts", "elo1", "expected"),
    [((365, 16618, 36029, 200, 16974, 390), 2, 2.25), ((0, 0, 0, 0, 0, 5550), 5, 111.8)],
)
def test_known_answers_of_fastchess_in_normalised_elo(counts: tuple[int, ...], elo1: float, expected: float) -> None:
    t1 = elo1 / ELO_PER_DEVIATION * math.sqrt(2)
    assert t_value_llr(FIVE, pentanomial(*counts)[None], 0.0, t1) == pytest.approx(expected, rel=0.01)


def test_known_answer_of_fastchess_in_logistic_elo() -> None:
    counts = pentanomial(871, 26175, 55003, 980, 26678, 821)
    assert mean_llr(FIVE, counts, 0.0, mean_at(2)) == pytest.approx(-4.98, rel=0.01)


def test_known_answer_of_cutechess() -> None:
    counts = np.array([1351.5, 2942.5, 1477.5])
    ratio = mean_llr(np.array([-0.5, 0, 0.5]), counts, 0.0, mean_at(10))
    assert ratio == pytest.approx(2.52, rel=0.01)
    assert ratio < Hypotheses(0, 10, alpha=0.01, beta=0.01).upper, "4.6: the test goes on"


def test_a_sweep_is_counted_and_does_not_collapse() -> None:
    """ratings.md, Sequential test: the closed form gives 0.26 for 5550 swept sets."""
    swept = sets((0, 0, 0, 0, 5550))
    assert ratios_of(swept, Hypotheses(0, 5, normalised=True))[-1] == pytest.approx(111.8, rel=0.01)


def test_known_strength_of_fastchess() -> None:
    strength = strength_of(sets((34, 54, 63, 64, 75)))
    assert strength is not None
    assert strength.elo is not None
    assert 0.5 + strength.mean.value == pytest.approx(0.579, abs=5e-4)
    assert strength.elo.value == pytest.approx(55.58, rel=0.01)
    assert strength.elo.interval()[1] - strength.elo.value == pytest.approx(27.65, rel=0.01)
    assert strength.normalised.value == pytest.approx(57.94, rel=0.01)
    # fastchess takes the standard deviation as known: the error of the mean, in standard deviations
    known = 1.96 * strength.mean.se * strength.normalised.value / strength.mean.value
    assert known == pytest.approx(28.28, rel=0.01)
    assert strength.normalised.interval()[1] - strength.normalised.value > known


def test_intervals_are_those_of_students_t() -> None:
    """Five sets: the interval of the mean is the textbook's, t with 4 degrees of freedom."""
    strength = strength_of(sets((0, 1, 1, 1, 2)))
    assert strength is not None
    assert strength.elo is not None
    values = np.array([-0.25, 0, 0.25, 0.5, 0.5])
    reach = 2.7764 * np.std(values, ddof=1) / math.sqrt(5)
    assert strength.mean.interval() == pytest.approx((0.2 - reach, 0.2 + reach), abs=1e-4)
    assert strength.elo.dof == strength.normalised.dof == 4


@pytest.mark.parametrize("elo1", [math.nan, math.inf, -math.inf, 10**400, 1e6, 1000, -1000])
def test_hypotheses_that_make_no_test_are_refused_in_one_sentence(elo1: float) -> None:
    sentence = " = .*; must be a number above -1000 and below 1000$"
    with pytest.raises(RatingError, match=f"^got elo0{sentence}"):
        Hypotheses(elo0=elo1)
    with pytest.raises(RatingError, match=f"^got elo1{sentence}"):
        Hypotheses(elo1=elo1)


@pytest.mark.parametrize("chance", [math.nan, math.inf, 0.0, -0.1, 0.5, 10**400])
def test_error_probabilities_are_between_0_and_a_half(chance: float) -> None:
    sentence = " = .*; must be a number above 0 and below 0.5$"
    with pytest.raises(RatingError, match=f"^got alpha{sentence}"):
        Hypotheses(alpha=chance)
    with pytest.raises(RatingError, match=f"^got beta{sentence}"):
        Hypotheses(beta=chance)


def test_the_second_hypothesis_is_the_stronger_one() -> None:
    for elo0, elo1 in ((5, 5), (5, 4), (0, 5e-324), (1, 1.0005)):
        with pytest.raises(RatingError, match=r"less than|apart"):
            Hypotheses(elo0, elo1)
    assert math.isfinite(Hypotheses(-999, 999, alpha=5e-324, beta=5e-324).upper)


def test_a_measure_or_an_opponent_that_is_none_is_refused() -> None:
    with pytest.raises(RatingError, match="unknown measure 'wins'"):
        set_values([], "a", "b", "wins")
    with pytest.raises(RatingError, match="against itself"):
        set_values([], "a", "a")


def test_bounds_are_those_of_wald() -> None:
    hypotheses = Hypotheses(0, 10, alpha=0.05, beta=0.1)
    assert hypotheses.lower == pytest.approx(math.log(0.1 / 0.95))
    assert hypotheses.upper == pytest.approx(math.log(0.9 / 0.05))


def test_the_constrained_distributions_satisfy_their_constraints() -> None:
    values, shares = np.array([-3.0, -1, 0, 2, 7]), np.array([0.1, 0.2, 0.3, 0.3, 0.1])
    assert np.sum(values * mle_with_mean(values, shares, 1.5)) == pytest.approx(1.5)
    cases = [(shares, t) for t in (-2.0, -0.1, 0.0, 0.4, 3.0)]
    cases += [(np.array([0, 0, 0.5, 0.5, 0]), 3.0)]  # from a uniform start the search would not end
    for counted, t in cases:
        found = mle_with_t_value(values, counted[None], t)[0]
        assert not np.any(found[counted == 0]), "what never occurred is not in the support"
        mean = np.sum(values * found)
        assert mean == pytest.approx(t * math.sqrt(np.sum((values - mean) ** 2 * found)), abs=1e-6), f"t = {t}"


def test_the_constrained_distribution_is_the_likeliest() -> None:
    values, shares = np.array([-1.0, 0, 2]), np.array([0.3, 0.3, 0.4])
    best = mle_with_mean(values, shares, 0.2)
    for shift in (0.01, -0.01):
        other = best + shift * np.array([2.0, -3.0, 1.0]) / 3  # keeps the sum and the mean
        assert np.sum(shares * np.log(other)) < np.sum(shares * np.log(best))


def test_the_first_set_that_reaches_a_bound_decides() -> None:
    hypotheses = Hypotheses(0, 50)
    won = sets((0, 0, 5, 40, 0))
    decision = decide(won, hypotheses)
    assert decision.accepted == "H1"
    assert decision.llr >= hypotheses.upper > ratios_of(won, hypotheses)[decision.sets - 2]
    assert decide(won + sets((500, 0, 0, 0, 0)), hypotheses) == decision, "what came later changes nothing"
    assert decide(won[: decision.sets - 1], hypotheses).accepted == ""


def test_a_lost_test_accepts_the_null_hypothesis() -> None:
    assert decide(sets((0, 40, 5, 0, 0)), Hypotheses(0, 50)).accepted == "H0"


def test_equal_sets_alone_say_little_and_nothing_says_nothing() -> None:
    assert decide([], Hypotheses()).llr == 0
    assert decide(sets((0, 0, 1, 0, 0)), Hypotheses(0, 10)).accepted == ""
    flat = [SetValue(Fraction(0), 2)] * 50
    assert decide(flat, Hypotheses(0, 50, normalised=True), POINTS).llr == 0, "one bot against itself"
    assert strength_of(flat) is None


def test_hypotheses_far_out_have_a_finite_ratio() -> None:
    """t = 5 standard deviations of a set: the iteration's uniform start lies on neither side of it."""
    rng = random.Random(1)
    for support in ((1, -1), (0, 1), (-3, 0, 5)):
        values = [SetValue(Fraction(rng.choice(support)), 14) for _ in range(40)]
        for elo1 in (460, 999):
            ratios = ratios_of(values, Hypotheses(0, elo1, normalised=True), POINTS)
            assert all(map(math.isfinite, ratios)), f"{support}: {ratios}"


def test_points_have_no_logistic_elo() -> None:
    with pytest.raises(RatingError, match="normalised"):
        decide(sets((0, 0, 1, 1, 0)), Hypotheses(), POINTS)


def test_a_set_is_the_mean_of_its_games_less_one_half() -> None:
    games = series(4, lambda number: ((1, 1), (1, 0), (0.5, 0), (0, 0))[number])
    values = [one.value for one in set_values(games, "a", "b")]
    assert values == [Fraction(1, 2), 0, Fraction(-1, 4), Fraction(-1, 2)]
    assert [one.value for one in set_values(games, "b", "a")] == [-value for value in values]


def test_sets_count_in_their_order_up_to_the_first_gap() -> None:
    games = series(5, lambda number: (1, number % 2))
    shuffled = list(games)
    random.Random(3).shuffle(shuffled)
    assert set_values(shuffled, "a", "b") == set_values(games, "a", "b")
    torn = [one for one in games if (one.id.set_number, one.id.rotation) != (2, 1)]
    assert set_values(torn, "a", "b") == set_values(games, "a", "b")[:2]


def test_line_ups_that_share_their_packs_are_one_set() -> None:
    """Two bots at a table of three: aab and abb, each in three rotations; a is first in all of them."""
    games = []
    for lineup in ("aab", "abb"):
        for rotation in range(3):
            bots = lineup[-rotation:] + lineup[:-rotation] if rotation else lineup
            ranks = [1 if bot == "a" else 3 for bot in bots]
            games.append(game(bots, ranks, rotation=rotation, lineup="+".join(lineup)))
    (value,) = set_values(games, "a", "b")
    assert (value.value, value.games) == (Fraction(1, 2), 6)
    assert set_values(games[:3], "a", "b", due={"buck-0": 6}) == []


def two_line_ups(sets: int) -> list[GameResult]:
    """Return sets of aab and abb, each with its own packs: a is first in the games of aab, b in the games of abb."""
    return [
        replace(
            game(bots, [1 + 2 * (bot != first) for bot in bots], number=number, rotation=turn, lineup="+".join(lineup)),
            own_packs=True,
        )
        for number in range(sets)
        for lineup, first in (("aab", "a"), ("abb", "b"))
        for turn in range(3)
        for bots in (lineup[-turn:] + lineup[:-turn] if turn else lineup,)
    ]


def test_line_ups_with_packs_of_their_own_have_sets_of_their_own() -> None:
    games = two_line_ups(2)
    random.Random(4).shuffle(games)
    values = set_values(games, "a", "b")
    assert [(one.value, one.games) for one in values] == [(Fraction(1, 2), 3), (Fraction(-1, 2), 3)] * 2


def test_sets_of_own_packs_count_up_to_the_first_number_that_a_line_up_misses() -> None:
    torn = [one for one in two_line_ups(3) if (one.id.set_number, one.id.lineup) != (1, "a+b+b")]
    assert set_values(torn, "a", "b") == set_values(two_line_ups(1), "a", "b")


def test_a_set_without_a_result_leaves_out_only_the_line_ups_on_its_packs() -> None:
    key = SetKey("buck-0", "a+b+b", 1)
    games = [one for one in two_line_ups(3) if one.id.set_key != key]
    assert len(set_values(games, "a", "b", left_out=[key])) == 5
    common = [replace(one, own_packs=False) for one in games]
    assert len(set_values(common, "a", "b", left_out=[key])) == 2


def test_tables_with_other_bots_count_by_the_pair() -> None:
    """A table of three different bots in all rotations: a is ahead of b in two of the three games."""
    order = ((1, 2, 3), (2, 3, 1), (1, 3, 2))
    games = [
        game("abc"[-turn:] + "abc"[:-turn] if turn else "abc", ranks, rotation=turn) for turn, ranks in enumerate(order)
    ]
    outcomes = [one.pair_outcome(one.bots.index("a"), one.bots.index("b")) for one in games]
    assert set_values(games, "a", "b")[0].value == Fraction(sum(outcomes)) / 3 - Fraction(1, 2)


def test_points_are_half_the_difference_of_the_two() -> None:
    """rules.md V12 counts down: 20 against 24 is four points better, two from the table's mean."""
    deal = [game("ab", (1, 2), rotation=turn, scores=scores) for turn, scores in enumerate(((20, 24), (23, 23)))]
    mirrored = [deal[0], replace(deal[1], bots=("b", "a"))]
    assert set_values(mirrored, "a", "b", POINTS)[0].value == 1


def test_a_withdrawn_bot_leaves_its_sets_out() -> None:
    games = [replace(one, rated=False) for one in series(1, lambda _: (1, 1))]
    assert set_values(games, "a", "b") == set_values(games, "a", "b", POINTS) == []


BASE = np.array([0.12, 0.14, 0.5, 0.14, 0.1])
AT_ONCE = 40
MOST = 600


def verdicts(drawn: np.ndarray, hypotheses: Hypotheses) -> list[str]:
    """Return the hypothesis that each experiment accepts, "" for none.

    `drawn` holds places in FIVE. All experiments advance together.
    """
    t0, t1 = (elo / ELO_PER_DEVIATION * math.sqrt(2) for elo in (hypotheses.elo0, hypotheses.elo1))
    accepted = np.zeros(len(drawn), dtype=int)
    for first in range(0, MOST, AT_ONCE):
        going = np.flatnonzero(accepted == 0)
        counts = np.cumsum(np.eye(5)[drawn[going, : first + AT_ONCE]], axis=1)[:, first:].reshape(-1, 5)
        counts = np.where(counts == 0, TRACE, counts)
        if hypotheses.normalised:
            ratios = t_value_llr(FIVE, counts, t0, t1)
        else:
            ratios = mean_llr(FIVE, counts, mean_at(hypotheses.elo0), mean_at(hypotheses.elo1))
        ratios = ratios.reshape(len(going), AT_ONCE)
        reached = (ratios >= hypotheses.upper) | (ratios <= hypotheses.lower)
        at = np.argmax(reached, axis=1)
        sign = np.sign(ratios[np.arange(len(going)), at]) * reached.any(axis=1)
        accepted[going] = sign.astype(int)
        if not (accepted == 0).any():
            break
    return [{1: "H1", -1: "H0", 0: ""}[one] for one in accepted.tolist()]


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize(
    ("normalised", "experiments"), [(False, 2000), pytest.param(True, 700, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("true", ["H0", "H1"])
def test_errors_of_both_kinds_stay_within_their_bounds(true: str, normalised: bool, experiments: int) -> None:
    """Sets are drawn under one hypothesis; at most 5% of the tests may accept the other one."""
    hypotheses = Hypotheses(0, 120, normalised=normalised)
    elo = hypotheses.elo0 if true == "H0" else hypotheses.elo1
    if normalised:
        shares = mle_with_t_value(FIVE, BASE[None], elo / ELO_PER_DEVIATION * math.sqrt(2))[0]
    else:
        shares = mle_with_mean(FIVE, BASE, mean_at(elo))
    accepted = verdicts(np.random.default_rng(17).choice(5, p=shares, size=(experiments, MOST)), hypotheses)
    assert "" not in accepted, f"{accepted.count('')} tests had no verdict after {MOST} sets"
    wrong = sum(one != true for one in accepted) / experiments
    chance = 2 * math.sqrt(0.05 * 0.95 / experiments)
    assert wrong <= 0.05 + chance, f"{wrong:.4f} of the tests accepted the wrong hypothesis"


def test_many_experiments_at_once_decide_as_one_does() -> None:
    """This simulation and `decide` see the same ratios, except for the traces of results that did not occur."""
    hypotheses = Hypotheses(0, 120)
    drawn = np.random.default_rng(3).choice(5, size=(8, MOST))
    single = [
        decide([SetValue(Fraction(FIVE[place]), 2) for place in row], hypotheses).accepted for row in drawn.tolist()
    ]
    assert verdicts(drawn, hypotheses) == single
