"""What a seat saw before a decision, in words: its own cards and what is open, in every variant."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from bowerbird.engine import Game, new_game, variant_names
from bowerbird.harness.extras.analysis.situations import situation
from bowerbird.harness.records.replay.words import card_sign


def choices(variant: str) -> Iterator[Game]:
    """Yield the game before each choice of some hands that are played at random. Take it before the next one."""
    game, rng = new_game(variant, {"max_hands": 3}, seed=bytes(32)), random.Random(1)
    while game.actor is not None:
        legal = game.legal_actions()
        if len(legal) > 1:
            yield game
        game.apply(rng.choice(legal))


@pytest.mark.parametrize("variant", variant_names())
def test_a_situation_names_own_cards_and_the_trick_and_no_other_hand(variant: str) -> None:
    for game in choices(variant):
        assert game.actor is not None
        view, said = game.view(game.actor), situation(game)
        assert said.count("; holds ") <= 1
        seen = {*view.hand, *(card for _, card in view.trick), view.upcard}
        seen |= set(view.laid[view.seat]) if view.laid else set()
        known = {card_sign(card) for card in seen if card}
        named = {word for word in said.replace(";", " ").replace(",", " ").split() if word[-1] in "♠♥♦♣" and word[1:]}
        assert named <= known, said
        for card in (*view.hand, *(card for _, card in view.trick)):
            assert card_sign(card) in said


def test_the_words_are_those_of_the_table() -> None:
    said = {situation(game).partition("; holds")[0] for game in choices("euchre")}
    assert any(re.fullmatch(r"first seat, \S+ turned up, score 0:0", text) for text in said)
    assert any(
        re.match(r"trick 1, trump ., called by (its partner|an opponent)(, alone)?, score \d", text) for text in said
    )
    assert any(re.match(r"trick 3 \([012] won\), ", text) for text in said)
    assert any(text.endswith(", its partner wins") for text in said)
    assert any(text.endswith(", the others win") for text in said)


def test_the_own_score_comes_first_and_trumps_before_other_cards() -> None:
    """Also trumps of the suit turned up, with both bowers: so a player sorts his cards."""
    orders = set()
    for game in choices("euchre"):
        assert game.actor is not None
        view = game.view(game.actor)
        own, others = re.search(r"score (\d+):(\d+)", situation(game)).groups()  # type: ignore[union-attr]
        assert (int(own), int(others)) == (view.scores[view.seat], view.scores[(view.seat + 1) % 4])
        trump = view.trump or (view.upcard[-1] if view.upcard_place == "up" else "")
        if trump:
            pack = game.rules.pack
            ranking = [pack.code[bit] for bit in pack.order(trump).ranking]
            shown = situation(game).partition("; holds ")[2].split()
            held = [card_sign(card) for card in ranking if card in view.hand]
            assert shown[: len(held)] == held
            orders.add(bool(held))
    assert orders == {False, True}
