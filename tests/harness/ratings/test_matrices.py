"""Small and large tables have the same ratings, although only large ones use scipy."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from bowerbird.harness.ratings import matrices
from bowerbird.harness.ratings.bradley_terry import design
from bowerbird.harness.ratings.bradley_terry.connectivity import UnconnectedError, connections
from bowerbird.harness.ratings.matrices import gram, matrix_of
from bowerbird.harness.ratings.standings.rating_list import rating_list
from tests.support.tournament.rated_games import tournament


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every table count as large."""
    monkeypatch.setattr(matrices, "SMALL", -1)
    monkeypatch.setattr(matrices, "DENSE", 1e9)
    monkeypatch.setattr(design, "SMALL", -1)


def test_equal_cells_are_added_up(request: pytest.FixtureRequest) -> None:
    cells = np.array([0, 2, 0, 1]), np.array([1, 0, 1, 1]), np.array([1.0, 2.0, 3.0, 5.0])
    whole = np.array([[0.0, 4.0], [0.0, 5.0], [2.0, 0.0]])
    assert np.array_equal(matrix_of(*cells, (3, 2)), whole)
    request.getfixturevalue("large")
    sparse = matrix_of(*cells, (3, 2))
    assert isinstance(sparse, csr_array)
    assert np.array_equal(sparse.toarray(), whole)
    assert np.array_equal(gram(*cells, (3, 2)), whole.T @ whole)


def test_a_table_has_the_same_ratings_if_it_counts_as_large(request: pytest.FixtureRequest) -> None:
    games = tournament(np.random.default_rng(3), (0, 0.4, 0.1, -0.3, 1.5), 12, luck=1.0)
    small = rating_list(games, anchor="b0")
    request.getfixturevalue("large")
    for one, other in zip(small.lines, rating_list(games, anchor="b0").lines, strict=True):
        assert (one.bot, one.rank, one.last_rank) == (other.bot, other.rank, other.last_rank)
        figures = [[line.rating.value, *line.rating.interval(), line.rating.set_se] for line in (one, other)]
        assert figures[0] == pytest.approx(figures[1], rel=1e-6)


def test_groups_of_bots_are_the_strong_components_of_the_games_that_were_not_lost() -> None:
    chance, groups = random.Random(4), set[int]()
    for _ in range(200):
        number = chance.randint(1, 9)
        edges = [(chance.randrange(number), chance.randrange(number)) for _ in range(chance.randint(0, 2 * number))]
        ones, others = (np.array(part, dtype=np.int64) for part in zip(*edges, (0, 0), strict=True))
        graph = csr_array((np.ones(len(ones)), (ones, others)), shape=(number, number))
        bots = [f"b{place}" for place in range(number)]
        if connected_components(graph, directed=False)[0] > 1:
            with pytest.raises(UnconnectedError):
                connections(bots, (ones, others))
            continue
        found = connections(bots, (ones, others))
        count, labels = connected_components(graph, connection="strong")
        assert found.groups == count
        assert len(set(zip(labels.tolist(), found.group.tolist(), strict=True))) == count
        assert list(dict.fromkeys(found.group.tolist())) == list(range(count)), "numbered by their first bots"
        groups.add(count)
    assert len(groups) > 3
