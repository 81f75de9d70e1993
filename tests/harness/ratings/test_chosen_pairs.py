"""Where results choose the pairs, ratings claim no ranks and no intervals (ratings.md)."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from bowerbird.harness.ratings.standings import chosen_pairs
from bowerbird.harness.ratings.standings.chosen_pairs import is_by_lot, why_no_ranks
from bowerbird.harness.ratings.standings.head_to_head import HeadToHeads
from bowerbird.harness.ratings.standings.overview import Overview, overview
from bowerbird.harness.ratings.standings.text.sentences import undecided_text
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config import schema
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.random_runs import store_random_run


def standings_of(tmp_path: Path, form: str) -> Overview:
    yard = Yard(tmp_path)
    yard.bot("alpha")
    store_random_run(yard, tmp_path / "x.db", random.Random(3), form)
    with Store.open(tmp_path / "x.db") as store:
        return overview([store.run()])


@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_a_format_of_matches_has_places_and_no_ranks(form: str, tmp_path: Path) -> None:
    found = standings_of(tmp_path, form)
    for board in (found.overall, *found.every):
        listed = board.rating_list
        assert all(line.rank is None and line.ahead is None for line in listed.lines)
        assert all(line.rating.se in (0, math.inf) for line in listed.lines)
        assert listed.undecided == ()
        assert listed.likelihoods is None
        if listed.lines:
            assert undecided_text(listed).startswith("no ranks and no intervals: results chose who met whom")
    assert not found.pooled
    assert not found.estimates
    bot, other, *_ = found.overall.bots
    assert all(one.difference is None for one in HeadToHeads(found).between(bot, other).comparisons)


def test_a_round_robin_has_ranks(tmp_path: Path) -> None:
    listed = standings_of(tmp_path, "round-robin").overall.rating_list
    assert listed.lines
    assert all(line.rank is not None for line in listed.lines)
    assert not listed.no_ranks


def test_an_adaptive_run_has_ranks_from_the_rule_on_that_draws_its_pairs_by_lot() -> None:
    before, now = ('[tournament]\nformat = "adaptive"\n' + more for more in ("", "schedule = 3\n"))
    assert not why_no_ranks([now])
    assert is_by_lot(now)
    assert why_no_ranks([before])
    assert why_no_ranks([now, before])
    assert not is_by_lot(before)


def test_the_rule_has_one_number() -> None:
    assert chosen_pairs.BY_LOT == schema.BY_LOT


def test_the_sentence_names_the_places_of_matches() -> None:
    assert why_no_ranks(['[tournament]\nformat = "swiss"']).endswith("; the places are those of the matches")
    assert why_no_ranks(["no file"]) == ""
