"""No sampled world breaks the rule to follow suit (A4): what a seat holds there it did not have to play before.

In these variants the seat that takes the upcard may put it away again, unseen. If it fails to follow the upcard's suit
later, it must have done so.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from bowerbird.engine import Game, Sampler, effective_suit, new_game

HANDS = 40
DRAWS = 3


def broken(world: Game) -> Iterator[str]:
    """Yield each play of the hand that did not follow suit although its seat held a card that does."""
    view = world.view(0)
    tricks = [trick.cards for trick in view.tricks] + ([view.trick] if view.trick else [])
    held = {seat: list(world.view(seat).hand) for seat in range(world.players)}
    for cards in reversed(tricks):
        led = effective_suit(cards[0][1], view.trump)
        for seat, card in cards:
            could = [one for one in held[seat] if effective_suit(one, view.trump) == led]
            if effective_suit(card, view.trump) != led and could:
                yield f"seat {seat} played {card} to {cards[0][1]} and held {' '.join(could)}"
        for seat, card in cards:
            held[seat].append(card)


@pytest.mark.parametrize("variant", ["king-cut-throat", "cornish", "almonte"])
def test_a_seat_holds_no_card_that_it_had_to_play(variant: str) -> None:
    rng = Random(variant)
    game = new_game(variant, {"max_hands": HANDS}, seed=rng.randbytes(32))
    checked = 0
    while game.actor is not None:
        view = game.view(game.actor)
        dealt = sum(memory.what == "dealt" for memory in view.memory)
        if view.tricks and dealt == 1:  # not in a showdown, which is played from other hands (V11.5.8)
            sampler = Sampler(view)
            for _ in range(DRAWS):
                wrong = list(broken(sampler.draw(rng)))
                assert not wrong, f"{game!r}: {wrong}"
                checked += 1
        game.apply(rng.choice(game.legal_actions()))
    assert checked > DRAWS * HANDS, "too few positions were met"
