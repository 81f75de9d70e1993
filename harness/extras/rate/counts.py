"""Estimates one player's strength over another from counts: won, lost, drawn, or the five results of a pair of games.

Input: counts, without their order. Output: `CountedStrength`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bowerbird.harness.ratings.pairs import RatingError
from bowerbird.harness.ratings.sequential.set_values import SetValue
from bowerbird.harness.ratings.sequential.sprt import Hypotheses, Strength, ratio_of_counts, strength_of

WLD, PENTA = "--wld", "--penta"
VALUES = {
    WLD: (Fraction(1, 2), Fraction(-1, 2), Fraction(0)),
    PENTA: tuple(Fraction(quarters, 4) - Fraction(1, 2) for quarters in range(5)),
}
"""The value of each count by form: the score of the first player minus 1/2."""

GAMES = {WLD: 1, PENTA: 2}
"""How many games each result stands for."""

MOST_RESULTS = 10_000_000


@dataclass(frozen=True, slots=True)
class CountedStrength:
    """The strength from counts: the games and results, the estimates, and the likelihood ratio of the two hypotheses.

    `strength` is None with fewer than two results or if all are equal. `llr` is the value after all results. A test
    that was checked all along may have ended earlier.
    """

    results: int
    games: int
    score: float
    strength: Strength | None
    llr: float


def read_counts(form: str, text: str) -> list[int]:
    """Parse counts such as `365,16618,36229,16974,390`.

    Raises RatingError unless they are the right number of whole numbers.
    """
    parts = text.replace(",", " ").split()
    wanted = len(VALUES[form])
    if len(parts) != wanted or not all(part.isascii() and part.isdigit() for part in parts):
        what = "won,lost,drawn" if form == WLD else "lost both, lost and drawn, level, drawn and won, won both"
        raise RatingError(f"{form}: got {text!r}; must be {wanted} whole numbers ({what})")
    counts = [int(part) for part in parts]
    if not 0 < sum(counts) <= MOST_RESULTS:
        raise RatingError(f"{form}: got {sum(counts):,} results; must be from 1 to {MOST_RESULTS:,}")
    return counts


def strength_of_counts(form: str, counts: Sequence[int], hypotheses: Hypotheses) -> CountedStrength:
    """Return the strength from the counts of a form, WLD or PENTA."""
    values, games = VALUES[form], GAMES[form]
    each = [SetValue(value, games) for value, count in zip(values, counts, strict=True) for _ in range(count)]
    score = sum((value * count for value, count in zip(values, counts, strict=True)), Fraction()) / len(each)
    return CountedStrength(
        results=len(each),
        games=len(each) * games,
        score=float(score) + 0.5,
        strength=strength_of(each),
        llr=ratio_of_counts(dict(zip(values, counts, strict=True)), games, hypotheses),
    )
