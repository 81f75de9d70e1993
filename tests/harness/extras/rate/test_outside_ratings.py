"""Outside results get the same fit, errors and ranks as our own, and counts give the published answers."""

from __future__ import annotations

import random

import pytest

from bowerbird.harness.extras.rate.counts import PENTA, WLD, read_counts, strength_of_counts
from bowerbird.harness.extras.rate.outside_games import OutsideGame
from bowerbird.harness.extras.rate.outside_ratings import rate_games, results_of, values_between
from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.sequential.sprt import Hypotheses


def drawn_games(rounds: int) -> list[OutsideGame]:
    luck = random.Random(1)
    chance = {("a", "b"): 0.7, ("b", "c"): 0.6, ("a", "c"): 0.8}
    return [
        OutsideGame(*((one, other) if turn == 0 else (other, one)), float((luck.random() < share) == (turn == 0)))
        for _ in range(rounds)
        for (one, other), share in chance.items()
        for turn in range(2)
    ]


def test_games_that_nobody_rotated_are_rated() -> None:
    found = rate_games(drawn_games(100))
    assert [line.bot for line in found.listed.lines] == ["a", "b", "c"]
    assert [(line.rank, line.last_rank) for line in found.listed.lines] == [(1, 1), (2, 2), (3, 3)]
    assert found.played == {"a": 400, "b": 400, "c": 400}
    assert found.errors.shape == (3, 3)
    assert 10 < found.errors[0, 1] < 40


def test_an_anchor_stands_at_0_and_must_have_played() -> None:
    found = rate_games(drawn_games(20), anchor="b")
    assert next(line.rating.value for line in found.listed.lines if line.bot == "b") == 0
    with pytest.raises(RatingError, match="d"):
        rate_games(drawn_games(20), anchor="d")


def test_a_game_and_its_mirror_are_one_set_where_that_is_asked_for() -> None:
    games = [OutsideGame("a", "b", 1), OutsideGame("b", "a", 1), OutsideGame("a", "b", 1), OutsideGame("a", "c", 0.5)]
    assert [game.id.set_number for game in results_of(games, in_pairs=True)] == [0, 0, 1, 2]
    assert [game.id.set_number for game in results_of(games)] == [0, 1, 2, 3]
    assert [(float(one.value), one.games) for one in values_between(games, "a", "b", in_pairs=True)] == [
        (0.0, 2),
        (0.5, 1),
    ]


@pytest.mark.parametrize(
    ("form", "text", "hypotheses", "llr"),
    [
        (PENTA, "365,16618,36229,16974,390", Hypotheses(0, 2, normalised=True), 2.25),
        (PENTA, "0 0 0 0 5550", Hypotheses(0, 5, normalised=True), 111.8),
        (PENTA, "871,26175,55983,26678,821", Hypotheses(0, 2), -4.98),
        (WLD, "1477,1351,2942", Hypotheses(0, 10), 2.52),
    ],
)
def test_counts_have_the_published_ratios(form: str, text: str, hypotheses: Hypotheses, llr: float) -> None:
    found = strength_of_counts(form, read_counts(form, text), hypotheses)
    assert found.llr == pytest.approx(llr, rel=0.01)


def test_counts_have_the_published_strength() -> None:
    found = strength_of_counts(PENTA, [34, 54, 63, 64, 75], Hypotheses())
    assert found.strength is not None
    assert found.strength.elo is not None
    assert found.strength.elo.value == pytest.approx(55.58, rel=0.01)
    assert found.strength.normalised.value == pytest.approx(57.94, rel=0.01)
    assert found.games == 580


@pytest.mark.parametrize("text", ["1,2", "1,2,x", "1,2,-3", "0,0,0", "", "1.5,2,3", "1,2,99999999999"])
def test_wrong_counts_are_refused(text: str) -> None:
    with pytest.raises(RatingError, match="--wld"):
        read_counts(WLD, text)
