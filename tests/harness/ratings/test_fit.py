"""The rating of record (ratings.md, Ratings kept, 2, and Known answers)."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from harness.ratings.bradley_terry.connectivity import UnconnectedError
from harness.ratings.bradley_terry.fit import Fit, fit, fit_observations
from harness.ratings.bradley_terry.likelihood import Design
from harness.ratings.bradley_terry.observations import observe
from harness.ratings.pairs import RatingError
from harness.records.values.game_result import GameResult
from tests.support.tournament.rated_games import game, mirrored, series, tournament

KNOWN = (("a", "b", 2, 3), ("a", "d", 1, 4), ("b", "c", 5, 3), ("c", "d", 1, 3))
"""ratings.md, Known answers: 22 games, wins of the first and of the second."""


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
    """ratings.md, Known answers: half-win ties, the mean of all 0."""
    found = fit(known_games())
    values = [found.rating(bot).value for bot in "abcd"]
    assert values == pytest.approx([-77.57, 7.37, -72.23, 142.44], abs=5e-3)
    assert (found.anchor, found.basis) == ("", ("a", "b", "c", "d")), "the default anchor did not play"


def test_the_anchor_stands_at_its_rating_without_an_error() -> None:
    found = fit(known_games(), anchor="c", anchor_rating=1500)
    assert found.rating("c").interval() == (1500, 1500)
    assert found.rating("d").value == pytest.approx(1500 + 142.44 + 72.23, abs=0.01)


def test_a_win_ratio_of_ten_to_one_is_400_points() -> None:
    games = series(44, lambda number: (1, 1) if number % 11 else (0, 0))
    assert fit(games).difference("a", "b").value == pytest.approx(400)


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
    found = fit(games)
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
    """protocol.md, Faults at a table: a came first by its substitute."""
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


def test_a_perfect_score_has_a_bound_and_no_number() -> None:
    """20 sets, all won: at the bound p the chance of this result is p^20 = 2.5%."""
    games = series(20, lambda _: (1, 1), other="random")
    rating = fit(games).rating("a")
    chance = 0.025 ** (1 / 20)
    assert rating.value == math.inf
    assert rating.bound == pytest.approx(400 * math.log10(chance / (1 - chance)))
    assert rating.interval() == (rating.bound, math.inf)
    lost = fit(games, anchor="a").rating("random")
    assert rating.bound is not None
    assert lost.value == -math.inf
    assert lost.bound == pytest.approx(-rating.bound)


def test_a_perfect_score_in_few_sets_settles_nothing() -> None:
    few = fit(series(5, lambda _: (1, 1)))
    many = fit(series(6, lambda _: (1, 1)))
    assert not few.difference("a", "b").settled(), "equal bots win 5 sets of 5 with a chance of 1/32 > 2.5%"
    assert many.difference("a", "b").settled()
    assert many.difference("b", "a").superiority == pytest.approx(1 / 64)


def test_bots_above_a_perfect_loser_are_told_apart() -> None:
    games = known_games()
    for number in range(10):
        games += mirrored(number, "a", "random", (1, 1)) + mirrored(number, "d", "random", (1, 1))
    found = fit(games)
    assert found.groups == (("a", "b", "c", "d"), ("random",))
    assert found.anchor == "", "the anchor is out of reach, so the mean of the others is 0"
    assert found.rating("d").value == pytest.approx(142.44, abs=0.01)
    assert found.rating("random").value == -math.inf
    assert found.difference("b", "random").superiority > 0.99


def test_a_chain_of_perfect_scores_has_a_bound_at_each_link() -> None:
    games = []
    for number in range(30):
        games += mirrored(number, "a", "b", (1, 1)) + mirrored(number, "b", "random", (1, 1))
    found = fit(games)
    assert found.rating("b").bound == pytest.approx(found.difference("b", "random").bound)
    one_link = found.rating("b").bound
    assert one_link is not None
    assert found.rating("a").bound == pytest.approx(2 * one_link)
    assert found.difference("a", "random").value == math.inf
    assert not found.difference("a", "random").settled(), "they never met, and no number links them"


def test_one_set_knows_no_error() -> None:
    assert fit(mirrored(0, "a", "b", (1, 0))).difference("a", "b").interval() == (-math.inf, math.inf)


def test_sets_that_all_end_alike_are_not_certain() -> None:
    """Two split sets have no spread. They are little evidence, not certainty."""
    low, high = fit(series(2, lambda _: (1, 0))).difference("a", "b").interval()
    assert high > 1000
    assert low == pytest.approx(-high)


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


@pytest.mark.slow
@pytest.mark.parametrize(("players", "sets"), [(2, 50), (4, 40), (7, 12)])
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


@pytest.mark.slow
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
    """Return the games as if each had cards of its own, which naive errors assume."""
    return [replace(one, id=replace(one.id, run=f"run-{number}")) for number, one in enumerate(games)]


def test_the_design_without_its_zeros_is_the_design() -> None:
    """A fit of 1,000 bots relies on it: each pair of sides involves only a few bots."""
    rng = np.random.default_rng(5)
    dense = np.where(rng.random((40, 9)) < 0.3, rng.normal(size=(40, 9)), 0.0)
    dense[7] = 0.0  # a pair of bots that are both held at 0
    row, column = np.nonzero(dense)
    design = Design(row, column, dense[row, column], *dense.shape)
    beta, pattern, weights = rng.normal(size=9), rng.normal(size=40), rng.random(40)
    assert design.times(beta) == pytest.approx(dense @ beta)
    assert design.back(pattern) == pytest.approx(dense.T @ pattern)
    assert design.squared(weights) == pytest.approx(dense.T @ (weights[:, None] * dense))
