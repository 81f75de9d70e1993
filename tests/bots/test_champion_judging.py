"""Champion as a judge: batches change nothing, worlds are the same for all actions, ends of hands are exact."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from bowerbird.bots.champion.deciding import decider_of
from bowerbird.bots.champion.judging import Judge, Opinion, Question, hand_points
from bowerbird.bots.greedy.player import choose as greedy
from bowerbird.bots.search.rollout import play_out
from bowerbird.engine import Game, Sampler, new_game, rules_of

WORLDS = 6


def judge_of(variant: str, worlds: int = WORLDS) -> Judge:
    found = Judge.of(variant, dict(rules_of(variant).rules().options), worlds)
    assert found is not None
    return found


def decisions(variant: str, deal: int) -> list[Game]:
    """Return the game before each decision with a choice of one hand of greedy."""
    found = []
    game = new_game(variant, seed=bytes(32), set_number=deal)
    while game.hand_number == 0 and game.actor is not None:
        if len(game.legal_actions()) > 1:
            found.append(game.copy())
        game.apply(greedy(game.view(game.actor)))
    return found


def judged(judge: Judge, games: Sequence[Game]) -> list[Opinion]:
    return judge.opinions([Question(game, random.Random(number)) for number, game in enumerate(games)])


@pytest.mark.parametrize("variant", ["euchre", "buck", "railroad", "three-handed"])
def test_decisions_judged_together_are_judged_as_each_alone(variant: str) -> None:
    judge, games = judge_of(variant), decisions(variant, 0)
    together = judged(judge, games)
    for number, game in enumerate(games):
        (alone,) = judge.opinions([Question(game, random.Random(number))])
        assert alone.actions == together[number].actions
        np.testing.assert_allclose(alone.worths, together[number].worths, atol=1e-4)


def test_every_legal_action_is_judged_in_every_world_and_games_stay_as_they_are() -> None:
    games = decisions("euchre", 1)
    views = [game.view(game.actor or 0) for game in games]
    for game, opinion in zip(games, judged(judge_of("euchre"), games), strict=True):
        assert set(opinion.actions) == set(game.legal_actions())
        assert opinion.worths.shape == (WORLDS, len(opinion.actions))
        assert np.isfinite(opinion.worths).all()
    assert [game.view(game.actor or 0) for game in games] == views


def test_ends_of_hands_are_whole_points() -> None:
    solved = [
        opinion
        for deal in range(4)
        for opinion in judged(judge_of("euchre"), decisions("euchre", deal))
        if opinion.is_solved
    ]
    assert len(solved) > 4
    for opinion in solved:
        assert (opinion.worths == opinion.worths.round()).all(), "points of a hand of two sides are whole"


def test_the_par_is_what_the_network_makes_of_the_open_deal() -> None:
    decider = decider_of("euchre", rules_of("euchre").rules().options)
    assert decider is not None
    game = new_game("euchre", seed=bytes(32))
    found = judge_of("euchre").par(game)
    while game.hand_number == 0 and game.actor is not None:
        legal = game.legal_actions()
        game.apply(legal[0] if len(legal) == 1 else decider.choices([decider.follow(game.copy())])[0])
    assert found == hand_points(game)
    assert sum(found) == pytest.approx(0)


def test_a_call_that_the_network_never_makes_is_judged_by_playing_it_out() -> None:
    """The values have hardly seen a jambone: they would say that the worst one loses a point or two."""
    judge = judge_of("lap-slam")
    decider = decider_of("lap-slam", rules_of("lap-slam").rules().options)
    assert decider is not None
    game = decisions("lap-slam", 0)[0]
    seat = game.actor
    assert seat is not None
    (opinion,) = judge.opinions([Question(game, random.Random(1))])
    jambone = next(place for place, action in enumerate(opinion.actions) if action.how == "jambone")
    sampler, rng = Sampler(game.view(seat)), random.Random(1)
    worlds = [sampler.draw(rng) for _ in range(WORLDS)]
    differences = []
    for world in worlds:
        world.skip_later_shuffles()
        worths = []
        for place in (jambone, 0):
            played = world.copy()
            played.apply(opinion.actions[place])
            play_out(played, decider.rollout_policy, 0)
            worths.append(hand_points(played)[seat])
        differences.append(worths[0] - worths[1])
    np.testing.assert_allclose(opinion.worths[:, jambone] - opinion.worths[:, 0], differences, atol=1e-9)
    assert opinion.choice() != jambone


def test_without_networks_that_fit_there_is_no_judge() -> None:
    assert Judge.of("euchre", dict(rules_of("euchre").rules({"deck": 32}).options), WORLDS) is None
