"""Twelve copies of one bot through the program: hardly ever is one ranked above another (ratings.md).

With more seeds: `EQUAL_BOTS_SEEDS=100 make test-long ARGS="tests/e2e/test_e2e_equal_bots.py"`, one or two hours.
"""

from __future__ import annotations

import math
import os
from typing import Any

import pytest

from tests.support.command.bowerbird_command import Bowerbird

SEEDS = int(os.environ.get("EQUAL_BOTS_SEEDS", "20"))
"""In the long tier. A copy is ranked above another in 1 of 20 tables at most on average; by the older rule in 18."""


def most(seeds: int) -> int:
    """Return 5% of the seeds plus three and a half standard deviations: if 5% is the truth, more is seen once in 2,000
    times."""
    return round(seeds * 0.05 + 3.5 * math.sqrt(seeds * 0.05 * 0.95)) + 1


RANDOM = 'path = "random"'
PIMC = 'path = "pimc"\narguments = ["--worlds", "4", "--seconds", "15"]'
"""Four worlds take a millisecond or two, so no decision runs into its limit of 15 seconds, even on a busy machine."""

COPIES = "".join(f'[[bot]]\n{{bot}}\nname = "copy-{number:02}"\n' for number in range(12))

ADAPTIVE = (
    """
[tournament]
format = "adaptive"
unit = "deals"
total_sets = 300
processes = 64
seed = "{seed}"
[[variant]]
name = "euchre"
"""
    + COPIES
)

SWISS = (
    """
[tournament]
format = "swiss"
unit = "deals"
rounds = 4
sets = 4
seed = "{seed}"
[[variant]]
name = "euchre"
"""
    + COPIES
)


def standings(bowerbird: Bowerbird, text: str, bot: str, seed: int) -> Any:  # JSON
    (bowerbird.folder / "cup.toml").write_text(text.format(seed=seed, bot=bot), encoding="utf-8")
    database = f"{seed}.db"
    bowerbird.done("tournament", "cup.toml", "--db", database, "--quiet")
    return bowerbird.json("standings", "--db", database)["variants"]["euchre"]


@pytest.mark.long
@pytest.mark.parametrize("bot", [RANDOM, PIMC], ids=["random", "pimc"])
def test_hardly_any_copy_is_ranked_above_another_in_an_adaptive_run(bowerbird: Bowerbird, bot: str) -> None:
    tables = [standings(bowerbird, ADAPTIVE, bot, seed)["standings"] for seed in range(SEEDS)]
    assert all(len(lines) == 12 for lines in tables)
    above = [seed for seed, lines in enumerate(tables) if any(line["rank"] > 1 for line in lines)]
    assert len(above) <= most(SEEDS), f"copies were told apart with these seeds, of {SEEDS}: {above}"


@pytest.mark.long
def test_a_swiss_tournament_ranks_no_copy_by_ratings_and_says_why(bowerbird: Bowerbird) -> None:
    board = standings(bowerbird, SWISS, RANDOM, 0)
    assert [line["rank"] for line in board["standings"]] == [None] * 12
    assert sorted(line["place"] for line in board["standings"])[0] == 1
    assert board["no_ranks"].startswith("no ranks and no intervals: results chose who met whom")
    assert board["likelihoods"] is None
