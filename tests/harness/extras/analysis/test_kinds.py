"""Kinds of choices have the words of the card table, and say whether who calls trump holds the highest."""

from __future__ import annotations

import random

import pytest

from bowerbird.engine import new_game, variant_names
from bowerbird.harness.extras.analysis.kinds import kind_of

BEST = {"euchre": " with the right bower", "british": " with the joker"}


@pytest.mark.parametrize(("variant", "ending"), BEST.items())
def test_who_calls_trump_with_the_highest_of_it_is_told_apart(variant: str, ending: str) -> None:
    kinds = set()
    for seed in range(40):
        game = new_game(variant, {"max_hands": 1}, seed=bytes([seed] * 32))
        while game.actor is not None and not game.trump:
            view = game.view(game.actor)
            for action in view.legal:
                if action.kind in ("order", "call"):
                    suit = action.suit or view.upcard[-1]
                    best = f"J{suit}" if variant == "euchre" else "X1"
                    kind = kind_of(game, action)
                    assert kind.endswith(ending) == (best in view.hand), kind
                    kinds.add(kind)
            passes = [action for action in view.legal if action.kind == "pass"]
            game.apply(passes[0] if passes else view.legal[0])
    assert {"order up", f"order up{ending}", "call", f"call{ending}", "order up alone"} <= kinds


@pytest.mark.parametrize("variant", variant_names())
def test_every_action_has_a_kind_without_a_card(variant: str) -> None:
    game, rng = new_game(variant, {"max_hands": 3}, seed=bytes(32)), random.Random(0)
    while game.actor is not None:
        legal = game.legal_actions()
        for action in legal:
            kind = kind_of(game, action)
            assert kind
            assert not set(kind) & set("♠♥♦♣"), kind
        game.apply(rng.choice(legal))
