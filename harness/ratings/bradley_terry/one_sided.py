"""Bounds of differences between groups of bots whose results against each other all point the same way.

No finite rating fits a perfect score. The bound is the smallest superiority at which a result this clear still has a
probability of 2.5%: the finite end of a 95% interval. Each deal set counts once, regardless of its number of games,
because its games share their cards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from harness.ratings.bradley_terry.connectivity import Edges, reach
from harness.ratings.bradley_terry.likelihood import log_sigmoid
from harness.ratings.bradley_terry.observations import Observations, SeatKey
from harness.ratings.estimate import LEVEL
from harness.ratings.pairs import Pair

CHANCE = (1 - LEVEL) / 2
FARTHEST = 60.0
"""The search for a bound stops at this many logits."""


class OneSided:
    """The order and the bounds between the groups of a fit; in logits, within a group relative to its reference bot."""

    def __init__(
        self,
        data: Observations,
        *,
        groups: Sequence[Sequence[str]],
        basis: Sequence[str],
        strengths: Mapping[str, float],
        advantages: Mapping[SeatKey, float],
        edges: Edges,
    ) -> None:
        """Find the bound of every group relative to `basis`, the group with finite ratings."""
        self._data = data
        self._group = {bot: number for number, group in enumerate(groups) for bot in group}
        self._strengths = strengths
        self._advantages = advantages
        self._below = {bot: reach(edges, bot) for bot in edges}
        self._crossing = [number for number, (_, pair) in enumerate(data.patterns) if len(self._groups_of(pair)) > 1]
        self._shifts: dict[int, float | None] = {self._group[bot]: 0.0 for bot in basis[:1]}
        if basis:
            self._place_all([group[0] for group in groups], basis[0])

    def place(self, bot: str) -> tuple[int, float | None]:
        """Return (1, bound) above the basis, (-1, bound) below it, (0, None) if the results leave it open."""
        group = self._group[bot]
        if group not in self._shifts:
            return 0, None
        base = next(other for other, number in self._group.items() if self._shifts.get(number) == 0.0)
        shift = self._shifts[group]
        return self._order(bot, base), None if shift is None else shift + self._strengths[bot]

    def difference(self, bot: str, other: str) -> tuple[int, float | None, float]:
        """Compare two bots of different groups.

        Return which is stronger (1, -1, 0), the bound of the difference, and its doubt: the probability of these
        results between equal bots.
        """
        side = self._order(bot, other)
        one, two = self._group[bot], self._group[other]
        met = self._met(one, {two: 0.0})
        if not side or not met:
            return side, None, 0.5
        offset = self._strengths[bot] - self._strengths[other]
        bound = self._bound(met, one, {two: 0.0}, side)
        return side, None if bound is None else bound + offset, math.exp(self._chance(met, one, {two: 0.0}, -offset))

    def _order(self, bot: str, other: str) -> int:
        return int(other in self._below[bot]) - int(bot in self._below[other])

    def _place_all(self, firsts: Sequence[str], base: str) -> None:
        """Find the bound of every group, the nearest to the basis first: farther bounds build on nearer ones."""
        by_reach = sorted(firsts, key=lambda bot: (len(self._below[bot]), bot))
        above = [bot for bot in by_reach if self._order(bot, base) > 0]
        below = [bot for bot in reversed(by_reach) if self._order(bot, base) < 0]
        for side, firsts_of in ((1, above), (-1, below)):
            placed: dict[int, float] = {self._group[base]: 0.0}
            for bot in firsts_of:
                group = self._group[bot]
                met = self._met(group, placed)
                bound = self._bound(met, group, placed, side) if met else None
                self._shifts[group] = bound
                if bound is not None:
                    placed[group] = bound

    def _groups_of(self, pair: Pair) -> dict[int, float]:
        """Return by group its share in d."""
        shares: dict[int, float] = {}
        for sign, bots in ((1.0, pair.bots), (-1.0, pair.other_bots)):
            for bot in bots:
                group = self._group[bot]
                shares[group] = shares.get(group, 0.0) + sign / len(bots)
        return {group: share for group, share in shares.items() if abs(share) > 1e-12}

    def _met(self, group: int, others: Mapping[int, float]) -> list[int]:
        """Return the patterns in which a group met groups of `others` alone."""
        return [
            number
            for number in self._crossing
            if group in (shares := self._groups_of(self._data.patterns[number][1])) and set(shares) <= {group, *others}
        ]

    def _bound(self, met: Sequence[int], group: int, others: Mapping[int, float], side: int) -> float | None:
        """Return the shift of a group at which its results have the probability CHANCE; None if beyond FARTHEST."""
        from scipy.optimize import brentq

        def excess(shift: float) -> float:
            return self._chance(met, group, others, side * shift) - math.log(CHANCE)

        if excess(-FARTHEST) > 0 or excess(FARTHEST) < 0:
            return None
        return side * float(brentq(excess, -FARTHEST, FARTHEST, xtol=1e-12))

    def _chance(self, met: Sequence[int], group: int, others: Mapping[int, float], shift: float) -> float:
        """Return the log-probability of the results of a group at this shift."""
        data = self._data
        weights = np.array([pair.weight for _, pair in data.patterns])
        chosen = np.isin(data.pattern, met)
        each = (data.count * weights[data.pattern])[chosen]
        kind = data.kind[chosen]
        total = np.bincount(kind, weights=each, minlength=len(data.sets))
        share = np.bincount(
            data.pattern[chosen], weights=each / total[kind] * data.sets[kind], minlength=len(data.patterns)
        )
        shifts = {**others, group: shift}
        d = np.array([self._won_by(data.patterns[number], shifts) for number in met])
        return float(np.sum(share[list(met)] * log_sigmoid(d)))

    def _won_by(self, pattern: tuple[str, Pair], shifts: Mapping[int, float]) -> float:
        """Return d of a pair, seen from the side that won it."""
        variant, pair = pattern
        d = 0.0
        for sign, seats, bots in ((1.0, pair.seats, pair.bots), (-1.0, pair.others, pair.other_bots)):
            for seat, bot in zip(seats, bots, strict=True):
                advantage = self._advantages.get((variant, pair.players, seat), 0.0)
                d += sign * (self._strengths[bot] + shifts[self._group[bot]] + advantage) / len(bots)
        return d if pair.outcome > 0.5 else -d
