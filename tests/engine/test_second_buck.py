"""The Buck games under random options, decision by decision beside a second implementation."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from bowerbird.engine import new_game
from tests.support.engine.random_options import random_options
from tests.support.engine.second_buck import Hand, Score
from tests.support.engine.second_cards import answered
from tests.support.engine.variant_games import step

GAMES = 60
"""Games of each variant, every one with options of its own."""

HANDS = 8


@pytest.mark.parametrize("variant", ["buck", "buck-turn-up", "buck-wager", "dirty-clubs", "buck-auction"])
def test_a_second_implementation_of_the_buck_games_agrees(variant: str) -> None:
    """V12 to V15, V24, B5, O11 to O13: who is asked, what is legal, what each hand scores, and who wins."""
    rng = Random(variant)
    ended: Counter[str] = Counter()
    for number in range(GAMES):
        game = new_game(variant, random_options(variant, rng, HANDS), seed=rng.randbytes(32))
        score = Score(variant, game.options, game.players)
        while not game.is_over:
            assert not score.winners
            at, hand = game.hand_number, Hand(score, game.dealer, game.packs[0].split())
            play = hand.play()
            asked = next(play, None)
            while len(game.results) == at:
                said = [str(event.action) for event in game.history]
                assert asked == (game.actor, [*map(str, game.legal_actions())]), f"game {number}, hand {at}: {said}"
                asked = answered(play, str(step(game, rng)))
            assert asked is None, f"game {number}, hand {at}: the engine's hand is over"
            score.add(hand)
            result = game.results[at]
            assert (result.scores, result.tricks) == (tuple(score.points), tuple(hand.won)), f"game {number}, hand {at}"
            ended[result.ended] += 1
        if game.ended != "limit":
            assert game.winners == tuple(score.winners), f"game {number}"
    assert {"scored", "sweep"} <= set(ended), "both came about"
