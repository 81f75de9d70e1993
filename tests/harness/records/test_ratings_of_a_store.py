"""The rating of record of a database (ratings.md, Ratings kept, 2)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.ratings.standings.rating_list import RatingList, rating_list
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.run import Entrant, ResultsDigest, RunHeader, SetKey
from tests.support.records.played_games import SEED, deal_set, header

NO_RATINGS = ResultsDigest("", 0)
RUN = header()
Sets = Sequence[tuple[SetKey, tuple[GameRecord, ...]]]


@pytest.fixture(scope="module")
def played() -> Sets:
    return [deal_set("two-handed", number, RUN) for number in range(12)]


def stored(path: Path, run: RunHeader, sets: Sets) -> Store:
    store = Store.create(path)
    with store.begin(run, SEED) as writer:
        for key, games in sets:
            assert writer.save_set(key, games, NO_RATINGS)
    return store


def rating_list_of(*stores: Store) -> RatingList:
    return rating_list(result for store in stores for result in store[RUN.fingerprint].results())


def test_the_order_of_all_games_in_a_database_changes_no_digit(tmp_path: Path, played: Sets) -> None:
    expected = rating_list_of(stored(tmp_path / "straight.db", RUN, played))
    assert len(expected.lines) == 2
    shuffled = list(played)
    random.Random(1).shuffle(shuffled)
    assert rating_list_of(stored(tmp_path / "shuffled.db", RUN, shuffled)) == expected


def test_two_halves_equal_the_whole(tmp_path: Path, played: Sets) -> None:
    whole = rating_list_of(stored(tmp_path / "whole.db", RUN, played))
    first, second = stored(tmp_path / "a.db", RUN, played[:7]), stored(tmp_path / "b.db", RUN, played[5:])
    assert rating_list_of(second, first) == whole, "two sets are in both halves and count once"


def test_bots_of_one_name_are_told_apart_by_what_they_are(tmp_path: Path, played: Sets) -> None:
    later = RunHeader("later", RUN.commitment, False, RUN.config, (RUN.bots[0], Entrant("bob", "1.0", "sha256:other")))
    store = stored(tmp_path / "x.db", RUN, played[:1])
    with store.begin(later, SEED):
        pass  # a run with another bob, which has no game yet
    names = {bot for board in overview(store.runs()).every for bot in board.bots}
    assert names == {"ann", "bob 1.0 bob"}, "the files of the first bob are sha256:bob"
