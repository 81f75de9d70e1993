"""Rollouts: plays a hand to its end and returns its value to each seat."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from bowerbird.bots.search.policy import RolloutPolicy
from bowerbird.engine import LIMIT, Game, SeatView

Worth = TypeVar("Worth")

PLAY = "play"
"""The stage in which seats play cards from their hands and must only follow suit."""

LEAD_SCALE = 0.3
"""A lead of this share of the distance to the end of the game wins about three games of four."""

DEFAULT_LENGTH = 10
"""The points to the end of a game with neither a target nor a start."""


class Rollouts(Generic[Worth]):
    """A player of games of one hand to its end.

    Input: a game, which is not changed. Output: its value after the hand. In the play the call is known, so the ends of
    the hand differ only in tricks, and each is scored once.
    """

    def __init__(self, policy: RolloutPolicy, view: SeatView, worth: Callable[[Game], Worth]) -> None:
        """Play games that match `view`, and later ones of the same hand.

        `worth` returns the value of a game after the hand.
        """
        self._policy = policy
        self._hand = view.hand_number
        self._worth = worth
        self._has_call = view.stage == PLAY
        self._worths: dict[tuple[int, ...], Worth] = {}

    def __call__(self, game: Game) -> Worth:
        """Return the value of the game after its hand.

        An action may have ended that hand already, such as the last pass. The next hand reveals nothing about the
        action, so it is not played.
        """
        if not self._has_call or game.hand_number != self._hand or not game.is_plain_play():
            played = game.copy()
            play_out(played, self._policy, self._hand)
            return self._worth(played)
        tricks = tuple(self._policy.tricks(game))
        if tricks not in self._worths:
            played = game.copy()
            played.end_play(tricks)
            self._worths[tricks] = self._worth(played)
        return self._worths[tricks]


def play_out(game: Game, policy: RolloutPolicy, hand: int) -> None:
    """Play `game` by `policy` to the end of the hand with number `hand`. Do nothing if that hand is already over."""
    while game.hand_number == hand and not game.is_over:
        if game.is_plain_play():
            game.end_play(policy.tricks(game))
            return
        game.apply(policy.choose_from(game, game.legal_actions()))


def rewards(game: Game) -> list[float]:
    """Return, for each seat, the share of opposing seats that it can expect to finish ahead of, from 0 to 1.

    Ratings count this share. A game that is won counts by its ranks, with half a share for equal ranks. Any other game
    counts by its scores: a difference goes through a logistic curve whose width is the share LEAD_SCALE of the whole
    distance. That includes a game stopped after a number of hands, since single deals count by points.
    """
    if game.is_over and game.ended != LIMIT:
        merits = [-float(rank) for rank in game.ranks]
        return [_share_ahead(seat, merits, game.rules.sides, 0) for seat in range(len(merits))]
    return _by_scores(game, game.scores)


def expected_rewards(game: Game, scores: Sequence[int], margins: Sequence[float]) -> list[float]:
    """Return the expected rewards by seat from an unfinished hand, if the game continues after it.

    Args:
        game: the game in the middle of a hand.
        scores: the scores before the hand.
        margins: the expected result of the hand for each seat: points above the mean of its opponents. In every variant
            more is better (`bowerbird.envs.vector.hand_rewards`).
    """
    # With n sides, margins are n / (n - 1) times as far apart as the points themselves.
    shrunk = 1 - 1 / len(set(game.rules.sides))
    sign = 1 if game.rules.better == "high" else -1
    return _by_scores(game, [score + sign * shrunk * more for score, more in zip(scores, margins, strict=True)])


def _by_scores(game: Game, scores: Sequence[float]) -> list[float]:
    sign = 1 if game.rules.better == "high" else -1
    length = game.rules.start or game.options.get("target") or DEFAULT_LENGTH
    assert isinstance(length, int)  # both are numbers of points in every variant
    merits = [sign * score for score in scores]
    if game.games:
        merits = [merit + length * games for merit, games in zip(merits, game.games, strict=True)]
    return [_share_ahead(seat, merits, game.rules.sides, LEAD_SCALE * length) for seat in range(len(merits))]


def _share_ahead(seat: int, merits: Sequence[float], sides: tuple[int, ...], width: float) -> float:
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
