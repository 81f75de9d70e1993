"""Euchre and British Euchre under random options, decision by decision beside a second implementation."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from bowerbird.engine import new_game, sample_game
from tests.support.engine.random_options import random_options
from tests.support.engine.second_euchre import Score, Table, hand
from tests.support.engine.variant_games import positions, step

GAMES = 260
"""Games of each variant, every one with options of its own."""

HANDS = 5


@pytest.mark.parametrize("variant", ["euchre", "british"])
def test_a_second_implementation_of_the_rules_agrees(variant: str) -> None:
    """V1, V2, B2 to B4, B6, B7, Part O: who is asked, what is legal, what each hand scores, and who wins."""
    rng = Random(variant)
    said: Counter[str] = Counter()
    for number in range(GAMES):
        game = new_game(variant, random_options(variant, rng, HANDS), seed=rng.randbytes(32))
        score = Score(game.options)
        while not game.is_over:
            at, table = game.hand_number, Table(variant, game.options, game.dealer, game.packs[0].split())
            play = hand(table)
            asked = next(play)
            while len(game.results) == at:
                legal = sorted(map(str, game.legal_actions()))
                where = f"game {number}, hand {at}: {[str(event.action) for event in game.history]}"
                assert (game.actor, legal) == (asked[0], sorted(asked[1])), where
                action = step(game, rng)
                said[action.kind] += 1
                try:
                    asked = play.send(str(action))
                except StopIteration as over:
                    assert len(game.results) == at + 1, f"{where}: the hand goes on"
                    score.add(over.value)
            result = game.results[at]
            assert result.scores == tuple(score.points) * 2, f"game {number}, hand {at}"
            assert result.games == (tuple(score.games) * 2 if score.is_match else ())
        if game.ended == "target":
            assert game.winners == (score.winner, score.winner + 2)
        else:
            assert score.winner < 0
    assert {"claim", "swap", "show", "ask", "give", "alone", "defend", "dictate"} <= set(said), "all of it came about"


TOUCHED = (
    *("euchre", "british", "railroad", "lap-slam", "two-handed", "two-handed-dummy", "three-handed", "cut-throat"),
    *("buck", "buck-turn-up", "buck-wager", "dirty-clubs"),
)
"""The variants of Part O."""


@pytest.mark.parametrize("variant", TOUCHED)
def test_a_sampled_world_gives_the_same_view_under_any_options(variant: str) -> None:
    """Part O: and the hand can be played on in it."""
    rng = Random(variant)
    for _ in range(45):
        game = rng.choice([one.copy() for one in positions(variant, random_options(variant, rng, 3), rng)][:-1])
        seat = rng.randrange(game.players)
        sample = sample_game(game.view(seat), rng)
        assert sample.view(seat) == game.view(seat)
        while not sample.is_over and sample.hand_number == game.hand_number:
            step(sample, rng)
