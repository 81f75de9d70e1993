"""champion: solving the ends of hands gives the same as trying everything, and the search uses the solutions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial

import pytest

from bowerbird.bots.champion import lookahead
from bowerbird.bots.champion.deciding import decider_of
from bowerbird.bots.champion.endings import Endings, Solver, fits, tricks_left
from bowerbird.bots.champion.levels import Level
from bowerbird.bots.search.rollout import rewards
from bowerbird.engine import Game, Sampler, new_game, rules_of, variant_names

DEALS, POSITIONS = 80, 40

FEW_SEATS = 4
"""With more, lines of play are too many to look at all three tricks from the end."""

NEVER = {"two-handed-straw-men", "king-cut-throat", "buck-wager"}
"""Cards lie on the table; kings score; every player is for himself."""


def reward_of(seat: int, game: Game) -> float:
    return rewards(game)[seat]


def best_of_all_lines(game: Game, seat: int) -> float:
    """Return what the hand is worth to the seat if every line of play is tried."""
    if game.actor is None:
        return reward_of(seat, game)
    values = []
    for action in game.legal_actions():
        after = game.copy()
        after.apply(action)
        values.append(best_of_all_lines(after, seat))
    return max(values) if game.sides[game.actor] == game.sides[seat] else min(values)


def last_tricks(variant: str) -> Iterator[Game]:
    """Yield the positions with a choice in the last tricks of hands that are played at random."""
    most = 3 if rules_of(variant).seats() <= FEW_SEATS else 2
    rng = random.Random(variant)
    for deal in range(DEALS):
        game = new_game(variant, {"max_hands": 1}, seed=bytes(32), set_number=deal)
        while game.actor is not None:
            legal = game.legal_actions()
            if game.stage == "play" and len(legal) > 1 and tricks_left(game) <= most:
                yield game.copy()
            game.apply(rng.choice(legal))


@pytest.mark.parametrize("variant", variant_names())
def test_solutions_are_those_of_trying_everything(variant: str) -> None:
    solved = [game for game in last_tricks(variant) if fits(game)][:POSITIONS]
    assert bool(solved) is (variant not in NEVER)
    for game in solved:
        for seat in game.active[:2]:
            ends = Endings(game, seat, 3, partial(reward_of, seat))
            assert ends.worth(game) == best_of_all_lines(game, seat), f"{game}, for seat {seat}: {game.packs}"


def test_a_solved_hand_has_as_many_tricks_as_the_solver_says() -> None:
    for game in list(last_tricks("euchre"))[:POSITIONS]:
        assert game.actor is not None
        solver = Solver(game, game.actor)
        expected = solver.total(game)
        own = game.sides[game.actor]
        after = solver.played_out(game)
        won = sum(won for won, side in zip(after.results[-1].tricks, game.sides, strict=True) if side == own)
        assert won == expected


def test_showdowns_with_two_players_are_not_solved_as_their_kings_score() -> None:
    game = new_game("king-cut-throat", {"players": 2}, seed=bytes(32))
    rng = random.Random(1)
    stages = set()
    while game.actor is not None:
        stages.add(game.stage)
        assert not fits(game)
        game.apply(rng.choice(game.legal_actions()))
    assert "play" in stages


def test_with_few_tricks_left_the_search_sees_the_solutions_of_its_worlds() -> None:
    decider = decider_of("euchre", rules_of("euchre").rules().options)
    assert decider is not None
    level = Level(worlds=1, drawn=1, actions=5, solved=2)
    looked = 0
    for game in last_tricks("euchre"):
        assert game.actor is not None
        view = game.view(game.actor)
        seen = lookahead.look(decider, view, level, random.Random(1), lambda: True)
        if not seen.tried or tricks_left(game) > 2:
            continue
        looked += 1
        world = Sampler(view).draw(random.Random(1))
        for action, worth in zip(seen.tried, seen.worths[0], strict=True):
            after = world.copy()
            after.apply(action)
            assert worth == best_of_all_lines(after, view.seat)
    assert looked > 10
