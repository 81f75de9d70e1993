"""From the end of a hand to what it is worth to each seat."""

from __future__ import annotations

import math

from bots.search.habits import Habits
from engine import Game
from engine.cards import Pack
from engine.packs import PackSource
from engine.results import LIMIT

REACH = 0.3
"""A lead of this share of the way to the end of the game wins about three of four."""

WAY = 10
"""The length of a game that names neither a target nor a start."""


class OneHand:
    """Packs for a game that is looked at to the end of its present hand only: later hands are not shuffled."""

    __slots__ = ("_hand", "_source", "finite")

    def __init__(self, hand: int, source: PackSource) -> None:
        """The present hand's number, and where its own packs come from."""
        self.finite = False
        self._hand = hand
        self._source = source

    def shuffled(self, hand: int, shuffle: int, pack: Pack, cards: tuple[int, ...]) -> tuple[int, ...]:
        """See `PackSource`."""
        return self._source.shuffled(hand, shuffle, pack, cards) if hand == self._hand else cards


def cut_short(game: Game) -> Game:
    """The same game, of which nothing counts but the present hand."""
    game.source = OneHand(game.hand_number, game.source)
    return game


def play_out(game: Game, habits: Habits) -> list[float]:
    """Play a game that was cut short to the end of its hand, all by habit; what that is worth by seat."""
    hand = game.hand_number
    while game.hand_number == hand and game.actor is not None:
        game.apply(habits.choose(game))
    return worth(game)


def worth(game: Game) -> list[float]:
    """By seat, the share of the other sides that it may expect to finish ahead of, from 0 to 1.

    That is what a rating counts. When the game is won it is known (half a share for equals); before, and when it was
    stopped after a number of hands (single deals are, and count by points), a difference in score counts by a logistic
    curve whose width is a share (REACH) of the whole way.
    """
    sides = game.rules.sides
    if game.is_over and game.ended != LIMIT:
        merits: list[float] = [-rank for rank in game.ranks]
        width = 0.0
    else:
        sign = 1 if game.rules.better == "high" else -1
        way = game.rules.start or game.options.get("target") or WAY
        assert isinstance(way, int)
        merits = [sign * score for score in game.scores]
        if game.games:
            merits = [merit + way * games for merit, games in zip(merits, game.games, strict=True)]
        width = REACH * way
    return [_ahead(seat, merits, sides, width) for seat in range(len(merits))]


def _ahead(seat: int, merits: list[float], sides: tuple[int, ...], width: float) -> float:
    own = merits[seat]
    total = 0.0
    others = 0
    for other, merit in enumerate(merits):
        if sides[other] != sides[seat]:
            others += 1
            if width:
                total += 1.0 / (1.0 + math.exp((merit - own) / width))
            else:
                total += 0.5 if own == merit else float(own > merit)
    return total / others
