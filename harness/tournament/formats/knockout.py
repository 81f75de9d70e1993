"""Knockout: the loser of a match is out.

The bracket follows the seeds: the best two can meet only in the final, and the best bots get any byes. A match is all
deal sets of all variants between two bots; the winner of more games advances. A tied match gets extra deal sets, one of
each variant at a time and at most as many as it began with. If it is still tied, the better seed advances. A bot that
is withdrawn before its match is over loses it, whoever won the games played. If the games of a bot are annulled, the
bracket stands as played; the bot is placed last, and those behind it move up.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from bowerbird.harness.records.values import placements
from bowerbird.harness.tournament.config.tournament_file import TournamentFile
from bowerbird.harness.tournament.formats.absences import NO_ABSENCES, Absences
from bowerbird.harness.tournament.formats.matches import Pair, Tallies, Tally, between, final, paired, seeded, stride
from bowerbird.harness.tournament.formats.rounds import Round, Rounds
from bowerbird.harness.tournament.jobs.schedule import RunIdentity, schedule

TITLES = {2: "final", 4: "semi-finals", 8: "quarter-finals"}


def rounds_of(bots: int) -> int:
    """Return the number of rounds in the bracket of `bots` bots."""
    return (bots - 1).bit_length()


def stride_of_rounds(sets: int) -> int:
    """Return the distance between the first deal sets of two rounds, for matches of `sets` plus as many extra sets."""
    return stride(2 * sets)


def bracket(seeds: Sequence[str]) -> list[str]:
    """Return the places of the first round, each with a bot or "" for a bye; 0 meets 1, 2 meets 3, and so on."""
    places = [0]
    while len(places) < len(seeds):
        size = 2 * len(places)
        places = [seed for place in places for seed in (place, size - 1 - place)]
    return [seeds[place] if place < len(seeds) else "" for place in places]


def knockout(file: TournamentFile, run: RunIdentity, absences: Absences = NO_ABSENCES) -> Rounds:
    """Yield the rounds of a knockout."""
    seeds = seeded(file, run.seed)
    left = bracket(seeds)
    pair = paired(file)
    lost: dict[str, tuple[str, int]] = {}
    results: list[placements.MatchResult] = []
    number = 0
    while len(left) > 1:
        matches = list(zip(left[::2], left[1::2], strict=True))
        title = TITLES.get(len(left), f"round of {len(left)}")
        pairs = tuple(pair(one, other) for one, other in matches if one and other)
        byes = tuple(one or other for one, other in matches if not (one and other))
        first = number * stride_of_rounds(file.sets)
        played = yield from _play(file, run, Round(title, (), pairs, byes), first, absences)
        number += 1
        winners = []
        for one, other in matches:
            if one and other:
                both = pair(one, other)
                better = min(both, key=seeds.index)
                result = _match_result(number, title, both, played[both], better)
                loser = both[1] if result.winner == both[0] else both[0]
                lost[loser] = (f"lost the {title}" if len(left) == 2 else f"lost in the {title}", len(left) // 2 + 1)
            else:
                result = placements.MatchResult(number, title, one or other, "", 0.0, 0, one or other, placements.BYE)
            results.append(result)
            winners.append(result.winner)
        left = winners
    places = _places(left[0], lost, absences.disqualified)
    return placements.Outcome(places=final(file, run.seed, places), matches=tuple(results))


@dataclass(frozen=True, slots=True)
class _Played:
    """A finished match: all games, the games that count, and whether it was tied before extra deal sets."""

    played: Tally
    counted: Tally
    was_tied: bool


def _play(
    file: TournamentFile, run: RunIdentity, round_: Round, first: int, absences: Absences
) -> Generator[Round, None, dict[Pair, _Played]]:
    """Yield a round with jobs from deal set `first` on, then its extra rounds. Return its matches by pair."""
    pairs = round_.pairs
    tallies = Tallies(pairs, file.terms.schedule, absences.annulled)
    jobs = schedule(file, run, range(first, first + file.sets), between(pairs))
    yield replace(round_, jobs=jobs, on_set_stored=tallies.add)
    were_tied = frozenset(pair for pair in pairs if not tallies[pair].result)
    for extra in range(first + file.sets, first + 2 * file.sets):
        tied = tuple(pair for pair in pairs if not tallies[pair].result and not tallies[pair].first_out)
        if not tied:
            break
        jobs = schedule(file, run, range(extra, extra + 1), between(tied))
        yield Round(f"{round_.title}, extra sets", jobs, tied, on_set_stored=tallies.add)
    return {pair: _Played(tallies[pair], tallies.counted(pair), pair in were_tied) for pair in pairs}


def _match_result(number: int, title: str, pair: Pair, match: _Played, better: str) -> placements.MatchResult:
    """Return the result of a match. `better` is the better seed, which advances if the match is still tied."""
    tally, counted = match.played, match.counted
    winner = better if not tally.result else pair[0] if tally.result > 0 else pair[1]
    decided_by = (
        placements.BETTER_SEED if not tally.result else placements.EXTRA_SETS if match.was_tied else placements.GAMES
    )
    if tally.is_walkover:
        decided_by = placements.WALKOVER
    if counted != tally:  # some of its games are annulled; the bot that advanced stays in
        is_annulled = counted.first_out if winner == pair[0] else counted.other_out
        decided_by = placements.ANNULLED if is_annulled else placements.WALKOVER
    return placements.MatchResult(number, title, *pair, counted.won, counted.games, winner, decided_by)


def _places(
    winner: str, lost: dict[str, tuple[str, int]], disqualified: frozenset[str]
) -> tuple[placements.Placement, ...]:
    remarks = {winner: "won the final"} | {bot: remark for bot, (remark, _) in lost.items()}
    reached = {winner: 1} | {bot: place for bot, (_, place) in lost.items()}
    places = placements.without_disqualified(reached, disqualified)

    def remark(bot: str) -> str:
        if bot in disqualified:
            return f"{remarks[bot]}, its games are annulled"
        return remarks[bot] if places[bot] == reached[bot] else f"{remarks[bot]}, moved up"

    return tuple(
        placements.Placement(places[bot], bot, remark=remark(bot)) for bot in sorted(places, key=places.__getitem__)
    )
