"""Our own figures in other-tools.md, on the data of that page. Those of other tools come from findings/."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest

from bowerbird.ratings import GameResult, RatingList, fit, game_result, rating_list
from tests.support.paths import DOCS, ROOT

DATA = ROOT / "tests" / "fixtures" / "other-tools" / "unbeaten.csv"
PAGE = " ".join((DOCS / "explanation" / "other-tools.md").read_text(encoding="utf-8").split())


def games() -> Iterator[tuple[str, str, int, int]]:
    """Yield the rows of the stored data: two bots, and how many games the first won and lost."""
    with DATA.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield row["one"], row["other"], int(row["won"]), int(row["lost"])


def played(rows: Sequence[tuple[str, str, int, int]]) -> list[GameResult]:
    """Return the results of these games, two to a deal set, from both seats."""
    outcomes = [
        (one, other, (1, 2) if game < won else (2, 1)) for one, other, won, lost in rows for game in range(won + lost)
    ]
    return [result(number, one, other, ranks) for number, (one, other, ranks) in enumerate(outcomes)]


def result(number: int, one: str, other: str, ranks: Sequence[int]) -> GameResult:
    turned = slice(None, None, -1 if number % 2 else 1)
    return game_result(
        (one, other)[turned], ranks[turned], deal_set=number // 2, rotation=number % 2, variant="two", sides=[0, 1]
    )


@pytest.fixture(scope="module")
def rated() -> RatingList:
    return rating_list(played(list(games())))


def test_an_unbeaten_bot_is_first_with_an_interval_of_one_end(rated: RatingList) -> None:
    first, *others = rated.lines
    low, high = first.rating.interval()
    assert (first.bot, first.rank, high) == ("a", 1, math.inf)
    assert all(math.isfinite(end) for line in others for end in line.rating.interval())
    assert f"*a* has {first.rating.value:.0f}, with an interval from {low:.0f} without an upper bound" in PAGE


def test_an_unbeaten_bot_moves_no_other(rated: RatingList) -> None:
    alone = rating_list(played([row for row in games() if row[0] != "a"]))
    assert [line.bot for line in rated.lines[1:]] == [line.bot for line in alone.lines] == ["b", "c", "d"]
    for before, after in zip(pairwise(alone.lines), pairwise(rated.lines[1:]), strict=True):
        gaps = [one.rating.value - other.rating.value for one, other in (before, after)]
        assert abs(gaps[0] - gaps[1]) < 1


def test_ten_wins_of_ten_leave_chance_open() -> None:
    ahead = fit(played([("a", "b", 10, 0)])).difference("a", "b")
    low, high = ahead.interval()
    assert high == math.inf
    assert f"{ahead.value:.0f}, or anything from {low:.0f} on" in PAGE


def test_draws_make_a_difference_surer() -> None:
    reach = {}
    for count in (10, 20, 40):
        drawn = fit([result(number, "a", "b", (1, 1)) for number in range(count)]).difference("a", "b")
        assert drawn.value == pytest.approx(0, abs=1e-6)
        reach[count] = drawn.interval()[1]
    assert sorted(reach.values(), reverse=True) == list(reach.values())
    assert "from ±{:.0f} after ten to ±{:.0f} after twenty and ±{:.0f} after forty".format(*reach.values()) in PAGE


def test_nothing_is_said_of_two_partners_who_always_play_together() -> None:
    """A result belongs to a side, and has no field for who sat out."""
    assert not {name for name in GameResult.__dataclass_fields__ if "alone" in name or "weight" in name}
    seats = [("a", "c", "b", "d"), ("c", "b", "d", "a"), ("b", "d", "a", "c"), ("d", "a", "c", "b")]
    won = [
        game_result(bots, [1 if bot in first else 2 for bot in bots], deal_set=number, rotation=rotation)
        for number, first in enumerate(["ab", "ab", "cd", "ab"])
        for rotation, bots in enumerate(seats)
    ]
    assert fit(won).difference("a", "b").interval() == (-math.inf, math.inf)
