"""What a person is shown follows from the deal and the actions that are told, in every variant."""

from __future__ import annotations

import random

import pytest

from bowerbird.engine import EngineError, Game, new_game, variant_names
from bowerbird.harness.extras.play.follower import Follower
from bowerbird.harness.records.replay.frames import Frame
from bowerbird.harness.records.values.game_record import FaultRecord, TimeControl
from bowerbird.harness.records.values.live import LiveAction, LiveSteps

HANDS = 4
SEEDS = range(3)
GAME = "4f1c9a7be2/euchre-0/ann+bob/6/0"


def _new_game(variant: str, seed: int) -> Game:
    return new_game(variant, {"max_hands": HANDS}, seed=random.Random(seed).randbytes(32))


def _follower(game: Game, seat: int) -> Follower:
    return Follower(game, seat, [f"bot{number}" for number in range(game.players)], TimeControl())


def _followed(
    game: Game, seat: int, rng: random.Random
) -> tuple[Follower, list[Frame], list[tuple[tuple[str, ...], ...]]]:
    """Play a game at random and tell each action. Return the follower, its frames, and the hands dealt, by seat."""
    follower = _follower(game, seat)
    shown = [follower.deal()]
    dealt = [tuple(game.view(each).hand for each in range(game.players))]
    while (actor := game.actor) is not None:
        action = rng.choice(game.legal_actions())
        hands = len(game.results)
        game.apply(action)
        shown += follower.take(LiveSteps(GAME, (LiveAction(f"{actor} {action.token}", 5, False, False),)))
        assert follower.game.view(seat) == game.view(seat)
        if len(game.results) > hands:
            dealt.append(tuple(game.view(each).hand for each in range(game.players)))
    return follower, shown, dealt


@pytest.mark.parametrize("variant", variant_names())
def test_a_seat_can_follow_every_hand(variant: str) -> None:
    for seed in SEEDS:
        game = _new_game(variant, seed)
        _, shown, _ = _followed(game, seed % game.players, random.Random(seed))
        ends = [frame for frame in shown if frame.kind == "end"]
        assert [tuple(seat.score for seat in frame.seats) for frame in ends] == [done.scores for done in game.results]


@pytest.mark.parametrize("variant", variant_names())
def test_hands_that_are_turned_over_are_those_that_were_dealt(variant: str) -> None:
    for seed in SEEDS:
        game = _new_game(variant, seed)
        follower, _, dealt = _followed(game, seed % game.players, random.Random(seed))
        assert len(follower.open_frames) == len(game.results)
        for number, frames in enumerate(follower.open_frames):
            for seat, cards in zip(frames[0].seats, dealt[number], strict=True):
                assert {*seat.cards, *seat.laid} == {*cards, *seat.laid}


@pytest.mark.parametrize("variant", ["euchre", "two-handed-extra-hands", "bid-102", "seven-handed"])
def test_frames_of_the_seat_show_no_card_of_another_hand(variant: str) -> None:
    game = _new_game(variant, 1)
    _, shown, _ = _followed(game, 0, random.Random(1))
    for frame in shown:
        assert not [seat.cards for seat in frame.seats[1:] if seat.cards], f"{frame.said}: cards of another seat"
        assert not [pile.cards for pile in frame.piles if pile.cards], f"{frame.said}: cards of a pile"


def test_a_fault_is_shown_before_the_action_that_the_referee_made() -> None:
    game = _new_game("euchre", 3)
    follower = _follower(game, 0)
    seat, action = game.actor, game.legal_actions()[0]
    fault = FaultRecord(0, 0, int(seat or 0), "TIMEOUT", 1000, 1003, "")
    frames = follower.take(LiveSteps(GAME, (LiveAction(f"{seat} {action.token}", 1000, False, True),), (fault,)))
    assert [frame.kind for frame in frames] == ["fault", "action"]


@pytest.mark.parametrize("told", ["0 play Jc", "9 pass", "1 nonsense", ""])
def test_what_cannot_be_is_refused(told: str) -> None:
    follower = _follower(_new_game("euchre", 3), 0)
    with pytest.raises(EngineError, match="was told, and cannot be played"):
        follower.take(LiveSteps(GAME, (LiveAction(told, 0, False, False),)))
