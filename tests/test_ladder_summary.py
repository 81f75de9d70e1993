"""What `make ladder` sums up: points a deal above greedy, one observation for each deal set."""

from __future__ import annotations

import tomllib

import pytest
from ladder import OTHERS, ROOT, Gap, gap, note

from engine import variant_names
from harness.records.rows import GameResult
from harness.records.run import GameId


def _result(number: int, rotation: int, own: int, theirs: int) -> GameResult:
    """A deal of euchre; the sides change places from rotation to rotation."""
    bots = ("pimc", "greedy") * 2 if rotation == 0 else ("greedy", "pimc") * 2
    scores = tuple(own if bot == "pimc" else theirs for bot in bots)
    ranks = tuple(1 + (score < max(scores)) for score in scores)
    game = GameId("ab", "euchre-0", "greedy+pimc", number, rotation)
    return GameResult(game, "euchre", bots, (0, 1, 0, 1), ranks, scores, (), True)


def test_both_rotations_of_a_set_are_one_observation() -> None:
    """Sets that brought +2 and 0, -1 and +1, and +3 twice: means 1, 0 and 3."""
    made = [(0, 0, 2, 0), (0, 1, 1, 1), (1, 0, 0, 1), (1, 1, 1, 0), (2, 0, 3, 0), (2, 1, 4, 1)]
    found = gap([_result(*each) for each in made], "pimc")
    assert found is not None
    assert found.mean == pytest.approx(4 / 3)
    assert found.half == pytest.approx(1.96 * (7 / 3 / 3) ** 0.5)
    assert not found.is_settled
    assert str(found) == "+1.33 ± 1.73 (open)"


def test_one_set_tells_nothing() -> None:
    assert gap([_result(0, 0, 2, 0), _result(0, 1, 2, 0)], "pimc") is None


def test_the_note_names_where_the_order_is_open() -> None:
    results = [_result(number, rotation, 2 + number, 0) for number in range(4) for rotation in range(2)]
    random_below, pimc_above = note(results)
    assert "but" in random_below
    assert "euchre" in random_below, "no deal of random was played there"
    assert "british" in pimc_above
    assert " euchre," not in pimc_above, "pimc won every deal there"
    assert Gap(-1.0, 0.5).is_settled


def test_the_ladder_plays_every_variant_with_every_reference_bot() -> None:
    file = tomllib.loads((ROOT / "tests" / "ladder.toml").read_text(encoding="utf-8"))
    assert [variant["name"] for variant in file["variant"]] == list(variant_names())
    assert {bot["path"].rpartition("/")[2] for bot in file["bot"]} == {"greedy", *OTHERS}
