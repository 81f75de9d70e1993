"""The games of `check-bot` ask for every kind of decision in the rules (notation.md, Decisions)."""

from __future__ import annotations

import random

import pytest

from bowerbird.engine import rules_of, variant_names
from bowerbird.harness.extras.compliance.driver.game import Explorer, SeatGame, SeatSettings
from bowerbird.harness.extras.compliance.scenarios import Scenario, scenarios_of
from bowerbird.harness.wire.enums import ACTION_KINDS


def played(variant: str, seed: str = "") -> Explorer:
    """Return all games of a variant with the cards of this seed, played by a random bot."""
    explorer = Explorer()
    for deal in scenarios_of(variant):
        rng = random.Random(deal.name)
        game = SeatGame("t", deal, SeatSettings(), explorer, seed=seed)
        while game.advance():
            game.request()
            game.answer(rng.choice(game.game.legal_actions()))
        assert game.game.is_over
    return explorer


def test_every_kind_of_action_is_asked_somewhere() -> None:
    """The cards of a check are drawn at random, so rare kinds may be missing from one check."""
    asked: set[str] = set()
    for seed in ("one", "two", "three"):
        if asked != set(ACTION_KINDS):
            asked |= {kind for name in variant_names() for kind in played(name, seed).asked}
    assert asked == set(ACTION_KINDS), f"never asked: {sorted(set(ACTION_KINDS) - asked)}"


@pytest.mark.parametrize("variant", variant_names())
def test_every_seat_every_number_of_seats_and_every_choice_is_played(variant: str) -> None:
    rules = rules_of(variant)
    deals = scenarios_of(variant)
    assert {deal.seat for deal in deals if not deal.options} == set(range(rules.seats()))
    for name, option in rules.options.items():
        if hasattr(option.allowed, "values"):
            chosen = {deal.options.get(name, option.default) for deal in deals}
            refused = set(option.allowed.values) - chosen
            needs_another = set(range(9, 13)) if (variant, name) == ("bid-euchre", "min_bid") else {True}  # E23, E12
            assert refused <= needs_another, f"{name} is never {refused}"
    assert len({deal.name for deal in deals}) == len(deals), "a game is played twice"


@pytest.mark.parametrize("variant", variant_names())
def test_with_a_strong_hand_it_is_asked_at_every_seat(variant: str) -> None:
    """Single checks rely on it: there is a decision to ask."""
    for number in range(3):
        for seat in range(rules_of(variant).seats()):
            assert SeatGame("t", Scenario(variant, seat, hands=1, number=number, strong=True), SeatSettings()).advance()


def test_the_same_deal_gives_the_same_cards() -> None:
    first, second = (SeatGame("t", Scenario("buck", 1), SeatSettings()) for _ in range(2))
    assert first.game.packs == second.game.packs
    assert first.table_opened() == second.table_opened()


def test_a_strong_hand_holds_the_highest_trumps() -> None:
    """V3.5.4: Jamboree needs them."""
    for seat in range(4):
        game = SeatGame("t", Scenario("euchre", seat, strong=True), SeatSettings()).game
        assert set(game.view(seat).hand) == {"Js", "Jc", "As", "Ks", "Qs"}
        assert game.view(seat).upcard == "Ts"
