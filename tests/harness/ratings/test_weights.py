"""The weight of a variant in the mean over variants (ratings.md, Ratings kept, 4)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bowerbird.harness.cli.display.standings import standings_text
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.standings.mean_list import MOST_DIFFERENCES, mean_list
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.ratings.standings.pool import equal_mean, weighted_mean
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.resume_rules import check_resume
from bowerbird.harness.tournament.config.tournament_file import load_tournament
from bowerbird.harness.tournament.errors import ConfigError, RunConflictError
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.record_ratings import store_record_ratings
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.random_runs import Law, store_made_run

TWO = '[[variant]]\nname = "two-handed"\n'
EUCHRE = '[[variant]]\nname = "euchre"\n'


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    made = Yard(tmp_path)
    made.bot("alpha")
    return made


def planned(yard: Yard, variants: str, seed: str = "leaves") -> Plan:
    bots = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in ("ann", "bob", "cid"))
    return make_plan(load_tournament(yard.tournament(f'seed = "{seed}"', "sets = 8", variants=variants, bots=bots)))


def stored(yard: Yard, name: str, variants: str) -> Store:
    store = Store.create(yard.folder / name)
    law = Law({"ann": 2, "bob": 1, "cid": 0}, level=False, chance=0.6, withdrawn={})
    store_made_run(planned(yard, variants, name), store, law, random.Random(4))
    return store


def test_a_weighted_mean_is_that_of_as_many_equal_parts() -> None:
    """With weights 2 and 1: two thirds of one value and a third of the other, also of its errors and ends."""
    one, other = Estimate(90.0, 12.0, 20.0, set_se=10.0, far=130.0), Estimate(-30.0, 6.0, 30.0)
    found = weighted_mean([one, other], [2.0, 1.0])
    assert found.value == pytest.approx(50.0)
    assert found.se == pytest.approx(((2 * 10.0 / 3) ** 2 + (6.0 / 3) ** 2) ** 0.5)
    assert found.far is not None
    assert weighted_mean([one, other], [3.0, 3.0]) == equal_mean([one, other])
    perfect = Estimate(200.0, 1.0, side=1, bound=80.0, doubt=0.01)
    assert weighted_mean([perfect, other], [4.0, 1.0]).interval()[0] > weighted_mean([perfect, other]).interval()[0]


def test_the_mean_follows_the_weights_that_the_file_gives(yard: Yard) -> None:
    with stored(yard, "equal.db", TWO + EUCHRE) as equal, stored(yard, "x.db", f"{TWO}{EUCHRE}weight = 3\n") as store:
        plain, found = overview([equal.run()]), overview([store.run()])
        rating = {line.bot: line.rating.value for line in found.overall.rating_list.lines}
        parts = [{bot: board[bot].equal.value for bot in board} for board in (plain.pooled, found.pooled)]
        assert parts[0] != parts[1]
        assert found.weights == {"euchre": 3.0}
        assert rating == pytest.approx(parts[1])
        assert "with the weights euchre 3, two-handed 1" in found.overall.rating_list.sentence
        assert "of equal weight" in plain.overall.rating_list.sentence
        store_record_ratings(store.run())
        of_record = {one.bot: one.elo for one in store.run().record_ratings() if one.scope == ""}
        assert of_record == pytest.approx(rating)
        assert any("with the weights euchre 3, two-handed 1" in line for line in standings_text(store, [store.run()]))
        together = overview([equal.run(), store.run()])
        assert together.weights == {}
        assert any("different weights" in remark for remark in together.overall.rating_list.remarks)


def test_many_bots_have_the_same_weights_as_few(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> None:
    with stored(yard, "x.db", f"{TWO}{EUCHRE}weight = 3\n") as store:
        few = overview([store.run()]).overall.rating_list
        assert MOST_DIFFERENCES > 0
        monkeypatch.setattr(f"{mean_list.__module__}.MOST_DIFFERENCES", 0)
        many = overview([store.run()]).overall.rating_list
    assert [(line.bot, line.rank, line.rating) for line in few.lines] == [
        (line.bot, line.rank, line.rating) for line in many.lines
    ]


def test_a_weight_is_part_of_the_run_and_one_for_each_variant(yard: Yard) -> None:
    plain, weighted = planned(yard, TWO), planned(yard, f"{TWO}weight = 2\n")
    assert "weight" not in resolved_text(plain.file)
    assert "weight = 2.0" in resolved_text(weighted.file)
    with pytest.raises(RunConflictError, match="weight"):
        check_resume(plain.header, weighted.header)
    assert [one.weight for one in planned(yard, f"{TWO}weight = 2\n{TWO}").file.variants] == [2.0, 2.0]
    with pytest.raises(ConfigError, match="two-handed has the weight 1 above; a variant has one weight"):
        planned(yard, f"{TWO}{TWO}weight = 2\n")
    for wrong in ("0", "-1", '"much"'):
        with pytest.raises(ConfigError, match="weight"):
            planned(yard, f"{TWO}weight = {wrong}\n")
