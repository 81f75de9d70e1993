"""The order in which incremental Elo applies results (ratings.md, Ratings kept, 1)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bowerbird.harness.ratings.elo import live_ratings
from bowerbird.harness.ratings.elo.live_ratings import LiveRatings, Recall, rate
from bowerbird.harness.ratings.elo.update import START
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import BLOCK_SETS, GameId, SetKey, schedule_order
from bowerbird.harness.records.values.set_keys import Block, block_of

BOTS = ("a", "b", "c")


def results(key: SetKey, rng: random.Random) -> list[GameResult]:
    """Return two mirrored games of a pair, won by chance."""
    made = []
    for rotation in range(2):
        bots = tuple(key.lineup.split("+"))
        ranks = rng.choice([(1, 2), (2, 1), (1, 1)])
        game = GameId("4f1c9a", key.entry, key.lineup, key.number, rotation)
        made.append(GameResult(game, key.entry[:-2], bots, (0, 1), ranks, (0, 0), (), True))
    return made


def recalling(done: Mapping[SetKey, Sequence[GameResult]]) -> Recall:
    """Return a function that reads these deal sets again."""
    return lambda block: [result for key in done if block_of(key) == block for result in done[key]]


def never(block: Block) -> list[GameResult]:
    """Fail: these live ratings expect all sets before the first is added, so none is read again."""
    pytest.fail(f"{block} was recalled, and nothing belongs before it")


@pytest.fixture
def played() -> dict[SetKey, list[GameResult]]:
    rng = random.Random(7)
    keys = [
        SetKey(entry, lineup, number)
        for entry in ("two-handed-0", "two-handed-dummy-0")
        for lineup in ("a+b", "a+c", "b+c")
        for number in range(5)
    ]
    return {key: results(key, rng) for key in sorted(keys, key=schedule_order)}


def test_blocks_come_before_entries_and_line_ups() -> None:
    keys = [
        SetKey("buck-0", "a+b", BLOCK_SETS),
        SetKey("buck-0", "a+b", 3),
        SetKey("euchre-0", "a+b", 0),
        SetKey("buck-0", "a+c", 0),
    ]
    assert sorted(keys, key=schedule_order) == [keys[1], keys[3], keys[2], keys[0]]


def test_ratings_do_not_depend_on_the_order_of_completion(played: dict[SetKey, list[GameResult]]) -> None:
    expected = rate(result for games in played.values() for result in games)
    for seed in range(5):
        live = LiveRatings(never)
        live.expect(played)
        order = list(played)
        random.Random(seed).shuffle(order)
        for key in order:
            live.add(key, played[key])
        assert live.table() == expected, f"completion order {seed} changed the ratings"


def test_the_order_in_which_games_are_listed_changes_nothing(played: dict[SetKey, list[GameResult]]) -> None:
    games = [result for results_of in played.values() for result in results_of]
    shuffled = list(games)
    random.Random(11).shuffle(shuffled)
    assert rate(shuffled) == rate(games)


def test_the_table_at_any_time_is_that_of_all_sets_so_far(played: dict[SetKey, list[GameResult]]) -> None:
    live = LiveRatings(never)
    live.expect(played)
    order = list(played)
    random.Random(3).shuffle(order)
    done: list[GameResult] = []
    for key in order:
        live.add(key, played[key])
        done += played[key]
        assert live.table() == rate(done), f"after {key} the live ratings are not what the results make"


@given(
    rounds=st.lists(
        st.sets(st.tuples(st.sampled_from(["a+b", "a+c", "b+c"]), st.integers(0, 3 * BLOCK_SETS)), max_size=8),
        max_size=6,
    ),
    seed=st.integers(0, 999),
)
@settings(max_examples=60)
def test_rounds_that_become_known_one_by_one_change_nothing(rounds: list[set[tuple[str, int]]], seed: int) -> None:
    """Swiss rounds, passes of a stop rule, extensions of a run: a new set may belong before one already rated."""
    rng = random.Random(seed)
    done: dict[SetKey, list[GameResult]] = {}
    live = LiveRatings(recalling(done))
    for number, sets in enumerate(rounds):
        keys = [SetKey(f"two-handed-{number % 2}", lineup, place) for lineup, place in sorted(sets)]
        live.expect(keys)
        rng.shuffle(keys)
        for key in keys:
            if key not in done:
                done[key] = results(key, rng)
                live.add(key, done[key])
        assert live.table() == rate(result for games in done.values() for result in games)


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
    assert LiveRatings(never).table().sets == 0
    assert START == 1500


def pair_of(number: int) -> SetKey:
    """Return deal set `number`; many numbers share out over 40 pairs, so that each set touches few bots."""
    return SetKey("two-handed-0", f"a{number % 40}+b{number % 40}", number)


@given(
    rounds=st.lists(st.sets(st.integers(0, 5 * BLOCK_SETS), max_size=12), max_size=7),
    lookahead=st.integers(0, 4),
    seed=st.integers(0, 999),
)
@settings(max_examples=80)
def test_a_table_is_what_its_first_sets_make(rounds: list[set[int]], lookahead: int, seed: int) -> None:
    """ratings.md, Ratings kept, 1: stored ratings can be computed again, however far play continues beyond a gap."""
    rng = random.Random(seed)
    done: dict[SetKey, list[GameResult]] = {}
    live = LiveRatings(recalling(done))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live_ratings, "LOOKAHEAD", lookahead)
        for numbers in rounds:
            keys = [pair_of(number) for number in sorted(numbers)]
            live.expect(keys)
            rng.shuffle(keys)
            for key in keys:
                if key not in done:
                    done[key] = results(key, rng)
                    live.add(key, done[key])
                    table = live.table()
                    assert table == rate(chain(*done.values()), table.sets), f"after {key}, {table.sets} sets are rated"
    assert live.table() == rate(chain(*done.values())), "no gap is left, so everything is rated"


def test_a_set_costs_as_much_late_in_a_run_as_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """For each set only that set is rated, and at most LOOKAHEAD sets beyond a gap."""
    rated = 0
    apply = live_ratings._Ratings.apply

    def counting(state: live_ratings._Ratings, content: live_ratings._SetContent) -> None:
        nonlocal rated
        rated += 1
        apply(state, content)

    monkeypatch.setattr(live_ratings._Ratings, "apply", counting)
    monkeypatch.setattr(live_ratings, "LOOKAHEAD", 10)
    rng = random.Random(1)
    keys = [SetKey("two-handed-0", "a+b", number) for number in range(3000)]
    live = LiveRatings(never)
    live.expect(keys)
    costs = []
    for key in [*keys[:1000], *keys[1001:2000], keys[1000], *keys[2000:]]:
        before = rated
        live.add(key, results(key, rng))
        live.table()
        costs.append(rated - before)
    assert costs[:1000] == [1] * 1000, "without a gap a set is rated once"
    assert max(costs[1000:1999]) == 10, "behind a gap LOOKAHEAD sets are rated for each table"
    assert costs[1999] == 1000, "waiting sets are rated when the gap is closed"
    assert costs[2000:] == [1] * 1000


def test_going_back_takes_few_checkpoints_and_not_all_sets_again() -> None:
    rng = random.Random(1)
    recalled: list[Block] = []
    done: dict[SetKey, list[GameResult]] = {}

    def recall(block: Block) -> list[GameResult]:
        recalled.append(block)
        return list(recalling(done)(block))

    live = LiveRatings(recall)
    keys = [SetKey("two-handed-0", "a+c", number) for number in range(40 * BLOCK_SETS)]
    live.expect(keys)
    for key in keys:
        done[key] = results(key, rng)
        live.add(key, done[key])
    assert len(live._checkpoints) < 16, "a checkpoint holds all ratings, and a run may have thousands of blocks"
    assert not recalled
    late = SetKey("two-handed-0", "a+b", 39 * BLOCK_SETS)
    live.expect([late])
    assert {block.number for block in recalled} == {39}, "only the end is rated again"
    done[late] = results(late, rng)
    live.add(late, done[late])
    assert live.table() == rate(chain(*done.values()))


def test_what_is_rated_is_not_kept(played: dict[SetKey, list[GameResult]]) -> None:
    live = LiveRatings(never)
    live.expect(played)
    keys = list(played)
    for key in [*keys[:10], *keys[11:14]]:
        live.add(key, played[key])
    assert set(live._contents) == set(keys[11:14]), "only results beyond a gap are kept"
    live.add(keys[10], played[keys[10]])
    assert not live._contents
    assert not live._waiting


def test_an_unchanged_rating_keeps_its_row() -> None:
    """A writer stores only new rows, so that a set costs as much with 1,000 bots as with 2."""
    rng = random.Random(1)
    live = LiveRatings(never)
    keys = [pair_of(number) for number in range(80)]
    live.expect(keys)
    for key in keys[:79]:
        live.add(key, results(key, rng))
    before = live.table().rows
    live.add(keys[79], results(keys[79], rng))
    fresh = [row for row, old in zip(live.table().rows, before, strict=True) if row is not old]
    assert {row.bot for row in fresh} == {"a39", "b39"}
