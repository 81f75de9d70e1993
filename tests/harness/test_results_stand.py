"""Whatever happened in a run, its results stand: every screen, page and file of them is made (ratings.md)."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path

import pytest

from bowerbird.harness.ratings.bradley_terry import separation
from bowerbird.harness.ratings.bradley_terry.fit import fit
from bowerbird.harness.ratings.pairs import NumericalError
from bowerbird.harness.ratings.standings.overview import overview
from bowerbird.harness.ratings.standings.pool import variant_fits
from bowerbird.harness.ratings.standings.rating_list import NOT_ROTATED, rating_list
from bowerbird.harness.records.store.store import Store
from tests.support.tournament.bot_folders import Yard
from tests.support.tournament.every_screen import every_screen
from tests.support.tournament.random_runs import store_random_run
from tests.support.tournament.rated_games import game, mirrored, series

TOURNAMENTS = int(os.environ.get("BOWERBIRD_TEST_TOURNAMENTS", "14"))
"""The number of random tournaments."""


@pytest.mark.parametrize("seed", range(TOURNAMENTS))
def test_a_random_tournament_ends_with_results_on_every_screen(seed: int, tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    yard.bot("alpha")
    told = store_random_run(yard, tmp_path / "x.db", random.Random(seed))
    try:
        with Store.open(tmp_path / "x.db") as store:
            run = store.run()
            lines = every_screen(run, tmp_path / "report.html")
            found = overview([run])
    except Exception as error:
        error.add_note(told)
        raise
    assert all(any(bot in line for line in lines) for bot in found.overall.bots), told
    assert not any("could not be computed" in remark for remark in found.overall.rating_list.remarks), told
    if found.overall.rating_list.no_ranks and found.overall.places:
        places = [found.overall.places[bot] for bot in found.overall.bots]
        assert places == sorted(places), f"the winner is not on top: {told}"


def test_the_search_for_a_bound_ends_though_rounding_errors_would_lead_it_in_circles(tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    yard.bot("alpha")
    told = store_random_run(yard, tmp_path / "x.db", random.Random(95))
    with Store.open(tmp_path / "x.db") as store:
        found = overview([store.run()])
    assert not any("could not be computed" in remark for remark in found.overall.rating_list.remarks), told


def test_deal_sets_that_are_exactly_tied_have_a_bound() -> None:
    """Two equal deterministic bots win a game of each set, and both beat a third one in all of theirs."""
    games = series(200, lambda _: (1, 0))
    games += [one for number in range(200, 202) for one in mirrored(number, "b", "c", (1, 1))]
    found = fit(games)
    low, high = found.difference("a", "c").interval()
    assert -1000 < low < found.difference("a", "c").value < high
    assert found.unknown_bounds == 0


def test_a_swiss_of_equal_deterministic_bots_has_bounds() -> None:
    """The better of two bots wins every game, equal ones tie every game: on this the search for a bound once failed."""
    strength = dict(zip("abcdefg", (3, 3, 0, 0, 0, 0, 2), strict=True))
    games = []
    for round_, pairs in enumerate(((("g", "e"), ("a", "f"), ("b", "c")), (("e", "d"), ("c", "f"), ("g", "b")))):
        for one, other in pairs:
            lead = strength[one] - strength[other]
            first = (1, 1) if not lead else (1, 2) if lead > 0 else (2, 1)
            for number, rotation in product(range(20), range(2)):
                bots, ranks = ((one, other), first) if rotation == 0 else ((other, one), first[::-1])
                games.append(
                    game(
                        bots * 2,
                        ranks * 2,
                        number=1024 * round_ + number,
                        rotation=rotation,
                        sides=(0, 1, 0, 1),
                        entry="euchre-0",
                        lineup="+".join(sorted((one, other))),
                    )
                )
    found = fit(games)
    for one, other in combinations(found.bots, 2):
        found.difference(one, other)
    assert found.unknown_bounds == 0


def failing(*_: object) -> Sequence[float]:
    raise NumericalError("it did not converge")


def test_a_bound_that_is_not_found_leaves_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interval is open, a remark says so, and nothing is settled by it."""
    games = series(4, lambda _: (1, 0)) + series(4, lambda _: (1, 1), "b", "c")
    monkeypatch.setattr(separation, "_restricted", failing)
    found = rating_list(games)
    assert {line.bot for line in found.lines} == {"a", "b", "c"}
    assert [line.rank for line in found.lines] == [1, 1, 1]
    assert any("could not be computed" in remark for remark in found.remarks)


def test_a_fit_that_is_not_found_leaves_places_and_scores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    yard = Yard(tmp_path)
    yard.bot("alpha")
    store_random_run(yard, tmp_path / "x.db", random.Random(3), "round-robin")
    monkeypatch.setattr("bowerbird.harness.ratings.bradley_terry.likelihood.maximum", failing)
    with Store.open(tmp_path / "x.db") as store:
        run = store.run()
        lines = every_screen(run, tmp_path / "report.html")
        board, variants = overview([run]).overall, run.variants()
    assert board.rating_list.lines == ()
    assert "it did not converge" in board.rating_list.sentence or len(variants) > 1
    assert sorted(board.places) == sorted(board.bots)
    assert [board.places[bot] for bot in board.bots] == sorted(board.places.values())
    assert any("place" in line for line in lines)


def test_results_that_are_not_rotated_have_the_plain_fit_and_a_remark() -> None:
    """One game of each deal set: no mirrored game evens out who had the better seats."""
    games = [one for one in series(12, lambda number: (1, 0) if number % 3 else (0, 1)) if one.id.rotation == 0]
    found = rating_list(games)
    assert [line.bot for line in found.lines] == ["a", "b"]
    assert NOT_ROTATED in found.remarks
    whole = rating_list(series(12, lambda number: (1, 0) if number % 3 else (0, 1)))
    assert NOT_ROTATED not in whole.remarks
    assert variant_fits(games)["buck"].bots == ("a", "b")
