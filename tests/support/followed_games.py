"""Games that are played at random and told to a follower, action by action."""

from __future__ import annotations

import random

from bowerbird.engine import Game
from bowerbird.harness.extras.play.person_game import Follower
from bowerbird.harness.records.replay.frames import Frame
from bowerbird.harness.records.values.game_record import TimeControl
from bowerbird.harness.records.values.live import LiveAction, LiveSteps

GAME = "4f1c9a7be2/euchre-0/ann+bob/6/0"


def follower_of(game: Game, seat: int) -> Follower:
    return Follower(game, seat, [f"bot{number}" for number in range(game.players)], TimeControl())


def followed(
    game: Game, seat: int, rng: random.Random
) -> tuple[Follower, list[Frame], list[tuple[tuple[str, ...], ...]]]:
    """Play a game at random and tell each action. Return the follower, its frames, and the hands dealt, by seat."""
    follower = follower_of(game, seat)
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
