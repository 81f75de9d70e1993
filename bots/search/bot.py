"""What a searching bot is beside its search: knobs, and the rules of thumb kept for each kind of table."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence

from bots.search.habits import Habits
from bots.search.thought import Clock, Thought
from engine import Action, SeatView
from harness.sdk import Bot, Decision

Search = Callable[[SeatView, Habits, Clock, random.Random], Action]
"""Chooses a legal action of a view while the clock says that there is more time; draws from the random numbers."""


class SearchingBot(Bot):
    """Plays by a search. All that lasts from one decision to the next is what habits have worked out."""

    def __init__(self, search: Search, thought: Thought) -> None:
        """With a search and a limit to each of its decisions."""
        self._search = search
        self._thought = thought
        self._habits: dict[object, Habits] = {}

    def act(self, decision: Decision) -> Action:
        """Think as long as the knobs and the referee's budget allow."""
        clock = self._thought.begin(decision.budget_ms)
        view = decision.view
        kind = (view.variant, view.options)
        habits = self._habits.get(kind)
        if habits is None:
            habits = self._habits[kind] = Habits(view.variant, view.options)
        return self._search(view, habits, clock, decision.table.rng)


def thought_from(arguments: Sequence[str], program: str) -> Thought:
    """The limits that a command line asks for; ends the program with a usage line when it cannot be read."""
    least = Thought()
    parser = argparse.ArgumentParser(prog=program, description="A bot that searches; bowerbird starts it.")
    parser.add_argument("--seconds", type=_positive, default=least.seconds, help="for one decision (%(default)s)")
    parser.add_argument("--worlds", type=_count, default=least.worlds, help="looked at for one decision (%(default)s)")
    asked = parser.parse_args(arguments)
    return Thought(asked.seconds, asked.worlds)


def _positive(text: str) -> float:
    value = float(text)
    if not 0.0 < value < 3600.0:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1")
    return value
