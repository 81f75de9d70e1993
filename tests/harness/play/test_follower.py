"""What a person is shown follows from what the seat is told and the packs, in every variant."""

from __future__ import annotations

import random

import pytest

from engine import Game, new_game, variant_names
from harness.play.follower import Follower, LostTrackError
from harness.records.values.game_record import TimeControl

HANDS = 6
SEEDS = range(8)


def _new_game(variant: str, seed: int) -> Game:
    return new_game(variant, {"max_hands": HANDS}, seed=random.Random(seed).randbytes(32))


def _followed(game: Game, seat: int, rng: random.Random) -> tuple[Follower, list[tuple[tuple[str, ...], ...]]]:
    """Play a game at random and follow it as `seat` does. Return the follower and the hands dealt, by hand and seat."""
    follower = Follower(game, seat, [f"bot{number}" for number in range(game.players)], TimeControl())
    dealt = [tuple(game.view(each).hand for each in range(game.players))]
    while game.actor is not None:
        legal = game.legal_actions()
        action = rng.choice(legal)
        if game.actor == seat and len(legal) > 1:
            follower.decision(game.view(seat))
            follower.chosen(action.token)
        hands = len(game.results)
        game.apply(action)
        if len(game.results) > hands:
            follower.hand_ended(game.results[-1].history, game.results[-1].scores)
            dealt.append(tuple(game.view(each).hand for each in range(game.players)))
    return follower, dealt


@pytest.mark.parametrize("variant", variant_names())
def test_a_seat_can_follow_every_hand(variant: str) -> None:
    for seed in SEEDS:
        game = _new_game(variant, seed)
        follower, _ = _followed(game, seed % game.players, random.Random(seed))
        ends = [frame for frame in follower.frames if frame.kind == "end"]
        assert [tuple(seat.score for seat in frame.seats) for frame in ends] == [done.scores for done in game.results]


@pytest.mark.parametrize("variant", variant_names())
def test_hands_that_are_turned_over_are_those_that_were_dealt(variant: str) -> None:
    for seed in SEEDS:
        game = _new_game(variant, seed)
        follower, dealt = _followed(game, seed % game.players, random.Random(seed))
        assert len(follower.open_frames) == len(game.results)
        for number, frames in enumerate(follower.open_frames):
            if not any(name == "redeals" for name, _ in frames[-1].facts):
                for seat, cards in zip(frames[0].seats, dealt[number], strict=True):
                    assert {*seat.cards, *seat.laid} == {*cards, *seat.laid}


@pytest.mark.parametrize("variant", ["euchre", "two-handed-extra-hands", "bid-102", "seven-handed"])
def test_frames_of_the_seat_show_no_card_of_another_hand(variant: str) -> None:
    game = _new_game(variant, 1)
    follower, _ = _followed(game, 0, random.Random(1))
    for frame in follower.frames:
        assert not [seat.cards for seat in frame.seats[1:] if seat.cards], f"{frame.said}: cards of another seat"
        assert not [pile.cards for pile in frame.piles if pile.cards], f"{frame.said}: cards of a pile"


def test_what_cannot_be_is_refused() -> None:
    game = _new_game("euchre", 3)
    follower = Follower(game, 0, ["a", "b", "c", "d"], TimeControl())
    while game.actor != 0 or len(game.legal_actions()) < 2:
        game.apply(game.legal_actions()[0])
    view = game.view(0)
    with pytest.raises(LostTrackError):
        follower.decision(view._replace(hand=view.hand[1:]))
