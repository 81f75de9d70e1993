"""Exact endings: the solver finds what trying everything finds, and champion is compared with it."""

from __future__ import annotations

import pytest

from benchmarks.strength.duel import OPTIONS
from benchmarks.strength.endings import endings, has_two_sides, solved
from bots.champion.network import variants_with_networks
from bots.greedy.player import choose as greedy
from bowerbird.envs.vector import hand_rewards
from engine import Game, new_game, rules_of, variant_names

DEALS, POSITIONS = 20, 12
LITTLE = 1.0
"""Points a decision; a trick more or less is worth several in some variants."""

FEW_SEATS = 4
"""With more, lines of play are too many to look at all three tricks from the end."""


def tried_out(game: Game, seat: int) -> float:
    """Return what the hand brings if every line of play is looked at."""
    if game.actor is None or game.hand_number > 1:
        return float(hand_rewards(game.rules, game.results[0].points)[seat])
    values = []
    for action in game.legal_actions():
        after = game.copy()
        after.apply(action)
        values.append(tried_out(after, seat))
    is_own = game.rules.sides[game.actor] == game.rules.sides[seat]
    return max(values) if is_own else min(values)


def last_tricks(variant: str, deal: int) -> list[Game]:
    """Return the positions with a choice in the last tricks of a hand of greedy."""
    game = new_game(variant, {"max_hands": 1}, seed=bytes(32), set_number=deal)
    most = 3 if game.rules.players <= FEW_SEATS else 2
    found = []
    while game.actor is not None:
        if (
            len(game.legal_actions()) > 1
            and game.stage == "play"
            and game.rules.most_tricks() - len(game.tricks) <= most
        ):
            found.append(game.copy())
        game.apply(greedy(game.view(game.actor)))
    return found


@pytest.mark.parametrize("variant", variant_names())
def test_solutions_are_those_of_trying_everything(variant: str) -> None:
    found = [game for deal in range(DEALS) for game in last_tricks(variant, deal)][:POSITIONS]
    assert len(found) > POSITIONS / 3
    for game in found:
        for seat in game.rules.seats[:2]:
            assert solved(game.copy(), seat) == tried_out(game.copy(), seat)


def two_sided() -> list[str]:
    return [variant for variant in variants_with_networks() if has_two_sides(rules_of(variant).rules(OPTIONS))]


def test_more_than_two_sides_are_refused() -> None:
    with pytest.raises(ValueError, match="buck has more than two sides, and the others do not play as one there"):
        endings("buck", 2, 1, "any")


@pytest.mark.parametrize("variant", two_sided())
def test_networks_lose_little_in_the_last_tricks(variant: str) -> None:
    """A network that has not learnt to play loses whole tricks there."""
    found = endings(variant, 2, 6, "any")
    assert found.decisions > 0
    assert 0 <= found.by_values < LITTLE
    assert 0 <= found.by_network < LITTLE
