"""The games of `check-bot` ask whatever the rules can ask (NOTATION.md, Decisions)."""

from __future__ import annotations

import random

import pytest

from engine import rules_of, variant_names
from harness.compliance.game import Deal, Explorer, Manner, SeatGame
from harness.compliance.scenarios import deals_of
from harness.wire.vocabulary import KINDS


def played(variant: str) -> Explorer:
    """All games of a variant, with a bot that plays at random."""
    explorer = Explorer()
    for deal in deals_of(variant):
        rng = random.Random(deal.name)
        game = SeatGame("t", deal, Manner(), explorer)
        while game.advance():
            game.request()
            game.answer(rng.choice(game.game.legal_actions()))
        assert game.game.is_over
    return explorer


def test_every_kind_of_action_is_asked_somewhere() -> None:
    asked = {kind for variant in variant_names() for kind in played(variant).asked}
    assert asked == set(KINDS), f"never asked: {sorted(set(KINDS) - asked)}"


@pytest.mark.parametrize("variant", variant_names())
def test_every_seat_every_number_of_seats_and_every_choice_is_played(variant: str) -> None:
    rules = rules_of(variant)
    deals = deals_of(variant)
    assert {deal.seat for deal in deals if not deal.options} == set(range(rules.seats()))
    for name, option in rules.options.items():
        if hasattr(option.allowed, "values"):
            chosen = {deal.options.get(name, option.default) for deal in deals}
            refused = set(option.allowed.values) - chosen
            assert refused <= {True}, f"{name} is never {refused}"
    assert len({deal.name for deal in deals}) == len(deals), "a game is played twice"


@pytest.mark.parametrize("variant", variant_names())
def test_with_a_strong_hand_it_is_asked_at_every_seat(variant: str) -> None:
    """What single checks rely on: there is a decision to ask."""
    for number in range(3):
        for seat in range(rules_of(variant).seats()):
            assert SeatGame("t", Deal(variant, seat, hands=1, number=number, strong=True), Manner()).advance()


def test_the_same_deal_gives_the_same_cards() -> None:
    first, second = (SeatGame("t", Deal("buck", 1), Manner()) for _ in range(2))
    assert first.game.packs == second.game.packs
    assert first.opened() == second.opened()


def test_a_strong_hand_holds_the_highest_trumps() -> None:
    """V3.5.4: what Jamboree asks for."""
    for seat in range(4):
        game = SeatGame("t", Deal("euchre", seat, strong=True), Manner()).game
        assert set(game.view(seat).hand) == {"Js", "Jc", "As", "Ks", "Qs"}
        assert game.view(seat).upcard == "Ts"
