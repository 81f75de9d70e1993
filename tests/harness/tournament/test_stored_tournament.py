"""The copy of a tournament file that is stored with a run can be read again, so that its id is enough to resume it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bowerbird.harness.tournament.config.resolved import resolved_text
from bowerbird.harness.tournament.config.tournament_file import load_tournament, quick_match, stored_tournament
from tests.support.tournament.bot_folders import Yard

BOTS = "".join(f'[[bot]]\npath = "bots/alpha"\nname = "b{index}"\nrating = {index}\n' for index in range(4))


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    yard = Yard(tmp_path)
    yard.bot("alpha")
    return yard


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ('unit = "deals"', "sets = 7"),
        ('unit = "deals"', "stop = { sprt = { bots = ['b1', 'b0'] } }"),
        ('format = "swiss"', 'seeding = "rating"'),
        ('format = "knockout"', 'seeding = "rating"'),
        ('format = "gauntlet"', 'challengers = ["b2"]'),
        ("max_hands = 5", 'on_fault = "substitute"', 'lineup = "teams"', "copies = false"),
        ("tables = 1", "slots = 3", "processes = 9", 'isolation = "none"', 'reconnect = "5s"', 'beacon = "x"'),
    ],
)
def test_a_stored_tournament_is_the_one_that_was_stored(yard: Yard, lines: tuple[str, ...]) -> None:
    text = "\n".join(('[tournament]\nname = "cup"', *lines, '[[variant]]\nname = "euchre"', BOTS))
    file = load_tournament(yard.write("cup.toml", text))
    again = stored_tournament(resolved_text(file), file.folder, "run x")
    assert again == file
    assert resolved_text(again) == resolved_text(file)


@pytest.mark.parametrize("unit", ["games", "deals"])
def test_a_match_without_a_file_is_read_again_too(yard: Yard, unit: str) -> None:
    bots = [yard.folder / "bots" / "alpha" / "bot.toml"] * 2
    match = quick_match(bots, {"euchre": {}}, sets=3, unit=unit)
    assert stored_tournament(resolved_text(match), match.folder, "run x") == match
