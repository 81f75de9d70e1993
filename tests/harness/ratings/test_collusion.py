"""Collusion flags: results between two bots that their other results do not explain (ratings.md, Collusion)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from bowerbird.harness.ratings.collusion.collusion import MOST_BOTS, CollusionFlag, Surprise, collusion_flags
from bowerbird.harness.ratings.collusion.expectation import FEWEST_SETS
from bowerbird.harness.ratings.standings.rating_list import rating_list
from bowerbird.harness.records.values.game_result import GameResult
from tests.support.tournament.rated_games import game, mirrored, tournament

Strengths = Mapping[str, float]
"""By bot, its strength in logits."""


def equal(bots: int) -> Strengths:
    return {f"b{number:02}": 0.0 for number in range(bots)}


def played(
    strengths: Strengths,
    sets: int,
    *,
    seed: int = 1,
    gifts: Mapping[tuple[str, str], float] | None = None,
    spread: float = 0.0,
    missing: Sequence[tuple[str, str]] = (),
) -> list[GameResult]:
    """Return mirrored sets of each pair of bots on packs of their own.

    gifts: by (bot, friend), the share of their games that the bot loses to the friend on purpose.
    spread: standard deviation of how two bots suit each other, in logits.
    missing: pairs that never meet.
    """
    rng = np.random.default_rng(seed)
    games: list[GameResult] = []
    for place, (one, other) in enumerate(combinations(strengths, 2)):
        edge = strengths[one] - strengths[other] + rng.normal(0, spread)
        lost, won = (gifts or {}).get((one, other), 0.0), (gifts or {}).get((other, one), 0.0)
        chance = won + (1 - won - lost) / (1 + math.exp(-edge))
        outcomes = (rng.random((sets, 2)) < chance).tolist()
        if (one, other) not in missing:
            games += [
                each for row, wins in enumerate(outcomes) for each in mirrored(place * sets + row, one, other, wins)
            ]
    return games


def free_for_all(bots: int, sets: int, *, gift: float = 0.0, seed: int = 1) -> list[GameResult]:
    """Return tables of four of equal bots; b00 lets b01 finish before it in a share of their games."""
    rng = np.random.default_rng(seed)
    games = []
    for number in range(sets):
        four = sorted(rng.choice(bots, 4, replace=False).tolist())
        for rotation in range(4):
            seated = [f"b{four[(seat - rotation) % 4]:02}" for seat in range(4)]
            ranks = (1 + rng.permutation(4)).tolist()
            if {"b00", "b01"} <= set(seated) and rng.random() < gift:
                own, other = seated.index("b00"), seated.index("b01")
                ranks[own], ranks[other] = max(ranks[own], ranks[other]), min(ranks[own], ranks[other])
            games.append(game(seated, ranks, number=number, rotation=rotation))
    return games


def pairs_of(flags: Sequence[CollusionFlag]) -> list[tuple[str, str]]:
    return [(flag.gained, flag.lost) for flag in flags]


@pytest.mark.parametrize("bots", [3, 4, 5, 10])
@pytest.mark.parametrize("sets", [1, 2, 10, 40])
def test_honest_bots_are_not_flagged(bots: int, sets: int) -> None:
    strengths = {bot: 0.4 * place for place, bot in enumerate(equal(bots))}
    assert collusion_flags(played(strengths, sets, spread=0.14)) == ()


@pytest.mark.parametrize("bots", [4, 6, 10])
def test_a_bot_that_loses_every_game_to_one_friend_is_flagged_with_it(bots: int) -> None:
    flags = collusion_flags(played(equal(bots), 40, gifts={("b00", "b01"): 1.0}))
    assert pairs_of(flags) == [("b01", "b00")], f"flagged: {[flag.sentence for flag in flags]}"
    (flag,) = flags
    assert flag.share.observed == 1.0
    assert flag.share.expected == pytest.approx(0.5, abs=0.1)
    assert flag.share.excess > flag.share.margin
    assert flag.p_value < 0.001
    assert flag.sets == 40
    assert flag.points is None
    assert not flag.by_points


def test_the_direction_does_not_depend_on_the_names() -> None:
    assert pairs_of(collusion_flags(played(equal(6), 40, gifts={("b04", "b02"): 1.0}))) == [("b02", "b04")]


def test_a_strong_bot_that_loses_to_a_weak_one_is_flagged_though_the_weak_one_wins_only_half() -> None:
    strengths = {**equal(6), "b00": 1.5, "b01": -1.5}
    (flag,) = collusion_flags(played(strengths, 60, gifts={("b00", "b01"): 0.5}))
    assert (flag.gained, flag.lost) == ("b01", "b00")
    assert flag.share.expected < 0.2 < flag.share.observed


def test_the_games_of_a_flagged_pair_do_not_raise_flags_of_other_pairs() -> None:
    """Giving games away lowers the giver's rating, so that it seems to do too well against everybody else."""
    gifts = {("b00", "b01"): 1.0, ("b02", "b03"): 1.0}
    flags = collusion_flags(played(equal(8), 200, gifts=gifts))
    assert sorted(pairs_of(flags)) == [("b01", "b00"), ("b03", "b02")]
    assert flags[0].p_value <= flags[1].p_value


def test_a_ring_of_friends_is_flagged_pair_by_pair() -> None:
    gifts = {("b00", "b01"): 1.0, ("b00", "b02"): 1.0}
    assert sorted(pairs_of(collusion_flags(played(equal(10), 60, gifts=gifts)))) == [("b01", "b00"), ("b02", "b00")]


def test_three_bots_are_not_judged() -> None:
    """A dump between two of them cannot be told from one between two others."""
    assert collusion_flags(played(equal(3), 100, gifts={("b00", "b01"): 1.0})) == ()


def test_two_challengers_of_a_gauntlet_are_not_judged_and_three_are() -> None:
    def gauntlet(challengers: int) -> list[GameResult]:
        bots = equal(challengers + 4)
        names = list(bots)
        missing = [*combinations(names[:challengers], 2), *combinations(names[challengers:], 2)]
        return played(bots, 60, gifts={("b00", names[challengers]): 1.0}, missing=missing)

    assert collusion_flags(gauntlet(2)) == ()
    assert pairs_of(collusion_flags(gauntlet(3))) == [("b03", "b00")]


def test_two_bots_that_meet_in_too_few_deal_sets_are_not_judged() -> None:
    games = played(equal(6), 40, gifts={("b00", "b01"): 1.0})
    few = [one for one in games if set(one.bots) != {"b00", "b01"} or one.id.set_number < FEWEST_SETS - 1]
    assert collusion_flags(few) == ()


def test_perfect_scores_of_an_order_are_not_flagged() -> None:
    strengths = {bot: 50.0 * place for place, bot in enumerate(equal(6))}
    assert collusion_flags(played(strengths, 40)) == ()


@pytest.mark.parametrize("strength", [-50.0, 50.0])
def test_a_pair_of_which_nothing_finite_is_expected_is_not_judged(strength: float) -> None:
    """b00 loses, or wins, everything elsewhere: how much weaker or stronger it is, nobody knows."""
    gift = ("b01", "b00") if strength < 0 else ("b00", "b01")
    assert collusion_flags(played({**equal(6), "b00": strength}, 40, gifts={gift: 0.9})) == ()


def test_level_sets_of_copies_are_not_flagged() -> None:
    """Copies of a deterministic bot share every deal set; everybody else varies."""
    others = [one for one in played(equal(6), 40) if set(one.bots) != {"b00", "b01"}]
    level = [each for number in range(40) for each in mirrored(number, "b00", "b01", (number % 2, 1 - number % 2))]
    assert collusion_flags(others + level) == ()


def test_partners_are_no_opponents() -> None:
    rng = np.random.default_rng(4)
    games = []
    for number in range(300):
        one, two, three, four = (f"b{bot:02}" for bot in rng.permutation(8)[:4])
        partners = {one, three}
        ranks = (1, 2, 1, 2) if partners == {"b00", "b01"} or rng.random() < 0.5 else (2, 1, 2, 1)
        games.append(game((one, two, three, four), ranks, number=number, sides=(0, 1, 0, 1)))
    assert collusion_flags(games) == ()


def test_a_bot_that_gives_way_to_a_friend_among_four_is_found() -> None:
    assert collusion_flags(free_for_all(8, 400)) == ()
    assert pairs_of(collusion_flags(free_for_all(8, 400, gift=1.0))) == [("b01", "b00")]


def test_games_with_a_fault_and_games_of_withdrawn_bots_are_no_play() -> None:
    games = played(equal(6), 40, gifts={("b00", "b01"): 1.0})

    def of_both(one: GameResult) -> bool:
        return set(one.bots) == {"b00", "b01"}

    faults = [replace(one, offenders=(one.bots.index("b00"),)) if of_both(one) else one for one in games]
    withdrawn = [replace(one, rated=False) if of_both(one) else one for one in games]
    assert collusion_flags(games)
    assert collusion_flags(faults) == collusion_flags(withdrawn) == ()


def with_points(games: Sequence[GameResult], *, giver: str = "", friend: str = "") -> list[GameResult]:
    """Return single hands of euchre: the winner makes 1 to 4 points, and `giver` loses those to `friend` by 12."""
    rng = np.random.default_rng(8)
    found = []
    for one in games:
        best = one.ranks.index(1)
        scores = [0, 0]
        scores[best] = 12 if (one.bots[best], one.bots[1 - best]) == (friend, giver) else int(rng.integers(1, 5))
        found.append(replace(one, variant="euchre", scores=tuple(scores), hands=1))
    return found


def test_points_that_are_given_away_are_flagged_though_no_game_is() -> None:
    games = played(equal(6), 150)
    assert collusion_flags(with_points(games), points=True) == ()
    (flag,) = collusion_flags(with_points(games, giver="b00", friend="b01"), points=True)
    assert (flag.gained, flag.lost, flag.by_points) == ("b01", "b00", True)
    assert flag.points is not None
    assert flag.points.observed > flag.points.expected + flag.points.margin
    assert "points a deal" in flag.sentence


def test_points_count_in_the_better_direction() -> None:
    """In buck fewer points are better."""
    games = with_points(played(equal(6), 60, gifts={("b00", "b01"): 1.0}))
    buck = [replace(one, variant="buck", scores=tuple(-score for score in one.scores)) for one in games]
    (flag,), (same,) = collusion_flags(games, points=True), collusion_flags(buck, points=True)
    assert flag.points is not None
    assert flag.points.observed > 0
    assert flag == same


def test_no_digit_depends_on_the_order_of_the_games() -> None:
    games = played(equal(6), 40, gifts={("b00", "b01"): 1.0})
    shuffled = [games[place] for place in np.random.default_rng(3).permutation(len(games))]
    assert collusion_flags(shuffled) == collusion_flags(games) != ()
    four = free_for_all(8, 200, gift=1.0)
    assert collusion_flags(four[::-1]) == collusion_flags(four)


def test_other_names_flag_the_same_bots() -> None:
    games = played(equal(6), 40, gifts={("b00", "b01"): 1.0})
    names = {f"b{place:02}": name for place, name in enumerate(("zoe", "ann", "kim", "bob", "eve", "dan"))}
    renamed = [replace(one, bots=tuple(names[bot] for bot in one.bots)) for one in games]
    (flag,), (other,) = collusion_flags(games), collusion_flags(renamed)
    assert (other.gained, other.lost) == (names[flag.gained], names[flag.lost])
    assert other.p_value == pytest.approx(flag.p_value, rel=1e-6)
    assert other.share.expected == pytest.approx(flag.share.expected)


def test_a_stricter_level_needs_a_clearer_result() -> None:
    games = played(equal(6), 12, gifts={("b00", "b01"): 1.0})
    assert collusion_flags(games)
    assert collusion_flags(games, level=1 - 1e-9) == ()


def test_no_games_few_bots_and_very_many_bots_have_no_flags() -> None:
    assert collusion_flags([]) == ()
    assert collusion_flags(mirrored(0, "a", "b", (1, 1))) == ()
    games = played(equal(6), 40, gifts={("b00", "b01"): 1.0})
    more = [each for number in range(MOST_BOTS) for each in mirrored(number, f"x{number}", "b00", (1, 0))]
    assert collusion_flags(games)
    assert collusion_flags(games + more) == ()


def test_flags_change_no_rating() -> None:
    games = played(equal(4), 40, gifts={("b00", "b01"): 1.0})
    before = rating_list(games)
    assert collusion_flags(games)
    assert rating_list(games) == before


def test_figures_of_flags_stay() -> None:
    """No other program computes them, and other tests bound them only."""
    (flag,) = collusion_flags(played({**equal(6), "b02": 0.7}, 40, spread=0.3, gifts={("b00", "b01"): 0.6}))
    share = (flag.share.observed, flag.share.expected, flag.share.error, flag.share.dof, flag.p_value)
    assert share == pytest.approx((0.8125, 0.503164893, 0.0940822893, 14.1250189, 0.0245961231), rel=1e-6)
    (flag,) = collusion_flags(with_points(played(equal(6), 40), giver="b00", friend="b01"), points=True)
    assert flag.points is not None
    points = (flag.points.observed, flag.points.expected, flag.points.error, flag.points.dof, flag.p_value)
    assert points == pytest.approx((5.9125, -0.35625, 0.873648993, 14.6489248, 0.000109948887), rel=1e-6)


def test_a_flag_says_what_was_seen_and_what_was_expected() -> None:
    share = Surprise(0.71, 0.48, 0.02, 1000.0)
    flag = CollusionFlag("bob", "an\x1bn", share, Surprise(1.5, 0.25, 0.25, 1000.0), False, 0.001, 40)
    assert flag.sentence == (
        "bob scores 71% against an\\u001bn, where their other results predict 48% ± 4%: look at their games"
    )
    assert flag.brief == "bob scores 71% against an\\u001bn, not 48% ± 4%"
    assert replace(flag, by_points=True).brief == "bob makes +1.50 points a deal against an\\u001bn, not +0.25 ± 0.49"


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize(("bots", "sets", "runs"), [(4, 40, 100), (5, 15, 100), (8, 20, 30)])
def test_few_tables_of_honest_bots_have_a_flag(bots: int, sets: int, runs: int) -> None:
    """At most 5%, all pairs together, though styles differ by 50 Elo. The seeds are fixed."""
    wrong = 0
    for seed in range(runs):
        strengths = dict(zip(equal(bots), np.random.default_rng(seed).normal(0, 0.5, bots).tolist(), strict=True))
        wrong += bool(collusion_flags(played(strengths, sets, seed=seed, spread=0.29)))
    assert wrong <= 0.05 * runs


@pytest.mark.usefixtures("simulations")
@pytest.mark.parametrize("luck", [0.0, 2.0])
def test_shared_cards_raise_no_flags(luck: float) -> None:
    """All five bots at one table: the games of a deal set share their cards."""
    wrong = sum(
        bool(collusion_flags(tournament(np.random.default_rng(seed), [0, 0.2, 0.4, 0.6, 0.8], 40, luck=luck)))
        for seed in range(60)
    )
    assert wrong <= 3
