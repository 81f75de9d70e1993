"""What a person is shown follows from the deal and the actions that are told, in every variant."""

from __future__ import annotations

import random

import pytest

from bowerbird.engine import EngineError, Game, new_game, variant_names
from bowerbird.harness.records.values.game_record import FaultRecord
from bowerbird.harness.records.values.live import LiveAction, LiveSteps
from tests.support.followed_games import GAME, followed, follower_of

HANDS = 4
SEEDS = range(3)


def _new_game(variant: str, seed: int) -> Game:
    return new_game(variant, {"max_hands": HANDS}, seed=random.Random(seed).randbytes(32))


@pytest.mark.parametrize("variant", variant_names())
def test_a_seat_can_follow_every_hand(variant: str) -> None:
    for seed in SEEDS:
        game = _new_game(variant, seed)
        _, shown, _ = followed(game, seed % game.players, random.Random(seed))
        ends = [frame for frame in shown if frame.kind == "end"]
        assert [tuple(seat.score for seat in frame.seats) for frame in ends] == [done.scores for done in game.results]


@pytest.mark.parametrize("variant", variant_names())
def test_hands_that_are_turned_over_are_those_that_were_dealt(variant: str) -> None:
    for seed in SEEDS:
        game = _new_game(variant, seed)
        follower, _, dealt = followed(game, seed % game.players, random.Random(seed))
        assert len(follower.open_frames) == len(game.results)
        for number, frames in enumerate(follower.open_frames):
            for seat, cards in zip(frames[0].seats, dealt[number], strict=True):
                assert {*seat.cards, *seat.laid} == {*cards, *seat.laid}


@pytest.mark.parametrize("variant", ["euchre", "two-handed-extra-hands", "bid-102", "seven-handed"])
def test_frames_of_the_seat_show_no_card_of_another_hand(variant: str) -> None:
    game = _new_game(variant, 1)
    _, shown, _ = followed(game, 0, random.Random(1))
    for frame in shown:
        assert not [seat.cards for seat in frame.seats[1:] if seat.cards], f"{frame.said}: cards of another seat"
        assert not [pile.cards for pile in frame.piles if pile.cards], f"{frame.said}: cards of a pile"


def test_a_fault_is_shown_before_the_action_that_the_referee_made() -> None:
    game = _new_game("euchre", 3)
    follower = follower_of(game, 0)
    seat, action = game.actor, game.legal_actions()[0]
    fault = FaultRecord(0, 0, int(seat or 0), "TIMEOUT", 1000, 1003, "")
    frames = follower.take(LiveSteps(GAME, (LiveAction(f"{seat} {action.token}", 1000, False, True),), (fault,)))
    assert [frame.kind for frame in frames] == ["fault", "action"]


@pytest.mark.parametrize("told", ["0 play Jc", "9 pass", "1 nonsense", ""])
def test_what_cannot_be_is_refused(told: str) -> None:
    follower = follower_of(_new_game("euchre", 3), 0)
    with pytest.raises(EngineError, match="was told, and cannot be played"):
        follower.take(LiveSteps(GAME, (LiveAction(told, 0, False, False),)))
