"""The decisions of a recorded game, one alone and all of a hand."""

from __future__ import annotations

import pytest

from bowerbird.harness.records.replay.positions import decisions_of, position_at
from bowerbird.harness.records.replay.replay import ReplayError
from bowerbird.harness.records.text.reader import read
from tests.support.paths import ROOT
from tests.support.records.played_games import game

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


def test_a_step_without_a_choice_names_the_nearest_decisions_of_its_hand() -> None:
    record = game("euchre", options={"max_hands": 3})
    tried = 0
    for number, hand in enumerate(record.hands):
        decisions = [one.step for one in decisions_of(record, number) if one.recorded]
        for step in sorted({*range(len(hand.actions))} - {*decisions}):
            near = [*[one for one in decisions if one < step][-1:], *[one for one in decisions if one > step][:1]]
            named = f"; the nearest decisions are at step {' and step '.join(map(str, near))}$"
            with pytest.raises(ReplayError, match=rf"had no choice at step {step}: it could only .*{named}"):
                position_at(record, number, step)
            tried += 1
    assert tried > len(record.hands) > 1


def test_a_hand_that_was_not_played_has_no_decisions() -> None:
    record = read((GAMES / "buck/hand-scored.toml").read_text(encoding="utf-8"))
    with pytest.raises(ReplayError, match="there is no hand 1; it has hands 0 to 0"):
        decisions_of(record, 1)
