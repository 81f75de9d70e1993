"""The cost of one seat's decisions, for a person to see right after a hand. Nothing is stored.

Each decision is judged from what the seat knew, so it reveals nothing about cards that are still hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from bowerbird.bots.champion.judging import Judge
from bowerbird.engine import OptionValue
from bowerbird.harness.extras.analysis.analysing import WORLDS
from bowerbird.harness.extras.analysis.game_analysis import THOUSAND, judged_steps
from bowerbird.harness.extras.analysis.marks import bars
from bowerbird.harness.extras.analysis.profile import SURE_ERRORS, Mistake
from bowerbird.harness.records.replay.replay import Step
from bowerbird.harness.report.marks import Lesson


def lessons_of(
    variant: str, options: Mapping[str, OptionValue], steps: Sequence[Step], seat: int
) -> list[Lesson] | None:
    """Return the cost of each decision of a seat in a hand, in order of play and without those that had no choice.

    Return None if champion has no networks for these options.
    """
    judge = _judge(variant, tuple(sorted(options.items())))
    if judge is None:
        return None
    own = [step for step in steps if step.seat == seat]
    return [
        Lesson(
            hand=one.hand,
            action=one.step,
            token=one.token,
            better=one.best,
            points=one.loss / THOUSAND,
            reach=SURE_ERRORS * one.error / THOUSAND,
            is_mistake=Mistake("", one).is_sure,
            values=bars(one),
        )
        for one in judged_steps(own, judge, "lessons", [""] * (seat + 1))
    ]


@lru_cache(maxsize=1)
def _judge(variant: str, options: tuple[tuple[str, OptionValue], ...]) -> Judge | None:
    return Judge.of(variant, dict(options), WORLDS)
