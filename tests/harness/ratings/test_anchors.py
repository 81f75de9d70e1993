"""Several anchors with given ratings (tournament-file.md, The tournament)."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bowerbird.harness.ratings.bradley_terry.fit import fit
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.resume_rules import check_resume
from bowerbird.harness.tournament.config.tournament_file import load_tournament, stored_tournament
from bowerbird.harness.tournament.errors import ConfigError, RunConflictError
from bowerbird.harness.tournament.plan import Plan, make_plan
from bowerbird.harness.tournament.record_ratings import store_record_ratings
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.random_runs import Law, store_made_run
from tests.support.tournament.rated_games import series

TWO = '[[variant]]\nname = "two-handed"\n'
EUCHRE = '[[variant]]\nname = "euchre"\n'
GIVEN = "anchors = { ann = 1500, cid = 1000 }"


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    made = Yard(tmp_path)
    made.bot("alpha")
    return made


def planned(yard: Yard, *lines: str, variants: str = TWO, seed: str = "leaves") -> Plan:
    bots = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "{bot}"\n' for bot in ("ann", "bob", "cid"))
    return make_plan(
        load_tournament(yard.tournament(f'seed = "{seed}"', "sets = 8", *lines, variants=variants, bots=bots))
    )


def stored(yard: Yard, name: str, *lines: str, variants: str = TWO, chance: float = 0.7) -> Store:
    store = Store.create(yard.folder / name)
    law = Law({"ann": 2, "bob": 1, "cid": 0}, level=False, chance=chance, withdrawn={})
    store_made_run(planned(yard, *lines, variants=variants, seed=name), store, law, random.Random(4))
    return store


def test_the_mean_of_the_anchors_stands_at_the_mean_of_their_ratings() -> None:
    games = series(14, lambda n: (1, 0) if n % 3 else (0, 1)) + series(8, lambda n: (n % 2, 1 - n % 2), "b", "c")
    plain, found = fit(games), fit(games, anchors={"a": 1500.0, "c": 1100.0})
    assert found.rating("a").value + found.rating("c").value == pytest.approx(2600)
    for bot in "abc":
        for other in "abc":
            assert found.difference(bot, other) == plain.difference(bot, other)
    assert found.values() == pytest.approx([found.rating(bot).value for bot in found.bots])
    alone = fit(games, anchors={"b": 700.0})
    assert (alone.rating("b").value, alone.rating("b").se) == (700.0, 0.0)


@pytest.mark.parametrize("variants", [TWO, TWO + EUCHRE])
def test_standings_and_ratings_of_record_stand_on_the_scale_of_the_anchors(yard: Yard, variants: str) -> None:
    with stored(yard, "x.db", GIVEN, variants=variants) as store:
        found = overview([store.run()])
        for board in (found.overall, *found.variants):
            rating = {line.bot: line.rating.value for line in board.rating_list.lines}
            assert rating["ann"] + rating["cid"] == pytest.approx(2500)
            assert "the anchors ann 1500 and cid 1000 are fixed at their mean, 1250" in board.rating_list.sentence
        store_record_ratings(store.run())
        of_record = {one.bot: one.elo for one in store.run().record_ratings() if one.scope == ""}
        assert of_record == pytest.approx({line.bot: line.rating.value for line in found.overall.rating_list.lines})


def test_an_anchor_that_won_everything_is_left_out(yard: Yard) -> None:
    with stored(yard, "x.db", "anchors = { ann = 1500, bob = 1000 }", chance=0.0) as store:
        sentence = overview([store.run()]).overall.rating_list.sentence
    assert "ann" in sentence
    assert "won or lost everything" in sentence or "no anchor of ann, bob" in sentence


def test_runs_with_different_given_ratings_share_no_anchor(yard: Yard) -> None:
    with stored(yard, "x.db", GIVEN) as store, stored(yard, "y.db", "anchors = { ann = 900 }") as other:
        found = overview([store.run(), other.run()])
    assert any("different given ratings" in remark for remark in found.overall.rating_list.remarks)


def test_anchors_are_part_of_the_run_and_are_bots_of_the_file(yard: Yard) -> None:
    plan = planned(yard, GIVEN)
    text = resolved_text(plan.file)
    assert stored_tournament(text, plan.file.folder, "it").anchors == {"ann": 1500.0, "cid": 1000.0}
    assert resolved_text(stored_tournament(text, plan.file.folder, "it")) == text
    assert "anchors" not in resolved_text(planned(yard).file)
    with pytest.raises(RunConflictError, match="anchors"):
        check_resume(planned(yard).header, plan.header)
    with pytest.raises(ConfigError, match="no bot 'anne' is entered, did you mean 'ann'"):
        planned(yard, "anchors = { anne = 1500 }")
    for wrong in ("true", '"high"', "1e9", "nan"):
        with pytest.raises(ConfigError, match="must be a rating from -10000 to 10000"):
            planned(yard, f"anchors = {{ ann = {wrong} }}")
