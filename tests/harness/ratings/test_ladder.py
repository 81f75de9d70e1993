"""The order in which incremental Elo is applied (RATINGS.md, Ratings kept, 1)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.ratings.elo import START
from harness.ratings.ladder import BLOCK_SETS, Ladder, rate, rating_order
from harness.records.rows import GameResult
from harness.records.run import GameId, SetKey

BOTS = ("a", "b", "c")


def results(key: SetKey, rng: random.Random) -> list[GameResult]:
    """Two mirrored games of a pair, won by chance."""
    made = []
    for rotation in range(2):
        bots = tuple(key.lineup.split("+"))
        ranks = rng.choice([(1, 2), (2, 1), (1, 1)])
        game = GameId("4f1c9a", key.entry, key.lineup, key.number, rotation)
        made.append(GameResult(game, key.entry[:-2], bots, (0, 1), ranks, (0, 0), (), True))
    return made


@pytest.fixture
def played() -> dict[SetKey, list[GameResult]]:
    rng = random.Random(7)
    keys = [
        SetKey(entry, lineup, number)
        for entry in ("two-handed-0", "two-handed-dummy-0")
        for lineup in ("a+b", "a+c", "b+c")
        for number in range(5)
    ]
    return {key: results(key, rng) for key in sorted(keys, key=rating_order)}


def test_blocks_come_before_entries_and_line_ups() -> None:
    keys = [
        SetKey("buck-0", "a+b", BLOCK_SETS),
        SetKey("buck-0", "a+b", 3),
        SetKey("euchre-0", "a+b", 0),
        SetKey("buck-0", "a+c", 0),
    ]
    assert sorted(keys, key=rating_order) == [keys[1], keys[3], keys[2], keys[0]]


def test_ratings_do_not_depend_on_the_order_of_completion(played: dict[SetKey, list[GameResult]]) -> None:
    expected = rate(result for games in played.values() for result in games)
    for seed in range(5):
        ladder = Ladder()
        ladder.expect(played)
        order = list(played)
        random.Random(seed).shuffle(order)
        for key in order:
            ladder.add(key, played[key])
        assert ladder.table() == expected, f"completion order {seed} changed the ratings"


def test_the_order_in_which_games_are_listed_changes_nothing(played: dict[SetKey, list[GameResult]]) -> None:
    games = [result for results_of in played.values() for result in results_of]
    shuffled = list(games)
    random.Random(11).shuffle(shuffled)
    assert rate(shuffled) == rate(games)


def test_the_table_at_any_time_is_that_of_all_sets_so_far(played: dict[SetKey, list[GameResult]]) -> None:
    ladder = Ladder()
    ladder.expect(played)
    order = list(played)
    random.Random(3).shuffle(order)
    done: list[GameResult] = []
    for key in order:
        ladder.add(key, played[key])
        done += played[key]
        assert ladder.table() == rate(done), f"after {key} the ladder is not what its results make"


@given(
    rounds=st.lists(
        st.sets(st.tuples(st.sampled_from(["a+b", "a+c", "b+c"]), st.integers(0, 3 * BLOCK_SETS)), max_size=8),
        max_size=6,
    ),
    seed=st.integers(0, 999),
)
@settings(max_examples=60, deadline=None)
def test_rounds_that_become_known_one_by_one_change_nothing(rounds: list[set[tuple[str, int]]], seed: int) -> None:
    """Swiss rounds, passes of a stop rule and extensions of a run: a set may belong before one that is rated."""
    rng = random.Random(seed)
    ladder = Ladder()
    done: dict[SetKey, list[GameResult]] = {}
    for number, sets in enumerate(rounds):
        keys = [SetKey(f"two-handed-{number % 2}", lineup, place) for lineup, place in sorted(sets)]
        ladder.expect(keys)
        rng.shuffle(keys)
        for key in keys:
            if key not in done:
                done[key] = results(key, rng)
                ladder.add(key, done[key])
        assert ladder.table() == rate(result for games in done.values() for result in games)


def test_ratings_are_kept_for_each_variant_and_overall(played: dict[SetKey, list[GameResult]]) -> None:
    table = rate(result for games in played.values() for result in games)
    assert [(row.scope, row.bot) for row in table.rows] == [
        (scope, bot) for scope in ("", "two-handed", "two-handed-dummy") for bot in BOTS
    ]
    games = {(row.scope, row.bot): row.games for row in table.rows}
    assert games["two-handed", "a"] == 20
    assert games["", "a"] == 40
    assert table.sets == len(played)


def test_a_variants_ratings_know_nothing_of_another(played: dict[SetKey, list[GameResult]]) -> None:
    both = rate(result for games in played.values() for result in games)
    one = rate(result for key, games in played.items() for result in games if key.entry == "two-handed-0")
    assert [row for row in both.rows if row.scope == "two-handed"] == [row for row in one.rows if row.scope]


def test_the_digest_changes_with_any_result(played: dict[SetKey, list[GameResult]]) -> None:
    games = [result for games in played.values() for result in games]
    digests = {rate(games[:index]).digest for index in range(0, len(games), 2)} | {rate(games).digest}
    assert len(digests) == len(games) // 2 + 1


def test_nothing_played_rates_nobody() -> None:
    assert rate([]).rows == ()
    assert Ladder().table().sets == 0
    assert START == 1500
