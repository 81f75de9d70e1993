"""The rating of record (ratings.md, Ratings kept, 2; rating-checks.md, Known answers)."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from bowerbird.harness.ratings.bradley_terry.connectivity import UnconnectedError
from bowerbird.harness.ratings.bradley_terry.design import design_by
from bowerbird.harness.ratings.bradley_terry.fit import Fit, fit, fit_observations
from bowerbird.harness.ratings.bradley_terry.observations import observe
from bowerbird.harness.ratings.matrices import matrix_of
from bowerbird.harness.ratings.pairs import RatingError, cluster_of
from bowerbird.harness.records.values.game_result import GameResult
from tests.support.tournament.rated_games import game, mirrored, series, tournament

KNOWN = (("a", "b", 2, 3), ("a", "d", 1, 4), ("b", "c", 5, 3), ("c", "d", 1, 3))
"""rating-checks.md, Known answers: 22 games, wins of the first and of the second."""


def known_games() -> list[GameResult]:
    """Return each game of the example played from both seats with the same outcome, so that seats have no effect."""
    games: list[GameResult] = []
    for one, other, wins, losses in KNOWN:
        for won in (*(1,) * wins, *(0,) * losses):
            games += mirrored(len(games) // 2, one, other, (won, won))
    return games


def digits(found: Fit) -> list[tuple[str, float, tuple[float, float]]]:
    return [(bot, found.rating(bot).value, found.rating(bot).interval()) for bot in found.bots]


def test_known_answer_of_arena_rank() -> None:
    """rating-checks.md, Known answers: half-win ties, and a mean of 0 over all."""
    found = fit(known_games(), reduce_bias=False)
    values = [found.rating(bot).value for bot in "abcd"]
    assert values == pytest.approx([-77.57, 7.37, -72.23, 142.44], abs=5e-3)
    assert (found.anchor, found.basis) == ("", ("a", "b", "c", "d")), "the default anchor did not play"


def test_known_answers_of_statsmodels_choix_and_ordo() -> None:
    """rating-checks.md, Known answers: made-up results, rated by the three programs, without seat advantages."""
    games = []
    for number in range(25):
        for one, other in combinations("abcd", 2):
            made = number * 7 + ord(one) * 3 + ord(other) * 5
            games += mirrored(number, one, other, (float(made % 5 < 3), float(made * made % 7 < 4)))
    found = fit(games, anchor="a", seat_penalty=1e9, reduce_bias=False)
    values = [found.difference(bot, "a").value for bot in "bcd"]
    errors = [found.difference(bot, "a").se for bot in "bcd"]
    assert values == pytest.approx([-118.655578, 62.710882, -269.203610], abs=1e-3), "statsmodels 0.15 and choix 0.4"
    assert errors == pytest.approx([58.457137, 36.243782, 43.418940], abs=1e-3), "statsmodels, clustered by deal set"
    scale = 202 / (400 * math.log10(0.76 / 0.24))
    assert [scale * value for value in values] == pytest.approx([-119.697930, 63.261780, -271.568490], abs=1e-3), (
        "Ordo 1.2, where a share of 76% is 202 points"
    )


def test_the_anchor_stands_at_its_rating_without_an_error() -> None:
    found = fit(known_games(), anchor="c", anchor_rating=1500, reduce_bias=False)
    assert found.rating("c").interval() == (1500, 1500)
    assert found.rating("d").value == pytest.approx(1500 + 142.44 + 72.23, abs=0.01)


def test_a_rating_against_one_bot_is_the_difference_to_it() -> None:
    """With error, degrees of freedom and all, which are computed in two ways."""
    rng = np.random.default_rng(5)
    games = [
        each
        for number, (one, other) in enumerate([*combinations("abcd", 2)] * 8)
        for each in mirrored(number, one, other, (rng.random(2) < 0.6).tolist())
    ]
    found, anchored = fit(games), fit(games, anchor="c")
    for bot in "abd":
        wanted = found.difference(bot, "c")
        for one in (found.against(bot, {"c": 1.0}), anchored.rating(bot)):
            assert (one.value, one.se, one.dof, one.set_se) == pytest.approx(
                (wanted.value, wanted.se, wanted.dof, wanted.set_se)
            )


def test_a_win_ratio_of_ten_to_one_is_400_points() -> None:
    games = series(44, lambda number: (1, 1) if number % 11 else (0, 0))
    assert fit(games, reduce_bias=False).difference("a", "b").value == pytest.approx(400)


def test_a_tie_is_half_a_win() -> None:
    ties = fit(series(20, lambda _: (0.5, 1)))
    wins = fit(series(20, lambda number: (1, 1 if number % 2 else 0)))
    assert ties.difference("a", "b").value == pytest.approx(wins.difference("a", "b").value)


def test_no_digit_depends_on_the_order_of_the_games() -> None:
    games = tournament(np.random.default_rng(5), (0, 0.2, 0.4, 0.6), 30, luck=1.0)
    expected = digits(fit(games))
    for seed in range(5):
        random.Random(seed).shuffle(games)
        assert digits(fit(games)) == expected


def test_two_halves_merged_equal_the_whole() -> None:
    games = tournament(np.random.default_rng(6), (0, 0.2, 0.4), 30, luck=1.0)
    first = [one for one in games if one.id.set_number < 15]
    overlapping = [one for one in games if one.id.set_number >= 12]
    assert digits(fit(overlapping + first)) == digits(fit(games))


def test_a_game_given_twice_with_different_results_is_refused() -> None:
    (one, other) = mirrored(0, "a", "b", (1, 0))
    with pytest.raises(RatingError, match=r"a\+b/0/0 is given twice"):
        fit([one, other, replace(one, ranks=(2, 1))])


def test_only_complete_deal_sets_count() -> None:
    whole = [*known_games(), *mirrored(30, "a", "b", (1, 0.5))]
    torn = mirrored(31, "a", "b", (1, 1))[:1]
    other_lineup_torn = mirrored(0, "a", "c", (1, 1))[:1]
    assert digits(fit(whole + torn + other_lineup_torn)) == digits(fit(whole))


def test_seats_that_win_do_not_move_the_bots() -> None:
    """The second seat wins three games in four, for any bot; a and b are equal."""
    games = series(40, lambda number: (0, 1) if number % 4 else (1, 0))
    found = fit(games)
    assert found.difference("a", "b").value == pytest.approx(0, abs=1e-9)
    assert found.seats["buck", 2, 1] - found.seats["buck", 2, 0] == pytest.approx(400 * math.log10(3), rel=0.2)


def test_a_side_is_the_mean_of_its_members_and_pairs_on_one_side_are_skipped() -> None:
    """a and b beat c and d three times in four: the means differ by 400 log10 3, and so do a with b and d."""
    teams = (0, 1, 0, 1)
    games = []
    for number in range(40):
        for rotation, bots in enumerate((("a", "c", "b", "d"), ("c", "a", "d", "b"))):
            ahead = rotation == 0 if number % 4 else rotation == 1
            ranks = (1, 2, 1, 2) if ahead else (2, 1, 2, 1)
            games.append(game(bots, ranks, number=number, rotation=rotation, lineup="x", sides=teams))
    found = fit(games, reduce_bias=False)
    sums = [found.rating(bot).value for bot in "abcd"]
    assert (sums[0] + sums[1] - sums[2] - sums[3]) / 2 == pytest.approx(400 * math.log10(3), rel=1e-4)
    assert found.difference("a", "b").se == math.inf, "they were never on different sides: nothing tells them apart"
    assert not found.difference("a", "b").settled()


def test_each_side_at_a_table_of_n_counts_as_one_game() -> None:
    """Weight 1/(n-1): a game of three has the information of one game, since its pairs are not independent."""
    data = tournament(np.random.default_rng(1), (0, 0, 0), 200, luck=0.0)
    found = fit(data)
    score = np.mean(
        [one.pair_outcome(one.bots.index("b0"), one.bots.index(other)) for one in data for other in ("b1", "b2")]
    )
    assert found.rating("b0").value == pytest.approx(2 / 3 * 400 * math.log10(score / (1 - score)), abs=3), (
        "a bot's Elo against the mean of itself and two others"
    )


def test_the_offender_loses_each_pair_and_the_others_count_as_they_finished() -> None:
    """protocol.md, Faults at a table: a came first thanks to its substitute."""
    base = tournament(np.random.default_rng(2), (0, 0, 0), 30, luck=1.0)
    offence = [replace(one, ranks=(1, 2, 3), offenders=(0,)) if one.id.set_number == 3 else one for one in base]
    honest = [replace(one, ranks=(3, 1, 2)) if one.id.set_number == 3 else one for one in base]
    assert digits(fit(offence)) == digits(fit(honest))


def test_a_game_that_a_withdrawn_bot_did_not_play_never_enters() -> None:
    games = known_games()
    absent = [game(("a", "x"), (2, 1), number=99, rotation=turn, offenders=(0,), rated=False) for turn in range(2)]
    assert digits(fit(games + absent)) == digits(fit(games))


def test_a_bot_against_itself_is_not_rated() -> None:
    games = known_games()
    copies = [game(("a", "a"), (1, 2), number=99, rotation=turn) for turn in range(2)]
    assert digits(fit(games + copies)) == digits(fit(games))


def test_groups_that_never_met_are_refused_by_name() -> None:
    games = mirrored(0, "a", "b", (1, 0)) + mirrored(0, "c", "random", (1, 0))
    with pytest.raises(UnconnectedError, match=r"a, b \| c, random") as refused:
        fit(games)
    assert refused.value.groups == (("a", "b"), ("c", "random"))


def test_a_perfect_score_has_a_number_and_an_interval_with_one_end() -> None:
    """20 sets, all won: at the bound p the chance of this result is p^20 = 2.5%."""
    games = series(20, lambda _: (1, 1), other="random")
    rating = fit(games).rating("a")
    chance = 0.025 ** (1 / 20)
    assert 300 < rating.value < 1000
    assert rating.bound == pytest.approx(400 * math.log10(chance / (1 - chance)), abs=1)
    assert rating.interval() == (rating.bound, math.inf)
    lost = fit(games, anchor="a").rating("random")
    assert rating.bound is not None
    assert lost.value == pytest.approx(-rating.value)
    assert lost.interval()[0] == -math.inf
    assert lost.interval()[1] == pytest.approx(-rating.bound)


def test_a_perfect_score_in_few_sets_settles_nothing() -> None:
    few = fit(series(5, lambda _: (1, 1)))
    many = fit(series(6, lambda _: (1, 1)))
    assert not few.difference("a", "b").settled(), "equal bots win 5 sets of 5 with a chance of 1/32 > 2.5%"
    assert many.difference("a", "b").settled()
    assert many.difference("b", "a").superiority == pytest.approx(1 / 64, rel=0.02)


def test_bots_above_a_perfect_loser_are_told_apart() -> None:
    games = known_games()
    for number in range(10):
        games += mirrored(number, "a", "random", (1, 1)) + mirrored(number, "d", "random", (1, 1))
    found = fit(games)
    assert found.groups == (("a", "b", "c", "d"), ("random",))
    assert found.anchor == "", "the anchor is out of reach, so the mean of the others is 0"
    assert found.rating("random").value < -300
    assert found.rating("random").interval()[0] == -math.inf
    assert found.difference("d", "random").superiority > 0.999, "10 sets of 10 won"


def test_a_path_of_perfect_scores_settles() -> None:
    games = []
    for number in range(30):
        games += mirrored(number, "a", "b", (1, 1)) + mirrored(number, "b", "random", (1, 1))
    found = fit(games)
    one_link, two_links = found.difference("b", "random"), found.difference("a", "random")
    assert two_links.value > one_link.value
    assert one_link.bound is not None
    assert two_links.bound is not None
    assert two_links.bound > one_link.bound
    assert two_links.settled(), "who beats the one that beats a third is above the third"


def test_results_of_others_make_a_perfect_score_no_clearer() -> None:
    """Two versions of one bot win the same three deal sets against c: that is one observation for each set."""
    games = []
    for number in range(3):
        games += mirrored(number, "a", "c", (1, 1)) + mirrored(number, "a2", "c", (1, 1))
        games += mirrored(number, "a", "a2", (1, 0))
    assert fit(games).difference("a", "c").p_value >= 0.24, "three coins"


def test_a_large_table_counts_the_direct_meetings_of_a_perfect_score() -> None:
    """More bots than have a profile; random, the reference, beats 12 times a bot that loses everything."""
    games = []
    for number in range(12):
        for one in range(40):
            other = f"b{(one + 1) % 40:02}" if one < 39 else "random"
            games += mirrored(number, f"b{one:02}", other, (1, 0) if one else (0.5, 0.5))
        games += mirrored(number, "random", "worst", (1, 1)) + mirrored(number, "random", "b00", (1, 0))
    found = fit(games)
    assert found.anchor == "random"
    assert found.difference("random", "worst").p_value == pytest.approx(2 * 0.5**12, rel=0.3)
    low, high = found.rating("worst").interval()
    assert low == -math.inf
    assert high < -100
    worst, bot = found.bots.index("worst"), found.bots.index("b20")
    assert found.p_values()[worst, bot] == 1.0, "they never met: a path of settled links tells them apart"


def test_one_set_is_one_coin() -> None:
    low, high = fit(mirrored(0, "a", "b", (1, 0))).difference("a", "b").interval()
    assert 500 < high < 1000
    assert -1000 < low < -500


def test_sets_that_all_end_alike_are_not_certain() -> None:
    """Two split sets have no spread. They are little evidence, not certainty."""
    low, high = fit(series(2, lambda _: (1, 0))).difference("a", "b").interval()
    assert 350 < high < 1000
    assert -1000 < low < -350


def test_a_single_rated_game_has_ratings() -> None:
    """A game of two teams, whose second rotation a withdrawn bot did not play."""
    teams = (0, 1, 0, 1)
    games = [
        game(("a", "b", "a", "b"), (1, 2, 1, 2), number=0, sides=teams),
        game(("b", "a", "b", "a"), (1, 2, 1, 2), number=0, rotation=1, sides=teams, offenders=(1, 3), rated=False),
    ]
    found = fit(games).difference("a", "b")
    assert 50 < found.value < 200
    assert found.interval()[0] < 0, "one game settles nothing"
    assert found.p_value > 0.9


def test_few_odd_results_have_ratings() -> None:
    """Small tables of any shape: copies, ties, sweeps. Every value is finite and lies in its interval."""
    rng = random.Random(19)
    for _ in range(200):
        bots = "abcdef"[: rng.randint(2, 6)]
        games = []
        for number in range(rng.randint(1, 6)):
            table = [rng.choice(bots) for _ in range(rng.randint(2, 5))]
            ranks = [rng.randint(1, rng.randint(1, len(table))) for _ in table]
            for turn in range(len(table)):
                order = table[turn:] + table[:turn]
                kept = ranks if rng.random() < 0.5 else ranks[turn:] + ranks[:turn]
                games.append(game(order, kept, number=number, rotation=turn, lineup="+".join(table)))
        try:
            found = fit(games)
        except UnconnectedError:
            continue
        for bot in found.bots:
            low, high = found.rating(bot).interval()
            assert low <= found.rating(bot).value <= high, f"{bot}: {found.rating(bot)}"


def test_errors_are_clustered_by_deal_set() -> None:
    """Each set result counts twice, as if there were two sets: naive errors would shrink by sqrt 2."""
    rng = np.random.default_rng(9)
    once = tournament(rng, (0, 0.3), 60, luck=1.0)
    again = [replace(one, id=replace(one.id, lineup="again")) for one in once]
    assert fit(once + again).difference("b1", "b0").se == pytest.approx(fit(once).difference("b1", "b0").se, rel=0.01)


def test_nobody_played_nobody_is_rated() -> None:
    assert fit([]).bots == ()
    with pytest.raises(RatingError, match="'a' has no rated game"):
        fit([]).rating("a")


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize(
    ("players", "sets"),
    [(2, 50), pytest.param(4, 40, marks=pytest.mark.long), pytest.param(7, 12, marks=pytest.mark.long)],
)
def test_coverage_of_the_95_percent_intervals(players: int, sets: int) -> None:
    """Between 93% and 97% of them hold the true value, over 1,000 tournaments of correlated deal sets."""
    strengths = [0.25 * bot for bot in range(players)]
    rng = np.random.default_rng(players)
    everything = fit(tournament(rng, strengths, 14_000 // players, luck=1.0), anchor="b0")
    truth = {bot: everything.rating(bot).value for bot in everything.bots[1:]}
    covered = []
    for _ in range(1000):
        found = fit(tournament(rng, strengths, sets, luck=1.0), anchor="b0")
        for bot, value in truth.items():
            low, high = found.rating(bot).interval()
            covered.append(low <= value <= high)
    assert 0.93 <= np.mean(covered) <= 0.97, f"{players} seats: {np.mean(covered):.4f} of {len(covered)}"


@pytest.mark.usefixtures("simulations")
def test_clustered_errors_are_right_where_naive_ones_are_not() -> None:
    """ratings.md, Ratings kept, 2: for rotated sets naive errors are too large, clustered ones are the true spread."""
    rng = np.random.default_rng(3)
    played = [tournament(rng, (0, 0, 0, 0), 50, luck=2.0) for _ in range(300)]
    found = [fit(games, anchor="b0") for games in played]
    alone = [fit_observations(observe(apart(games)), anchor="b0") for games in played[:60]]
    true = np.std([one.rating("b1").value for one in found])
    clustered = np.mean([one.rating("b1").se for one in found])
    naive = np.mean([one.rating("b1").se for one in alone])
    assert clustered == pytest.approx(true, rel=0.1)
    assert naive > 1.15 * true


def apart(games: list[GameResult]) -> list[GameResult]:
    """Return the games as if each had its own cards, as naive errors assume."""
    return [replace(one, id=replace(one.id, run=f"run-{number}")) for number, one in enumerate(games)]


def test_the_design_without_its_zeros_is_the_design() -> None:
    """A fit of 1,000 bots relies on it: each pair of sides involves only a few bots, and the seats of its form."""
    rng = np.random.default_rng(5)
    of_bots = np.where(rng.random((40, 9)) < 0.3, rng.normal(size=(40, 9)), 0.0)
    of_bots[7] = 0.0  # a pair of bots that are both held at 0
    form, seats = rng.integers(3, size=40), rng.normal(size=(3, 4))
    dense = np.concatenate([of_bots, seats[form]], axis=1)
    row, column = np.nonzero(of_bots)
    halves = np.tile(row, 2), np.tile(column, 2), np.tile(of_bots[row, column] / 2, 2)
    design = design_by(halves, 9, form, seats)
    beta, pattern, weights = rng.normal(size=13), rng.normal(size=40), rng.random(40)
    assert design.times(beta) == pytest.approx(dense @ beta)
    assert design.back(pattern) == pytest.approx(dense.T @ pattern)
    penalties = rng.random(13)
    information = dense.T @ (weights[:, None] * dense) + np.diag(penalties)
    assert design.information(weights, penalties) == pytest.approx(np.triu(information))
    half = rng.normal(size=(13, 13))
    matrix = half + half.T
    assert design.quadratic(np.triu(matrix)) == pytest.approx(np.einsum("pi,ij,pj->p", dense, matrix, dense))
    some = rng.integers(40, size=60)
    cells = matrix_of(*design.cells(some), (60, design.width))
    assert cells @ design.along(matrix) == pytest.approx((dense @ matrix)[some])


def test_deal_sets_of_own_packs_are_independent_of_those_of_other_line_ups() -> None:
    """Three line-ups with equal numbers: ten observations on common packs, thirty on packs of their own."""
    games = [
        one
        for number in range(10)
        for pair in (("a", "b"), ("b", "c"), ("a", "c"))
        for one in mirrored(number, *pair, (1, 0) if number % 3 else (1, 1))
    ]
    own = [replace(one, own_packs=True) for one in games]
    assert len({cluster_of(one) for one in games}) == 10
    assert len({cluster_of(one) for one in own}) == 30
    common_dof, own_dof = (fit(one).difference("a", "c").dof for one in (games, own))
    assert common_dof is not None
    assert own_dof is not None
    assert own_dof > common_dof


def test_an_exact_tie_has_a_symmetric_interval() -> None:
    difference = fit(series(4, lambda number: (1, 1) if number % 2 else (0, 0))).difference("a", "b")
    low, high = difference.interval()
    assert abs(difference.value) < 1e-6
    assert low == pytest.approx(-high, abs=1e-4)


@pytest.mark.parametrize("penalty", [-1.0, math.nan, math.inf, "1"])
def test_a_penalty_that_is_none_is_refused_in_words(penalty: Any) -> None:
    with pytest.raises(RatingError, match="the penalty is not a number between 0 and 1e"):
        fit(series(4, lambda _: (1, 0)), penalty=penalty)
