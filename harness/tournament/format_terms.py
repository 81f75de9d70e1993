"""What a tournament file says about its format: who meets whom, and until when (CLI.md, tournament.toml)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.ratings.measures import SCORE

ROUND_ROBIN, GAUNTLET, SWISS, KNOCKOUT = "round-robin", "gauntlet", "swiss", "knockout"
FORMATS = (ROUND_ROBIN, GAUNTLET, SWISS, KNOCKOUT)
PAIRED = (SWISS, KNOCKOUT)
"""The formats in which two entrants meet at a table, and who meets whom follows from results."""

FILE, DRAW, RATING = "file", "draw", "rating"
SEEDINGS = (FILE, DRAW, RATING)


@dataclass(frozen=True, slots=True)
class FormatTerms:
    """The format and its own keys.

    `challengers` meet the others in a gauntlet. `rounds` are those of a Swiss tournament. `seeds` are the bots from the
    best to the last in the formats that pair them; empty where a lot decides.
    """

    name: str = ROUND_ROBIN
    challengers: tuple[str, ...] = ()
    rounds: int = 0
    seeding: str = FILE
    seeds: tuple[str, ...] = ()


def by_rating(bots: Sequence[str], ratings: Sequence[int]) -> tuple[str, ...]:
    """The bots from the best rating to the lowest; of equals the one that is listed first."""
    order = sorted(range(len(bots)), key=lambda place: (-ratings[place], place))
    return tuple(bots[place] for place in order)


LOGISTIC, NORMALISED = "logistic", "normalised"
SCALES = (LOGISTIC, NORMALISED)
MOST_SETS = 100_000
"""How many deal sets a line-up can have; a tournament that stops by another rule has so many at most."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of one bot against another: is it better by `elo0` or by `elo1` (RATINGS.md)?

    `measure` is what a deal set is measured by, the share of games won or points.
    """

    bots: tuple[str, str]
    elo0: float
    elo1: float
    alpha: float
    beta: float
    scale: str
    measure: str = SCORE


@dataclass(frozen=True, slots=True)
class StopRules:
    """When a tournament stops, whichever comes first; it is asked after every `every` deal sets of all line-ups.

    `time_ms` is of playing, `decisions` are actions in all games, `settled` is the confidence with which every pair of
    bots must be told apart. 0 and None are rules that are not there.
    """

    every: int
    time_ms: int = 0
    decisions: int = 0
    settled: float = 0.0
    sprt: Sprt | None = None
