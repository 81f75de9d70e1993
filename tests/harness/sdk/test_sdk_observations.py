"""Decisions have the same observations and masks as the environments, so a trained bot can play (environments.md)."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from bowerbird.engine import IllegalAction, new_game, variant_names
from bowerbird.envs import action_mask, observation
from bowerbird.sdk import Bot, Capabilities, Choice, Decision, play


@pytest.mark.parametrize("variant", variant_names())
def test_a_decision_has_the_observation_and_the_mask_of_the_environments(variant: str) -> None:
    """Through the messages of the protocol, at every decision of a game."""
    seen: list[tuple[np.ndarray, np.ndarray, Choice]] = []

    class Recording(Bot):
        capabilities = Capabilities(wants_forced=True)

        def act(self, decision: Decision) -> Choice:
            mask = decision.action_mask()
            choice = decision.action(int(np.flatnonzero(mask)[len(seen) % mask.sum()]))
            seen.append((decision.observation(), mask, choice))
            return choice

    seats = new_game(variant, seed=bytes(32)).players
    played = play(variant, [Recording()] * seats, seed="x", options={"max_hands": 2})
    game = new_game(variant, {"max_hands": 2}, seed=hashlib.sha256(b"x").digest())
    for found, mask, choice in seen:
        assert game.actor is not None
        view = game.view(game.actor)
        assert (found == observation(view)).all()
        assert (mask == action_mask(view)).all()
        game.apply(str(choice))
    assert game.scores == played.scores


def test_a_number_that_the_variant_lacks_is_refused() -> None:
    class Wrong(Bot):
        def act(self, decision: Decision) -> Choice:
            return decision.action(99)

    with pytest.raises(IllegalAction, match="there is no action 99: euchre numbers its actions 0 to 58"):
        play("euchre", [Wrong()] * 4)
