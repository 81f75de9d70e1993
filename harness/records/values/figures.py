"""Figures: named numbers that a bot reports about a decision, such as its cost.

They are the bot's own claims, and are in the first line of its note: `figures: question_tokens=1200 cost=0.0014`
(protocol.md, Figures).

The names mean nothing to Bowerbird; it adds up figures with equal names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from bowerbird.engine import counted
from bowerbird.harness.records.quoting import shown

MOST_FIGURES = 12
"""Figures of one decision."""

_MARK = "figures: "
_FIGURE = r"[a-z][a-z0-9_]{0,31}=-?[0-9]{1,15}(?:\.[0-9]{1,12})?"
_LINE = re.compile(rf"{_MARK}({_FIGURE}(?: {_FIGURE}){{0,{MOST_FIGURES - 1}}})(?:\n|\Z)")


def split_figures(text: str) -> tuple[dict[str, Fraction], str]:
    """Return the figures in a note, and the text below them. A first line in any other form is text.

    Fractions add up exactly, in any order. If a name occurs twice, the last one counts.
    """
    found = _LINE.match(text)
    if found is None:
        return {}, text
    pairs = (pair.partition("=") for pair in found[1].split(" "))
    return {name: Fraction(value) for name, _, value in pairs}, text[found.end() :]


def figures_line(text: str) -> str:
    """Return the first line of a note if it has figures, "" otherwise."""
    found = _LINE.match(text)
    return found[0].rstrip("\n") if found else ""


def note_words(text: str) -> str:
    """Return a note in the form shown to people: its text, then the figures as the bot's claims."""
    figures, below = split_figures(text)
    if not figures:
        return text
    claimed = "it reports " + ", ".join(f"{name} {number_words(value)}" for name, value in figures.items())
    return f"{below} ({claimed})" if below else claimed


def number_words(value: Fraction) -> str:
    """Return a number for people: `1,200`, `0.0014`."""
    if value.denominator == 1:
        return f"{value.numerator:,}"
    size = abs(float(value))
    return f"{float(value):,.2f}" if size >= 100 else f"{float(value):.4g}" if size >= 0.0001 else f"{float(value):.2g}"


@dataclass(frozen=True, slots=True)
class FigureSum:
    """A bot's figures with the same name: their sum, and the number of decisions that have one."""

    bot: str
    name: str
    decisions: int
    total: float

    @property
    def exact(self) -> Fraction:
        """The sum, with the precision of the reports: a figure has at most 12 decimals."""
        return Fraction(self.total).limit_denominator(10**12)

    @property
    def mean(self) -> Fraction:
        """The mean over its decisions."""
        return self.exact / self.decisions


def summed(reported: Iterable[tuple[str, str]]) -> list[FigureSum]:
    """Return the sums of figures, by bot and name in order. reported: the bot and the note of each decision."""
    totals: dict[tuple[str, str], tuple[int, Fraction]] = {}
    for bot, text in reported:
        for name, value in split_figures(text)[0].items():
            decisions, total = totals.get((bot, name), (0, Fraction()))
            totals[bot, name] = (decisions + 1, total + value)
    return _sums(totals)


def _sums(totals: Mapping[tuple[str, str], tuple[int, Fraction]]) -> list[FigureSum]:
    return [FigureSum(*key, decisions, float(total)) for key, (decisions, total) in sorted(totals.items())]


def merged(sums: Iterable[Iterable[FigureSum]]) -> list[FigureSum]:
    """Return the sums over several runs, by bot and name in order."""
    totals: dict[tuple[str, str], tuple[int, Fraction]] = {}
    for one in chain.from_iterable(sums):
        decisions, total = totals.get((one.bot, one.name), (0, Fraction()))
        totals[one.bot, one.name] = (decisions + one.decisions, total + one.exact)
    return _sums(totals)


def claim_lines(sums: Iterable[FigureSum]) -> list[str]:
    """Return a line for each bot that reported figures: each figure's sum, and its mean over the decisions that have
    it.

    If some of those decisions lack a figure, the number that have it is added, as in `fallback 3 in 3`.
    """
    by_bot: dict[str, list[FigureSum]] = {}
    for one in sums:
        by_bot.setdefault(one.bot, []).append(one)
    return [_claim_line(bot, found) for bot, found in by_bot.items()]


def _claim_line(bot: str, sums: Sequence[FigureSum]) -> str:
    most = max(one.decisions for one in sums)
    parts = []
    for one in sums:
        where = f"{number_words(one.mean)} each" if one.decisions == most else f"in {one.decisions:,}"
        parts.append(f"{one.name} {number_words(one.exact)} ({where})")
    return f"{shown(bot)} claims of {counted(most, 'decision')}: {', '.join(parts)}"
