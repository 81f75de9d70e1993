"""Swiss: in each round bots with similar scores meet, and no two bots meet twice.

A won match scores one point, and a tied match half a point; the shares of games won break ties. A match is all deal
sets of all variants between two bots. With an odd number of bots, one of the lowest-ranked bots gets a bye in each
round, and no bot gets two; a bye counts as a match won with half of its games. The first round is paired by the seeds,
the upper half against the lower. In later rounds a lot drawn from the seed breaks remaining ties.

A withdrawn bot loses the match that it did not finish, and the opponent gets a walkover: a won match in which only the
played games count. From the next round on, the bot is not paired and gets no bye. If its games are annulled, it loses
all of its matches by walkover and its byes; later rounds stay paired by the games as played. If the others cannot be
paired without repeating a pair, the lowest of them get byes, even a second one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, combinations

from bowerbird.engine import counted
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.placements import BYE, GAMES, TIE, WALKOVER, MatchResult, Outcome, Placement
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.tournament.config.schema import PLAYED_ONLY
from bowerbird.harness.tournament.config.tournament_file import TournamentFile
from bowerbird.harness.tournament.formats.absences import NO_ABSENCES, Absences
from bowerbird.harness.tournament.formats.matches import (
    Pair,
    Tallies,
    Tally,
    absent_from,
    between,
    final,
    lots,
    paired,
    seeded,
    stride,
)
from bowerbird.harness.tournament.formats.rounds import Round, Rounds
from bowerbird.harness.tournament.jobs.schedule import RunIdentity, schedule

WIN, DRAW = 1.0, 0.5
BYE_SHARE = Fraction(1, 2)
FEWEST_BOTS = 2


@dataclass(slots=True)
class _Score:
    """The score of a bot so far. `byes` counts its byes.

    The shares of games won are added exactly, since rounded thirds would break ties by chance.
    """

    points: float = 0.0
    share: Fraction = Fraction(0)
    met: list[str] = field(default_factory=list)
    byes: int = 0


def swiss(file: TournamentFile, run: RunIdentity, absences: Absences = NO_ABSENCES) -> Rounds:
    """Yield the rounds of a Swiss tournament."""
    scores = {bot.name: _Score() for bot in file.bots}
    counted_scores = {bot.name: _Score() for bot in file.bots}
    order = seeded(file, run.seed)
    pair, rounds = paired(file), file.terms.rounds
    matches: list[MatchResult] = []
    withdrawn: set[str] = set()
    for number in range(rounds):
        if file.terms.schedule >= PLAYED_ONLY:
            withdrawn.update(absences.unpaired(number + 1))
        left = [bot for bot in scores if bot not in withdrawn or file.terms.schedule < PLAYED_ONLY]
        if len(left) < FEWEST_BOTS:
            reason = f"after {counted(number, 'round')}, since {len(withdrawn)} of {len(scores)} bots were withdrawn"
            return Outcome(reason, places=final(file, run.seed, _places(counted_scores)), matches=tuple(matches))
        ranking = sorted(left, key=lambda bot: (-scores[bot].points, -scores[bot].share, order.index(bot)))
        found, byes = pairings(
            ranking,
            points={bot: score.points for bot, score in scores.items()},
            met={bot: frozenset(score.met) for bot, score in scores.items()},
            rested=frozenset(bot for bot, score in scores.items() if score.byes),
        )
        pairs = tuple(pair(one, other) for one, other in found)
        first = number * stride(file.sets)
        jobs = schedule(file, run, range(first, first + file.sets), between(pairs))
        tallies = Tallies(pairs, file.terms.schedule, absences.annulled)
        title = f"round {number + 1} of {rounds}"

        def on_set_stored(key: SetKey, results: Sequence[GameResult], tallies: Tallies = tallies) -> None:
            tallies.add(key, results)
            withdrawn.update(bot for game in results for bot in absent_from(game))

        yield Round(title, jobs, pairs, byes, on_set_stored)
        for one, other in pairs:
            for match, score in ((tallies[one, other], scores), (tallies.counted((one, other)), counted_scores)):
                _count_match(score[one], other, match.result, match.share)
                _count_match(score[other], one, -match.result, 1 - match.share)
            matches.append(_match_result(number + 1, title, (one, other), tallies.counted((one, other))))
        for bye in byes:
            _count_bye(scores[bye])
            if bye not in absences.disqualified:
                matches.append(MatchResult(number + 1, title, bye, "", 0.0, 0, bye, BYE))
                _count_bye(counted_scores[bye])
        order = lots(file, run.seed)
    return Outcome(places=final(file, run.seed, _places(counted_scores)), matches=tuple(matches))


def _count_bye(score: _Score) -> None:
    score.points += WIN
    score.share += BYE_SHARE
    score.byes += 1


def _match_result(number: int, title: str, pair: Pair, match: Tally) -> MatchResult:
    winner = "" if not match.result else pair[0] if match.result > 0 else pair[1]
    decided_by = WALKOVER if match.is_walkover else GAMES if winner else TIE
    return MatchResult(number, title, *pair, match.won, match.games, winner, decided_by)


def _count_match(score: _Score, opponent: str, result: float, share: Fraction) -> None:
    score.points += WIN if result > 0 else DRAW if result == 0 else 0.0
    score.share += share
    score.met.append(opponent)


def pairings(
    ranking: Sequence[str],
    *,
    points: dict[str, float],
    met: dict[str, frozenset[str]],
    rested: frozenset[str],
) -> tuple[list[Pair], tuple[str, ...]]:
    """Return the pairs of a round and the bots with a bye: one with an odd number of bots, else none.

    From the top of the ranking, each bot gets the opponent nearest in points; in a group of n bots with equal points,
    the one n / 2 places further down. If the last bots cannot be paired, the search backtracks. The bye goes to the
    lowest bot that leaves a pairing for the others. Within the rounds that `most_rounds` allows, such a pairing always
    exists unless bots were withdrawn. In that case as few bots as possible get byes, from the lowest up, even if they
    had one before.

    ranking: the bots from first to last.
    points: by bot.
    met: the earlier opponents, by bot.
    rested: the bots that had a bye.
    """
    odd = len(ranking) % 2
    fresh = [(bot,) for bot in reversed(ranking) if bot not in rested] if odd else [()]
    more = (lowest for number in range(odd, len(ranking) + 1, 2) for lowest in combinations(reversed(ranking), number))
    for byes in chain(fresh, more):
        left = tuple(bot for bot in ranking if bot not in byes)
        found = _paired(left, points, met, set())
        if found is not None:
            return found, byes
    raise AssertionError("with a bye for every bot there is a pairing")


def _paired(
    left: tuple[str, ...], points: dict[str, float], met: dict[str, frozenset[str]], hopeless: set[tuple[str, ...]]
) -> list[Pair] | None:
    """Return a pairing of all bots that are `left`, or None. `hopeless` remembers the groups that have no pairing."""
    if not left:
        return []
    if left in hopeless:
        return None
    top, others = left[0], left[1:]
    half = sum(points[bot] == points[top] for bot in left) // 2 - 1
    choices = [(points[top] - points[bot], abs(place - half), place) for place, bot in enumerate(others)]
    for _, _, place in sorted(choices):
        opponent = others[place]
        if opponent in met[top]:
            continue
        rest = _paired((*others[:place], *others[place + 1 :]), points, met, hopeless)
        if rest is not None:
            return [(top, opponent), *rest]
    hopeless.add(left)
    return None


def _places(scores: dict[str, _Score]) -> tuple[Placement, ...]:
    """Rank by points, then share of games, then points of the opponents. Bots equal in all three share a place."""
    keys = {
        bot: (-score.points, -score.share, -sum(scores[other].points for other in score.met))
        for bot, score in scores.items()
    }
    return tuple(
        Placement(
            place=1 + sum(other < keys[bot] for other in keys.values()),
            bot=bot,
            points=scores[bot].points,
            share=float(scores[bot].share / max(1, len(scores[bot].met) + scores[bot].byes)),
            opponents=-keys[bot][2],
            byes=scores[bot].byes,
            remark=f"opponents had {-keys[bot][2]:g}" + _byes_text(scores[bot].byes),
        )
        for bot in sorted(keys, key=keys.__getitem__)
    )


def _byes_text(byes: int) -> str:
    return "" if not byes else ", one bye" if byes == 1 else f", {byes} byes"
