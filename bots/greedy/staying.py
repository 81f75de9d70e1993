"""Staying in a hand or dropping out of it (B5)."""

from __future__ import annotations

from bots.greedy.situation import Situation
from bots.greedy.strength import value
from engine import Action

FEWER = {1: 1.1, 2: 0.4}
"""By number of opponents, how much stronger a hand must be: the fewer, the more of the missing trumps the maker has."""


def stay_or_drop(s: Situation) -> Action:
    """Stay when a trick is likely enough: none costs five points, each one counts a single point."""
    stay, drop = s.view.legal
    needed = s.temper.stay + FEWER.get(len(s.foes), 0.0)
    return stay if value(s, s.view.trump, s.hand) >= needed else drop
