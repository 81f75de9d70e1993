"""The deal sets of two bots as numbers, the input of the sequential test."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from bowerbird.harness.ratings.pairs import RatingError, pairs_of
from bowerbird.harness.ratings.points import set_differences
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import SetKey

SCORE, POINTS = "score", "points"
MEASURES = (SCORE, POINTS)
"""The measures of a deal set: the share of games won, or the points of single deals."""


@dataclass(frozen=True, slots=True)
class SetValue:
    """A deal set: the mean over its `games` games of one bot's result above the table's mean."""

    value: Fraction
    games: int


def set_values(
    results: Iterable[GameResult],
    one: str,
    other: str,
    measure: str = SCORE,
    due: Mapping[str, int] | None = None,
    *,
    left_out: Collection[SetKey] = (),
) -> list[SetValue]:
    """Return the deal sets in which two bots met on opposite sides, in order, up to the first incomplete one.

    Line-ups that share their packs form one set; a line-up with its own packs has its own sets. 0 means equal: SCORE is
    the mean outcome of the pairs minus 1/2, POINTS half the difference of the bots' means. `due` is the number of games
    in a complete set number over all line-ups, by variant entry; None uses the fullest set number. Sets of a withdrawn
    bot are left out. `left_out` are deal sets of a line-up without results (`values.voids`); the games of other
    line-ups on the same packs are left out with them.

    Raises RatingError for an unknown measure, and for a bot against itself.
    """
    if measure not in _MEASURES:
        raise RatingError(f"unknown measure {measure!r}; must be {' or '.join(map(repr, MEASURES))}")
    if one == other:
        raise RatingError(f"bot {one!r} cannot be tested against itself")
    numbers: dict[tuple[str, int, str], dict[str, list[GameResult]]] = {}
    for game in results:
        if {one, other} <= set(game.bots):
            packs = game.id.lineup if game.own_packs else ALL_LINEUPS
            sets = numbers.setdefault((game.id.run, game.id.set_number, game.id.entry), {})
            sets.setdefault(packs, []).append(game)
    gone = {(key.number, key.entry, packs) for key in left_out for packs in (key.lineup, ALL_LINEUPS)}
    full: dict[tuple[str, str], dict[str, int]] = {}
    for (run, number, entry), sets in numbers.items():
        most = full.setdefault((run, entry), {})
        for packs, games in sets.items():
            if (number, entry, packs) not in gone:
                most[packs] = max(most.get(packs, 0), len(games))
    values: list[SetValue] = []
    for (run, number, entry), sets in sorted(numbers.items()):
        wanted = {packs: most for packs, most in full[run, entry].items() if (number, entry, packs) not in gone}
        missing = sum(full[run, entry].values()) - sum(wanted.values())
        if any(len(sets.get(packs, ())) < most for packs, most in wanted.items()):
            break
        if wanted and sum(map(len, sets.values())) + missing < (due or {}).get(entry, 0):
            break
        for packs in sorted(wanted):
            mean = _MEASURES[measure](sets[packs], one, other)
            if mean is not None:
                values.append(SetValue(mean, len(sets[packs])))
    return values


ALL_LINEUPS = ""
"""Replaces the line-up if all line-ups of an entry play the same packs."""


def _score(games: Sequence[GameResult], one: str, other: str) -> Fraction | None:
    """Return the mean outcome of all pairs of the two bots, minus 1/2; None if they have no pair."""
    won: list[Fraction] = []
    for game in games:
        for pair in pairs_of(game):
            sides = {*pair.bots}, {*pair.other_bots}
            if sides == ({one}, {other}):
                won.append(Fraction(pair.outcome))
            elif sides == ({other}, {one}):
                won.append(1 - Fraction(pair.outcome))
    return sum(won, Fraction()) / len(won) - Fraction(1, 2) if won else None


def _points(games: Sequence[GameResult], one: str, other: str) -> Fraction | None:
    """Return half the difference of their points per deal, averaged over line-ups; None if a bot was withdrawn."""
    if not all(game.rated for game in games):
        return None
    above = set_differences(games).values()
    return sum((bots[one] - bots[other] for bots in above), Fraction()) / (2 * len(above))


_MEASURES = {SCORE: _score, POINTS: _points}
