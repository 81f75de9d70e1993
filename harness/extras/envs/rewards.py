"""Rewards: by how much a seat is ahead of its opponents, in the points of each hand or in the result of the game.

A seat's opponents are the seats of other teams or, in variants without teams, all others. The rewards of all seats sum
to zero.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, get_args

from bowerbird.engine import EngineError, Game, Rules, did_you_mean, known_are

Reward = Literal["hand", "game"]
"""hand: points after each hand. game: 1 to -1 at the end of the game, 0 before it."""

REWARDS: tuple[str, ...] = get_args(Reward)


class RewardError(EngineError, ValueError):
    """A name is not one of REWARDS."""


def check_reward(reward: str) -> None:
    """Raise RewardError unless `reward` is "hand" or "game"."""
    if reward not in REWARDS:
        raise RewardError(f"unknown reward {reward!r}{did_you_mean(reward, REWARDS) or known_are(REWARDS)}")


def of_hand(rules: Rules, points: tuple[int, ...]) -> tuple[float, ...]:
    """Return the rewards by seat for the points of a hand: a seat's points minus the mean points of its opponents.

    If fewer points are better, losing a point counts as winning one.
    """
    margins = _margins(rules.sides, points)
    return margins if rules.better == "high" else tuple([-margin for margin in margins])


def of_game(game: Game) -> tuple[float, ...]:
    """Return the rewards by seat of a finished game: the mean over a seat's opponents of 1, 0 or -1.

    An opponent counts 1 if the seat has a better rank, 0 for the same rank and -1 for a worse one.
    """
    ranks = game.ranks
    return tuple(
        sum((ranks[other] > ranks[seat]) - (ranks[other] < ranks[seat]) for other in others) / len(others)
        for seat, others in enumerate(_against(game.rules.sides))
    )


@lru_cache(maxsize=4096)
def _margins(sides: tuple[int, ...], points: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(
        points[seat] - sum(points[other] for other in others) / len(others)
        for seat, others in enumerate(_against(sides))
    )


@lru_cache(maxsize=64)
def _against(sides: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the seats of other sides for each seat."""
    return tuple(tuple(other for other, side in enumerate(sides) if side != own) for own in sides)
