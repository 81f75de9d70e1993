"""Finds what would have changed the order of the bots: neighbours by result, and why the lower one is behind. Pure.

A mistake costs the side that makes it, and its opponents gain. So without it one bot wins more and its opponents less,
by the same parts as in `par` (`SideHand`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from bowerbird.harness.extras.analysis.game_analysis import THOUSAND, Decision
from bowerbird.harness.extras.analysis.profile import Figures, Habit, Profile
from bowerbird.harness.extras.analysis.screen import habit_of, shown_habits


def order_in_words(figures: Figures, found: Sequence[Profile]) -> Iterator[str]:
    """Yield a sentence for each pair of neighbours in points per hand."""
    ranked = sorted((one for one in found if one.deals), key=lambda one: -_points(one))
    for better, worse in pairwise(ranked):
        gap = _points(better) - _points(worse)
        yield f"{worse.bot} is {gap:.2f} points a hand behind {better.bot}. {_without(figures, better, worse, gap)}"


def _without(figures: Figures, better: Profile, worse: Profile, gap: float) -> str:
    """Return which of the lower bot's habits are the reason, or that its mistakes are not."""
    habits = shown_habits(worse)
    for number in range(1, len(habits) + 1):
        closed = closing(figures, better, worse, habits[:number])
        if closed > gap:
            return f"Without {_in_words(habits[:number])} it would be {closed - gap:.2f} ahead."
    closed = closing(figures, better, worse)
    if closed > gap:
        return f"Without any mistake it would be {closed - gap:.2f} ahead, but not just without its costliest habits."
    return f"Without any mistake it would still be {gap - closed:.2f} behind."


def _in_words(habits: Sequence[Habit]) -> str:
    if len(habits) == 1:
        return f"one habit ({habit_of(habits[0])})"
    return f"its {len(habits)} costliest habits ({'; '.join(map(habit_of, habits))})"


def closing(figures: Figures, better: Profile, worse: Profile, habits: Collection[Habit] | None = None) -> float:
    """Return how much closer the lower bot would be without these habits, in points per hand.

    None stands for all losses.
    """
    names = None if habits is None else {(one.stage, one.did, one.better) for one in habits}
    more: defaultdict[str, float] = defaultdict(float)
    for game in figures.values():
        lost: defaultdict[int, Counter[int]] = defaultdict(Counter)
        side_of = {(one.hand, one.seat): one.side for one in game.hands}
        for made in game.decisions:
            if made.bot == worse.bot and (names is None or _habit(made) in names) and (made.hand, made.seat) in side_of:
                lost[made.hand][side_of[made.hand, made.seat]] += made.loss
        sides = len({one.side for one in game.hands})
        for hand, side, bot in {(one.hand, one.side, one.bot) for one in game.hands}:
            own = lost[hand][side]
            more[bot] += own - (lost[hand].total() - own) / (sides - 1)
    return (more[worse.bot] / worse.deals - more[better.bot] / better.deals) / THOUSAND


def _habit(made: Decision) -> tuple[str, str, str] | None:
    return None if made.token == made.best else (made.stage, made.did, made.better)


def _points(one: Profile) -> float:
    return one.par.result / one.deals / THOUSAND
