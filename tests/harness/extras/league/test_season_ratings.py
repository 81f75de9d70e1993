"""What a league requires of its bots, and when a version retires."""

from __future__ import annotations

from pathlib import Path

from bowerbird.harness.extras.league.season_ratings import (
    OF_PREDECESSOR,
    WIDE,
    Prior,
    beaten_versions,
    priors,
    rated,
)
from bowerbird.harness.ratings.standings.pool import variant_fits
from bowerbird.harness.records.store.league import season_runs
from bowerbird.harness.records.store.store import Store
from bowerbird.harness.records.values.league import RETIRED, SUSPENDED, Epoch
from tests.support.league import league_bot, season
from tests.support.records.stored_runs import store_run
from tests.support.records.versions import results


def test_a_rated_bot_keeps_its_rating_and_a_newcomer_begins_wide() -> None:
    expected = priors(season(league_bot("ada"), league_bot("bob")), {"ada": Prior(120, 30)})
    assert expected == {"ada": Prior(120, 30), "bob": Prior(0, WIDE)}


def test_a_new_version_begins_with_the_rating_of_the_one_before() -> None:
    known = season(league_bot("ada"), league_bot("ada-2", "ada", 2), league_bot("ada-3", "ada", 3))
    expected = priors(known, {"ada": Prior(120, 30), "ada-2": Prior(150, 300)})
    assert expected["ada-3"] == Prior(150, 300)
    assert priors(season(*known.bots[:2]), {"ada": Prior(120, 30)})["ada-2"] == Prior(120, OF_PREDECESSOR)


def test_only_playing_bots_are_expected() -> None:
    assert priors(season(league_bot("ada", status=SUSPENDED)), {}) == {}


def test_the_ratings_are_those_of_all_epochs_of_the_season(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    runs = [store_run(path, variants=("euchre",), name=name) for name in ("autumn-s1-e1", "autumn-s1-e2")]
    store_run(path, variants=("euchre",), name="another")
    epochs = tuple(Epoch(number, run, "", "") for number, run in enumerate(runs, 1))
    known = season(epochs=(*epochs, Epoch(3, "ffffffffff", "", None)))
    with Store.open(path) as store:
        found = season_runs(store, known)
        assert {run.fingerprint for run in found} == set(runs)
        names = {bot.name for bot in store[runs[0]].bots()}
        assert rated(found).keys() == names
        assert rated([]) == {}


VERSIONS = season(league_bot("old"), league_bot("new", "old", 2))


def test_a_version_retires_when_its_successor_is_better_beyond_doubt() -> None:
    [change] = beaten_versions(VERSIONS, variant_fits(results(200, won=8)))
    assert (change.bot.name, change.bot.status) == ("old", RETIRED)
    assert change.what.startswith("old retires, new is better, by about ")


def test_no_version_retires_for_a_few_sets_or_for_a_successor_that_is_worse_or_equal() -> None:
    for sets, won in ((3, 8), (200, 2), (200, 5)):
        assert list(beaten_versions(VERSIONS, variant_fits(results(sets, won=won)))) == [], f"{won} of ten in {sets}"


def test_only_a_successor_that_plays_retires_a_version() -> None:
    suspended = season(league_bot("old"), league_bot("new", "old", 2, status=SUSPENDED))
    assert list(beaten_versions(suspended, variant_fits(results(200, won=8)))) == []
