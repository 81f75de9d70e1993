"""The decision whose pass ends a hand: all others have passed, and the next hand is dealt at once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bowerbird.bots.champion.deciding import Decider
from bowerbird.bots.search.policy import RolloutPolicy
from bowerbird.engine import Action, Game, new_game
from bowerbird.envs.tracking import Tracker

PASS = Action("pass")


def at_the_last_pass(variant: str, number: int = 0) -> Game:
    """Return a game of many hands in which one more pass ends the first hand; `number` picks the deals."""
    game = new_game(variant, seed=bytes(32), set_number=number)
    while True:
        passed = game.copy()
        passed.apply(PASS)
        if passed.hand_number:
            return game
        game = passed


def allow_decisions_in_hand_0_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the rollout policy and champion's networks fail when a search asks them in a later hand."""
    choose_from, choices = RolloutPolicy.choose_from, Decider.choices

    def checked_choice(self: RolloutPolicy, game: Game, legal: tuple[Action, ...]) -> Action:
        assert game.hand_number == 0, "the rollout policy plays a hand after the one in play"
        return choose_from(self, game, legal)

    def checked_choices(self: Decider, games: Sequence[Tracker]) -> list[Action]:
        assert {each.game.hand_number for each in games} == {0}, "the networks play a hand after the one in play"
        return choices(self, games)

    monkeypatch.setattr(RolloutPolicy, "choose_from", checked_choice)
    monkeypatch.setattr(Decider, "choices", checked_choices)
