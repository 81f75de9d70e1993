"""The decisions of a recorded game, one alone and all of a hand."""

from __future__ import annotations

import pytest

from bowerbird.harness.records.replay.positions import decisions_of, position_at
from bowerbird.harness.records.replay.replay import ReplayError
from bowerbird.harness.records.text.reader import read
from tests.support.paths import ROOT

GAMES = ROOT / "tests" / "fixtures" / "games"


@pytest.mark.parametrize("game", ["buck/hand-scored.toml", "euchre/game-forfeit.toml"])
def test_the_decisions_of_a_hand_are_the_steps_at_which_there_is_one(game: str) -> None:
    record = read((GAMES / game).read_text(encoding="utf-8"))
    for number, hand in enumerate(record.hands):
        found = []
        for step in range(len(hand.actions) + 1):
            try:
                found.append(position_at(record, number, step))
            except ReplayError:
                continue
        listed = decisions_of(record, number)
        assert found
        assert [(one.step, one.seat, one.recorded, one.fault, len(one.earlier)) for one in listed] == [
            (one.step, one.seat, one.recorded, one.fault, len(one.earlier)) for one in found
        ]
        assert [one.game.view(one.seat) for one in listed] == [one.game.view(one.seat) for one in found]


def test_a_hand_that_was_not_played_has_no_decisions() -> None:
    record = read((GAMES / "buck/hand-scored.toml").read_text(encoding="utf-8"))
    with pytest.raises(ReplayError, match="there is no hand 1; it has hands 0 to 0"):
        decisions_of(record, 1)
