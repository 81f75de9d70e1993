"""Results of games for the tests of the ratings: made by hand, or by chance with known strengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from harness.records.rows import GameResult
from harness.records.run import GameId

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
    """A game by seat, each for himself unless `sides` says otherwise."""
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


def mirrored(number: int, one: str, other: str, wins: Sequence[float], **how: str) -> list[GameResult]:
    """A set of two games; `wins` are those of `one` in each rotation: 1, 1/2, 0."""
    ranks = {1: (1, 2), 0.5: (1, 1), 0: (2, 1)}
    first, second = ranks[wins[0]], ranks[wins[1]][::-1]
    return [
        game((one, other), first, number=number, rotation=0, **how),
        game((other, one), second, number=number, rotation=1, **how),
    ]


def series(sets: int, wins: Callable[[int], Sequence[float]], one: str = "a", other: str = "b") -> list[GameResult]:
    """So many mirrored sets of two bots; `wins` gives those of `one` by the number of the set."""
    return [each for number in range(sets) for each in mirrored(number, one, other, wins(number))]


def tournament(
    rng: np.random.Generator, strengths: Sequence[float], sets: int, *, luck: float, rotated: bool = True
) -> list[GameResult]:
    """Sets of as many games as there are bots, a bot at each seat: performance decides, the best comes first.

    Performance is strength + a seat's advantage + `luck` of the seat's cards, which rotations share, + chance.
    Without `rotated` every game has cards of its own, as in independent deals.
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
