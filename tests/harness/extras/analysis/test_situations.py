"""What a seat saw before a decision, in words: its own cards and what is open, in every variant."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from bowerbird.engine import SeatView, new_game, variant_names
from bowerbird.harness.extras.analysis.situations import situation
from bowerbird.harness.records.replay.words import card_sign


def views(variant: str) -> Iterator[SeatView]:
    """Yield what the seat to decide sees at each choice of some hands that are played at random."""
    game, rng = new_game(variant, {"max_hands": 3}, seed=bytes(32)), random.Random(1)
    while game.actor is not None:
        legal = game.legal_actions()
        if len(legal) > 1:
            yield game.view(game.actor)
        game.apply(rng.choice(legal))


@pytest.mark.parametrize("variant", variant_names())
def test_a_situation_names_own_cards_and_the_trick_and_no_other_hand(variant: str) -> None:
    for view in views(variant):
        said = situation(view)
        assert said.count("; holds ") <= 1
        seen = {*view.hand, *(card for _, card in view.trick), view.upcard}
        seen |= set(view.laid[view.seat]) if view.laid else set()
        known = {card_sign(card) for card in seen if card}
        named = {word for word in said.replace(";", " ").replace(",", " ").split() if word[-1] in "♠♥♦♣" and word[1:]}
        assert named <= known, said
        for card in (*view.hand, *(card for _, card in view.trick)):
            assert card_sign(card) in said


def test_the_words_are_those_of_the_table() -> None:
    said = {situation(view).partition("; holds")[0] for view in views("euchre")}
    assert any(text.startswith("first seat, ") and text.endswith("turned up") for text in said)
    assert any(text.startswith("trick 1, trump ") and "called by" in text for text in said)
