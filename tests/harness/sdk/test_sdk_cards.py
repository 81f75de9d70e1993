"""What a bot asks of a position, held against the whole game that it cannot see."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

import pytest

from engine import Game, new_game, variant_names
from engine.cards import members
from harness.sdk import Bot, Decision
from harness.sdk.cards import Cards
from harness.sdk.local import play


def _positions(variant: str, hands: int = 4) -> Iterator[Game]:
    rng = random.Random(variant)
    game = new_game(variant, {"max_hands": hands}, seed=hashlib.sha256(variant.encode()).digest())
    while game.actor is not None:
        yield game
        game.apply(rng.choice(game.legal_actions()))


def _codes(game: Game, cards: int) -> list[str]:
    return [game.rules.pack.code[card] for card in members(cards)]


@pytest.mark.parametrize("variant", variant_names())
def test_unseen_are_the_cards_that_might_be_anywhere(variant: str) -> None:
    """What the others hold hidden is among them, what the seat holds is not (but for a twin of it)."""
    for game in _positions(variant):
        assert game.actor is not None
        cards = Cards(game.view(game.actor))
        unseen = list(cards.unseen)
        given = {card for memory in cards.view.memory if memory.what == "gave" for card in memory.cards}
        public = set(_codes(game, game.upcard)) if game.upcard_place == "taken" else set()
        for seat in range(game.players):
            if seat == game.actor:
                continue
            laid = game.laid[seat] if game.laid else 0
            hidden = set(_codes(game, game.hands[seat] & ~laid))
            missing = hidden - set(unseen) - given - public
            assert not missing, f"seat {seat} holds {missing}, which seat {game.actor} is said to have seen"
        assert len(unseen) + len(cards.view.hand) <= game.rules.pack.size


@pytest.mark.parametrize("variant", sorted(set(variant_names()) - {"two-handed-straw-men"}))
def test_void_suits_are_not_in_the_hand(variant: str) -> None:
    shown = 0
    for game in _positions(variant):
        assert game.actor is not None
        if game.phase.stage != "play":
            continue
        cards = Cards(game.view(game.actor))
        for seat in game.active:
            void = cards.void(seat)
            shown += len(void)
            wrong = [code for code in _codes(game, game.hands[seat]) if cards.suit(code) in void]
            assert not wrong, f"seat {seat} is said to be void in {sorted(void)} and holds {wrong}"
    assert shown, "nobody ever failed to follow suit"


@pytest.mark.parametrize("variant", variant_names())
def test_winning_is_who_wins(variant: str) -> None:
    for game in _positions(variant):
        assert game.actor is not None
        winning = Cards(game.view(game.actor)).winning()
        assert winning is None if not game.trick else winning is not None and winning[0] == game.winning


def test_left_bower_beats_the_ace_of_trumps_and_follows_trump() -> None:
    """RULES.md A3."""
    cards = Cards(new_game("euchre", seed=bytes(32)).view(0))
    assert cards.beats("Jc", "As", trump="s")
    assert not cards.beats("As", "Jc", trump="s")
    assert cards.suit("Jc", trump="s") == "s"
    assert cards.trumps("s")[:3] == ("Js", "Jc", "As")
    assert not cards.beats("Ah", "9c", trump="s"), "a plain card of another suit takes nothing"


def test_beating_without_trump_says_what_to_do() -> None:
    cards = Cards(new_game("euchre", seed=bytes(32)).view(0))
    assert cards.trumps() == ()
    with pytest.raises(ValueError, match="say which one is meant"):
        cards.beats("As", "Ks")


def test_a_decision_has_them() -> None:
    class Looking(Bot):
        def act(self, decision: Decision) -> int:
            assert decision.cards is decision.cards
            assert set(decision.view.hand).isdisjoint(decision.cards.unseen)
            return 0

    assert play("euchre", [Looking()] * 4, seed="a", options={"max_hands": 2}).is_over
