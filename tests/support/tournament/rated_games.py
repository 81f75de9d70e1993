"""Results of games for the tests of the ratings: written, or drawn at random with known strengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import GameId

RUN = "4f1c9a"


def game(
    bots: Sequence[str],
    ranks: Sequence[int],
    *,
    number: int = 0,
    rotation: int = 0,
    lineup: str = "",
    entry: str = "buck-0",
    run: str = RUN,
    sides: tuple[int, ...] | None = None,
    scores: Sequence[int] | None = None,
    offenders: tuple[int, ...] = (),
    rated: bool = True,
) -> GameResult:
    """Return a game; `bots`, `ranks` and `scores` are by seat. Without `sides` every seat is a side of its own."""
    return GameResult(
        id=GameId(run, entry, lineup or "+".join(sorted(bots)), number, rotation),
        variant=entry.rpartition("-")[0],
        bots=tuple(bots),
        sides=sides or tuple(range(len(bots))),
        ranks=tuple(ranks),
        scores=tuple(scores) if scores is not None else (0,) * len(bots),
        offenders=offenders,
        rated=rated,
    )


def mirrored(number: int, one: str, other: str, wins: Sequence[float]) -> list[GameResult]:
    """Return a set of two games; `wins` are the outcomes of `one` by rotation (1, 1/2, 0)."""
    ranks = {1: (1, 2), 0.5: (1, 1), 0: (2, 1)}
    first, second = ranks[wins[0]], ranks[wins[1]][::-1]
    return [
        game((one, other), first, number=number, rotation=0),
        game((other, one), second, number=number, rotation=1),
    ]


def series(sets: int, wins: Callable[[int], Sequence[float]], one: str = "a", other: str = "b") -> list[GameResult]:
    """Return `sets` mirrored sets of two bots; `wins` returns the outcomes of `one` for the number of a set."""
    return [each for number in range(sets) for each in mirrored(number, one, other, wins(number))]


def tournament(
    rng: np.random.Generator, strengths: Sequence[float], sets: int, *, luck: float, rotated: bool = True
) -> list[GameResult]:
    """Return deal sets with one game for each bot, every bot at every seat once; the best performance wins.

    Performance is strength + seat advantage + luck of the seat's cards (standard deviation `luck`) + noise. If
    `rotated`, the games of a set share their cards; otherwise every game has its own.
    """
    players = len(strengths)
    seat = (np.arange(players)[None, :] + np.arange(players)[:, None]) % players  # [rotation, bot]
    cards = rng.normal(0, luck, (sets, 1 if rotated else players, players)) + np.linspace(0, 0.5, players)
    cards = np.broadcast_to(cards, (sets, players, players))
    drawn = np.take_along_axis(cards, np.broadcast_to(seat, cards.shape), axis=2)
    performance = np.asarray(strengths) + drawn + rng.gumbel(0, 1, (sets, players, players))
    ranks = 1 + np.argsort(np.argsort(-performance, axis=2), axis=2)
    at_seat = (np.arange(players)[None, :] - np.arange(players)[:, None]) % players  # [rotation, seat] -> bot
    by_seat = np.take_along_axis(ranks, np.broadcast_to(at_seat, ranks.shape), axis=2).tolist()
    seated = [tuple(f"b{bot}" for bot in row) for row in at_seat.tolist()]
    lineup = "+".join(f"b{bot}" for bot in range(players))
    return [
        game(seated[rotation], by_seat[number][rotation], number=number, rotation=rotation, lineup=lineup)
        for number in range(sets)
        for rotation in range(players)
    ]
