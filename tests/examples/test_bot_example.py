"""The example of a bot is short, plays every variant, and beats random play clearly.

`check-bot` tries it together with the bots of all folders (test_compliance.py).
"""

from __future__ import annotations

import pytest

from bowerbird.engine import new_game, variant_names
from bowerbird.sdk import Bot, play
from tests.support.bots.loaded import loaded
from tests.support.command.bowerbird_command import Bowerbird
from tests.support.paths import ROOT

FOLDER = ROOT / "examples" / "bot"
LONGEST = 45
"""Lines of code, without blank lines, comments and docstrings of one line."""

LEAST_SHARE = 0.8
"""Share of games that it must win of random. It wins 19 of these 20."""


def test_it_fits_on_one_page() -> None:
    lines = map(str.strip, (FOLDER / "bot.py").read_text(encoding="utf-8").splitlines())
    count = sum(bool(line) and not line.startswith(("#", '"""')) for line in lines)
    assert 20 < count <= LONGEST, f"{count} lines of code, {LONGEST} are allowed"


@pytest.mark.parametrize("variant", variant_names())
def test_it_plays_every_variant_legally(variant: str) -> None:
    bot: Bot = loaded(FOLDER / "bot.py").CounterBot()
    seats = new_game(variant, seed=bytes(32)).players
    assert play(variant, [bot] * seats, seed="1", options={"max_hands": 20}).is_over


@pytest.mark.usefixtures("simulations")
def test_it_beats_random_play_clearly(bowerbird: Bowerbird) -> None:
    said = bowerbird.json(
        "match", FOLDER, "random", "--variant", "euchre", "--sets", "10", "--seed", "example", "--db", "runs.db"
    )
    [counter] = [line for line in said["overall"]["standings"] if line["bot"] == "counter"]
    assert (counter["games"], counter["faults"]["ILLEGAL"], counter["faults"]["CRASHED"]) == (20, 0, 0)
    assert counter["score"] >= LEAST_SHARE
