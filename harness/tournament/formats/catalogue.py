"""The formats by name: the rounds of each, and how much it plays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.tournament.config.format_keys import StopRules
from bowerbird.harness.tournament.config.schema import ADAPTIVE, GAUNTLET, KNOCKOUT, ROUND_ROBIN, SWISS
from bowerbird.harness.tournament.config.tournament_file import TournamentFile
from bowerbird.harness.tournament.formats.absences import NO_ABSENCES, Absences
from bowerbird.harness.tournament.formats.adaptive import adaptive
from bowerbird.harness.tournament.formats.knockout import knockout, rounds_of
from bowerbird.harness.tournament.formats.rounds import PlayedUntil, Round, Rounds
from bowerbird.harness.tournament.formats.swiss import swiss
from bowerbird.harness.tournament.jobs.schedule import RunIdentity, schedule
from bowerbird.harness.tournament.lineups import MeetingRules

EXACTLY, AT_LEAST, AT_MOST = "exactly", "at least", "at most"


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of a tournament. `bound` tells whether `sets` and `games` are exact, a minimum or a maximum."""

    rounds: int
    sets: int
    games: int
    bound: str = EXACTLY


def no_time(_: Iterable[SetKey]) -> float:
    """Return 0 seconds: the `PlayedUntil` of rounds that are not played."""
    return 0.0


def rounds_of_run(
    file: TournamentFile,
    run: RunIdentity,
    played_until: PlayedUntil = no_time,
    absences: Absences = NO_ABSENCES,
) -> Rounds:
    """Return the rounds of a tournament, from the first.

    Only a stop rule on time calls `played_until`; only formats that pair bots use `absences`.
    """
    if file.terms.name == ADAPTIVE:
        return adaptive(file, run, played_until)
    if file.stop is not None:
        return _until_stopped(file, run, file.stop, played_until)
    return _ROUNDS[file.terms.name](file, run, absences)


def extent(file: TournamentFile) -> Extent:
    """Return the size of a tournament as known before the first game."""
    return _EXTENTS[file.terms.name](file)


def _at_once(file: TournamentFile, run: RunIdentity, _: Absences) -> Rounds:
    """Yield one round that holds everything, since no pairing depends on results."""
    yield Round("", schedule(file, run, range(file.sets)))
    return Outcome()


def _until_stopped(file: TournamentFile, run: RunIdentity, rules: StopRules, played_until: PlayedUntil) -> Rounds:
    """Yield passes of `rules.every` deal sets of all line-ups until a stop rule applies."""
    from bowerbird.harness.tournament.formats.stop_rules import (
        StopEvaluator,  # imports numpy, which other runs do not need
    )

    elapsed_s = 0.0
    names = [bot.name for bot in file.bots]
    challengers = file.terms.challengers
    pairs = [pair for pair in combinations(names, 2) if MeetingRules(tuple(names), challengers).admits(pair)]
    stop = StopEvaluator(rules, pairs)
    for first in range(0, file.sets, rules.every):
        last = min(first + rules.every, file.sets)
        played: dict[SetKey, Sequence[GameResult]] = {}
        left_out: set[SetKey] = set()
        jobs = schedule(file, run, range(first, last))
        title = f"deal sets {first} to {last - 1}"
        yield Round(title, jobs, on_set_stored=played.__setitem__, on_set_left_out=left_out.add)
        elapsed_s = max(elapsed_s, played_until(played))
        if reason := stop.reason([game for key in sorted(played) for game in played[key]], elapsed_s, left_out):
            return Outcome(reason)
    return Outcome(f"all {file.sets} deal sets of each line-up were played")


def _all_lineups(file: TournamentFile) -> Extent:
    lineups = [lineup for entry in file.variants for lineup in entry.lineups]
    games = sum(len(lineup.rotations) for lineup in lineups)
    bound = EXACTLY if file.stop is None else AT_MOST
    return Extent(1, len(lineups) * file.sets, games * file.sets, bound)


def _swiss_extent(file: TournamentFile) -> Extent:
    rounds = file.terms.rounds
    return _matches(file, rounds, rounds * (len(file.bots) // 2), EXACTLY)


def _knockout_extent(file: TournamentFile) -> Extent:
    return _matches(file, rounds_of(len(file.bots)), len(file.bots) - 1, AT_LEAST)


def _adaptive_extent(file: TournamentFile) -> Extent:
    """Return the most games that can be played, since results decide which variants are chosen."""
    sets = file.terms.total_sets
    games = {len(lineup.rotations) for entry in file.variants for lineup in entry.lineups}
    is_exact = file.stop is None and len(games) == 1
    return Extent(-(-sets // file.terms.round_sets), sets, sets * max(games), EXACTLY if is_exact else AT_MOST)


def _matches(file: TournamentFile, rounds: int, matches: int, bound: str) -> Extent:
    games = sum(len(entry.lineups[0].rotations) for entry in file.variants)
    return Extent(rounds, matches * len(file.variants) * file.sets, matches * games * file.sets, bound)


_ROUNDS: Mapping[str, Callable[[TournamentFile, RunIdentity, Absences], Rounds]] = {
    ROUND_ROBIN: _at_once,
    GAUNTLET: _at_once,
    SWISS: swiss,
    KNOCKOUT: knockout,
}
_EXTENTS: Mapping[str, Callable[[TournamentFile], Extent]] = {
    ROUND_ROBIN: _all_lineups,
    GAUNTLET: _all_lineups,
    SWISS: _swiss_extent,
    KNOCKOUT: _knockout_extent,
    ADAPTIVE: _adaptive_extent,
}
