"""Laws that hold under any combination of options; `test_every_variant.py` takes them one at a time.

Every example is a variant with a random setting of several options at once, a random deal and random play.
"""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import or_
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bowerbird.engine import Action, Game, IllegalAction, sample_game
from bowerbird.engine.actions import LOW, RANKS, SUITS, TRUMPS
from bowerbird.engine.game import state_of
from tests.support.engine.random_options import random_options
from tests.support.engine.variant_games import MAX_HANDS, VARIANTS, positions

EACH = pytest.mark.parametrize("variant", VARIANTS)
SEEDS = st.integers(0, 2**32)
FEW = settings(max_examples=6)

NAMED = (*TRUMPS, LOW)
VOCABULARY = tuple(
    Action(token)
    for token in (
        *("pass", "alone", "decline", "swap", "keep", "take", "defend", "claim", "stay", "drop"),
        *("order", "order alone", "order jambone"),
        *(f"call {suit}{how}" for suit in NAMED for how in ("", " alone", " jambone")),
        *(f"bid {number}{suit}" for number in range(1, 21) for suit in ("", *(f" {suit}" for suit in NAMED))),
        *(f"lone {number}{suit}" for number in range(4) for suit in ("", *(f" {suit}" for suit in NAMED))),
        *(f"{kind} {seat}" for kind in ("ask", "partner", "lead", "exchange") for seat in range(10)),
        *(
            f"{kind} {card}"
            for kind in ("discard", "give", "dictate", "play", "show")
            for card in (*(rank + suit for suit in SUITS for rank in RANKS), "X1", "X2", "X3", "Xr", "Xb")
        ),
    )
)
"""Tokens of notation.md, legal somewhere or nowhere."""


def cards_of(game: Game) -> Counter[str]:
    """Return every card of the hand that the engine holds: in hands, on the table, discarded, in piles, played."""
    text = game.rules.pack.text
    played = [event.action.card for event in game.history if event.action.kind in ("play", "dictate")]
    kept = reduce(or_, (*game.hands, *game.laid), state_of(game).dead)
    if game.upcard_place != "taken":
        kept |= game.upcard
    piled = reduce(or_, (card for pile in game.piles.values() for card in pile), 0) & ~kept
    unplayed = [code for code in text(piled) if code not in played]  # piles may remember cards that lay in them
    return Counter([*text(kept), *unplayed, *played])


@EACH
@FEW
@given(seed=SEEDS)
def test_cards_are_conserved(variant: str, seed: int) -> None:
    """A7, A10, A17: from the deal to the last trick each dealt card exists once, and no other card does."""
    rng = Random(seed)
    dealt: dict[tuple[int, int], Counter[str]] = {}
    for game in positions(variant, random_options(variant, rng, MAX_HANDS), rng):
        if game.is_over or len(state_of(game).orders) > 1:
            continue
        cards = dealt.setdefault((game.hand_number, len(state_of(game).orders)), cards_of(game))
        assert cards_of(game) == cards, f"{[str(event.action) for event in game.history]}"


@EACH
@FEW
@given(seed=SEEDS)
def test_every_seat_has_its_share_of_the_tricks(variant: str, seed: int) -> None:
    """A4, A5: during play all active seats hold equally many cards, except for the trick on the table."""
    rng = Random(seed)
    for game in positions(variant, random_options(variant, rng, MAX_HANDS), rng):
        if game.is_over or game.stage != "play" or game.covered:  # straw men: a turned card waits for its trick
            continue
        played = [seat for seat, _ in game.trick]
        held = {seat: len(game.rules.pack.text(game.hands[seat])) for seat in game.active}
        sizes = {count + (seat in played) for seat, count in held.items()}
        assert len(sizes) == 1, f"{held} after {game.trick}"
        assert len(played) < len(game.active)
        assert sum(game.tricks_won) == game.trick_number


@EACH
@FEW
@given(seed=SEEDS)
def test_just_the_legal_tokens_are_accepted(variant: str, seed: int) -> None:
    """A12: of all tokens exactly the tokens of `legal_actions` are accepted. A refusal changes nobody's view."""
    rng = Random(seed)
    for game in positions(variant, random_options(variant, rng, MAX_HANDS), rng):
        legal = game.legal_actions()
        assert set(legal) <= set(VOCABULARY)
        before = [game.view(seat) for seat in range(game.players)]
        for action in rng.sample(VOCABULARY, 8):
            if action in legal:
                game.copy().apply(action)
                continue
            with pytest.raises(IllegalAction):
                game.apply(action)
        assert [game.view(seat) for seat in range(game.players)] == before


@EACH
@FEW
@given(seed=SEEDS)
def test_two_deals_that_a_seat_cannot_tell_apart_look_the_same_to_it(variant: str, seed: int) -> None:
    """A9: another game that differs only in hidden cards gives the seat the same view and the same choice."""
    rng = Random(seed)
    for game in positions(variant, random_options(variant, rng, MAX_HANDS), rng):
        if game.is_over or rng.random() < 0.8:
            continue
        seat = rng.randrange(game.players)
        view = game.view(seat)
        other = sample_game(view, rng)
        assert other.view(seat) == view
