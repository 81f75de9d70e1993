"""Pairs of many games at once are the pairs of each game."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from bowerbird.harness.ratings.counted_games import complete_sets, distinct_games
from bowerbird.harness.ratings.games import Games, apart
from bowerbird.harness.ratings.pairs import Pair, cluster_of, pairs_of
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId

SIDES = ((0, 1), (0, 1, 2), (0, 1, 0, 1), (0, 1, 2, 3), (0, 1, 1, 2), (0, 1, 0, 1, 0, 1))


def games(chance: random.Random, number: int) -> list[GameResult]:
    """Return games of all forms: with ties, faults, copies of a bot on any side, and some that were not played."""
    found = []
    for place in range(number):
        sides = chance.choice(SIDES)
        ranks = [chance.randint(1, 3) for _ in set(sides)]
        found.append(
            GameResult(
                id=GameId(f"run-{place % 2}", "euchre-0", "".join(map(str, sides)), place, 0),
                variant=chance.choice(("euchre", "buck")),
                bots=tuple(chance.choice("abc") for _ in sides),
                sides=sides,
                ranks=tuple(ranks[side] for side in sides),
                scores=(),
                offenders=(chance.randrange(len(sides)),) if chance.random() < 0.2 else (),
                rated=chance.random() < 0.9,
            )
        )
    return found


@pytest.mark.parametrize("seed", range(5))
def test_the_blocks_hold_the_pairs_of_each_game(seed: int) -> None:
    played = games(random.Random(seed), 300)
    arrays = Games(played)
    found: Counter[tuple[int, Pair]] = Counter()
    for block in arrays.blocks:
        form = block.form
        for game, seated, doubled in zip(block.game.tolist(), block.seated.tolist(), block.doubled, strict=True):
            bots = tuple(arrays.bots[bot] for bot in seated)
            ones, others = bots[: len(form.seats)], bots[len(form.seats) :]
            found[game, Pair(form, ones, others, doubled / 2)] += 1
    assert found == Counter((place, pair) for place, game in enumerate(played) for pair in pairs_of(game))


def test_a_bot_on_both_sides_is_apart_only_where_it_has_more_seats() -> None:
    ones, others = np.array([[0, 1], [0, 0], [0, 1]]), np.array([[1, 2], [0, 2], [1, 0]])
    here, there = apart(ones, others)
    assert here.tolist() == [[True, False], [True, True], [False, False]]
    assert there.tolist() == [[False, True], [False, True], [False, False]]


def test_clusters_and_deal_sets_are_numbered_in_their_order_with_and_without_own_packs() -> None:
    chance = random.Random(4)
    given = [replace(one, own_packs=chance.random() < 0.5) for one in games(chance, 200)]
    arrays = Games(chance.sample(given * 2, 2 * len(given)))
    clusters = [cluster_of(one) for one in arrays]
    assert arrays.clusters.tolist() == [sorted(set(clusters)).index(one) for one in clusters]
    sets = [(one.id.run, one.id.entry, one.id.lineup, one.id.set_number) for one in arrays]
    assert arrays.deal_sets.tolist() == [sorted(set(sets)).index(one) for one in sets]


def test_sets_without_every_rotation_are_left_out_whatever_the_order() -> None:
    chance = random.Random(3)
    whole = [
        replace(one, id=replace(one.id, rotation=turn))
        for one in games(chance, 200)
        for turn in range(len(set(one.sides)))
    ]
    given = [one for one in whole if chance.random() < 0.9]
    due: dict[tuple[str, str], int] = {}
    rotations: dict[tuple[str, str, int], set[int]] = {}
    for one in given:
        line_up = one.id.run, one.id.lineup
        due[line_up] = max(due.get(line_up, 0), 1 + one.id.rotation)
        rotations.setdefault((*line_up, one.id.set_number), set()).add(one.id.rotation)
    kept = [
        one
        for one in sorted(given, key=lambda one: (one.id.run, one.id.lineup, one.id.set_number, one.id.rotation))
        if len(rotations[one.id.run, one.id.lineup, one.id.set_number]) == due[one.id.run, one.id.lineup]
    ]
    shuffled = chance.sample(given * 2, 2 * len(given))
    assert complete_sets(shuffled) == kept
    assert set(map(id, distinct_games(shuffled))) == set(map(id, given))
