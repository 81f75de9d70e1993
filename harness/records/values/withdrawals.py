"""Bots that were withdrawn from a run, and the games that were not played without them (faults.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bowerbird.engine import counted
from bowerbird.harness.records.values.faults import NEVER_STARTED


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A bot that was withdrawn while games of it were left, or by hand.

    kind: the kind of the fault that led to it.
    faults: how many faults it had; 0 if unknown.
    unplayed: games that it missed.
    by, why: who took it out of the run, and the reason; "" if its faults did.
    annulled: how many of its deal sets do not count because of that decision.
    """

    bot: str
    kind: str
    faults: int
    unplayed: int
    by: str = ""
    why: str = ""
    annulled: int = 0

    @property
    def sentence(self) -> str:
        """The withdrawal as a sentence: `crash was withdrawn after its 6th fault: 34 games not played`."""
        missed = f"{counted(self.unplayed, 'game')} not played"
        if self.by:
            annulled = f", {counted(self.annulled, 'deal set')} annulled" if self.annulled else ""
            return f"{self.bot} was withdrawn by {self.by} ({self.why}): {missed}{annulled}"
        if self.kind == NEVER_STARTED and self.faults <= 1:
            return f"{self.bot} never started and was withdrawn: {missed}"
        after = f" after its {ordinal(self.faults)} fault" if self.faults else ""
        return f"{self.bot} was withdrawn{after}: {missed}"


def ordinal(number: int) -> str:
    """Return `1st`, `2nd`, `3rd`, `4th`, `11th`."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


FEW = 3
"""How many withdrawals are spelled out if there is little room; the others are counted."""


def withdrawal_lines(withdrawals: Iterable[Withdrawal], most: int | None = None) -> list[str]:
    """Return a sentence for each withdrawal, at most `most`; a last line counts the others."""
    sentences = [one.sentence for one in withdrawals]
    if most is None or len(sentences) <= most:
        return sentences
    more = counted(len(sentences) - most, "more bot")
    return [*sentences[:most], f"{more} were withdrawn"]
