"""Checks the stored places and matches of a run against its games."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from bowerbird.harness.records.values import placements
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.run import SetKey

_CLOSE = 1e-9
"""Quotients that differ by less than this count as equal."""

Pair = frozenset[str]

FinalPlaces = Callable[[Mapping[str, int]], Mapping[str, int]]
"""A function that returns places, with equal ones in the order that the tournament file requires."""


def outcome_differences(
    outcome: placements.Outcome,
    results: Sequence[GameResult],
    entered: Collection[str],
    annulled: Mapping[SetKey, frozenset[str]] = MappingProxyType({}),
    *,
    is_complete: bool,
    final: FinalPlaces = dict,
) -> Iterator[str]:
    """Yield a sentence for each difference between the outcome of a run and its games.

    In a knockout or a Swiss two bots meet at most once, so the games of a pair form one match. Places follow from the
    matches. The games don't show which bots advanced as the better seed or had a bye. Matches of older runs also count
    the games that a withdrawn bot missed.

    annulled: the annulled deal sets, each with the bots for which it is annulled.
    final: returns the places after the run's lot, if it has one.
    """
    if not is_complete:
        if outcome != placements.OPEN:
            yield "it has places, matches or a reason why it stopped, but it is not complete"
        return
    if wrong := placements.wrong_outcome(outcome, entered):
        yield wrong
        return
    if outcome.matches:
        yield from _matches(outcome.matches, results, annulled)
        yield from _places(outcome, frozenset(bot for bots in annulled.values() for bot in bots), final)
    elif outcome.places:
        yield "it has places without matches"


def _matches(
    matches: Sequence[placements.MatchResult], results: Sequence[GameResult], annulled: Mapping[SetKey, frozenset[str]]
) -> Iterator[str]:
    out: dict[Pair, frozenset[str]] = {}
    for key, bots in annulled.items():
        pair = frozenset(key.lineup.split("+"))
        out[pair] = out.get(pair, frozenset()) | bots
    played: dict[Pair, list[GameResult]] = {}
    for game in results:
        played.setdefault(frozenset(game.bots), []).append(game)
    for match in matches:
        if match.is_bye:
            continue
        pair = frozenset((match.bot, match.opponent))
        games = played.pop(pair, [])
        won, number = _count(match, [game for game in games if game.rated])
        between = f"the match between {match.bot} and {match.opponent}"
        if match.decided_by == placements.ANNULLED and match.winner not in out.get(pair, ()):
            yield f"{between} is stored as annulled, but {match.winner} plays on"
        if match.decided_by == placements.WALKOVER and not _is_walkover(match, games, out.get(pair, frozenset())):
            yield f"{between} is stored as a walkover, but its games were played"
        if (match.won, match.games) not in ((won, number), _count(match, games)):
            yield (
                f"{between}: {match.bot} is stored as winner of {match.won:g} of "
                f"{match.games} games, but the games give {won:g} of {number}"
            )
    for pair in played:
        yield f"{' and '.join(sorted(pair))} have games, but no match"


def _count(match: placements.MatchResult, games: Sequence[GameResult]) -> tuple[float, int]:
    """Return how many of these games the first bot of a match won, and the number of games."""
    return sum(game.pair_outcome(game.bots.index(match.bot), game.bots.index(match.opponent)) for game in games), len(
        games
    )


def _is_walkover(match: placements.MatchResult, games: Sequence[GameResult], annulled: frozenset[str]) -> bool:
    """Return True if the loser of a match, and not its winner, was withdrawn from some of its games."""
    absent = {game.bots[seat] for game in games if not game.rated for seat in game.offenders} | annulled
    return absent == {match.bot, match.opponent} - {match.winner}


def _places(outcome: placements.Outcome, disqualified: frozenset[str], final: FinalPlaces) -> Iterator[str]:
    stored = {place.bot: place for place in outcome.places}
    bots = sorted({bot for match in outcome.matches for bot in (match.bot, match.opponent) if bot})
    is_swiss = bool(outcome.places) and outcome.places[0].points is not None
    if is_swiss:  # a bot that was withdrawn before the first round has no match
        bots = sorted({*bots, *stored})
    if sorted(stored) != bots:
        yield "a bot has a match but no place, or a place but no match"
        return
    expected = _swiss(outcome.matches, bots) if is_swiss else _knockout(outcome.matches, bots, disqualified)
    places = final({bot: place.place for bot, place in expected.items()})
    for bot in bots:
        mine, theirs = replace(expected[bot], place=places[bot]), stored[bot]
        if not _same(mine, theirs):
            yield f"bot {bot}: {_shown(theirs)} is stored, but the matches give {_shown(mine)}"


def _swiss(matches: Sequence[placements.MatchResult], bots: Sequence[str]) -> Mapping[str, placements.Placement]:
    points = dict.fromkeys(bots, 0.0)
    shares: dict[str, list[Fraction]] = {bot: [] for bot in bots}
    met: dict[str, list[str]] = {bot: [] for bot in bots}
    byes = dict.fromkeys(bots, 0)
    for match in matches:
        share = Fraction(match.won) / match.games if match.games else Fraction(1, 2)
        shares[match.bot].append(share)
        points[match.bot] += _points(match, match.bot)
        if match.is_bye:
            byes[match.bot] += 1
            continue
        shares[match.opponent].append(1 - share)
        points[match.opponent] += _points(match, match.opponent)
        met[match.bot].append(match.opponent)
        met[match.opponent].append(match.bot)
    keys = {bot: (-points[bot], -sum(shares[bot]), -sum(points[other] for other in met[bot])) for bot in bots}
    return {
        bot: placements.Placement(
            place=1 + sum(other < keys[bot] for other in keys.values()),
            bot=bot,
            points=points[bot],
            share=float(sum(shares[bot]) / max(1, len(shares[bot]))),
            opponents=-keys[bot][2],
            byes=byes[bot],
        )
        for bot in bots
    }


def _points(match: placements.MatchResult, bot: str) -> float:
    return 0.5 if match.decided_by == placements.TIE else float(match.winner == bot)


def _knockout(
    matches: Sequence[placements.MatchResult], bots: Sequence[str], disqualified: frozenset[str]
) -> Mapping[str, placements.Placement]:
    """Return the places. A bot that lost k rounds before the final is placed behind all that advanced.

    Bots with annulled games are last, and the others move up.
    """
    final = matches[-1].round
    out = {bot: match.round for match in matches for bot in (match.bot, match.opponent) if bot != match.winner}
    reached = {bot: 2 ** (final - out[bot]) + 1 if bot in out else 1 for bot in bots}
    return {
        bot: placements.Placement(place, bot)
        for bot, place in placements.without_disqualified(reached, disqualified).items()
    }


def _same(one: placements.Placement, other: placements.Placement) -> bool:
    return (one.place, one.byes) == (other.place, other.byes) and all(
        map(_is_close, (one.points, one.share, one.opponents), (other.points, other.share, other.opponents))
    )


def _is_close(one: float | None, other: float | None) -> bool:
    return one is other if one is None or other is None else math.isclose(one, other, abs_tol=_CLOSE)


def _shown(place: placements.Placement) -> str:
    numbers = ((place.points, "points"), (place.share, "of the games"), (place.opponents, "points of opponents"))
    parts = [f"{value:g} {what}" for value, what in numbers if value is not None]
    return ", ".join([f"place {place.place}", *parts, *([f"{place.byes} byes"] if place.byes else [])])
