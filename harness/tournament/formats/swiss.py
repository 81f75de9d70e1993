"""Swiss: in each round bots with similar scores meet, and no two bots meet twice.

A match won scores a point, a tied one half a point; the shares of games won break ties. A match is all deal sets of all
variants between the two. With an odd number of bots one of the last gets a bye in each round, no bot twice; a bye
counts as a match won with half of its games. The first round is paired by the seeds, the upper half against the lower.
In later rounds a lot from the seed breaks the remaining ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from bowerbird.harness.records.values.placements import BYE, GAMES, TIE, MatchResult, Outcome, Placement
from bowerbird.harness.tournament.config.tournament_file import TournamentFile
from bowerbird.harness.tournament.formats.matches import Pair, Tallies, Tally, between, lots, paired, seeded, stride
from bowerbird.harness.tournament.formats.rounds import Round, Rounds
from bowerbird.harness.tournament.schedule import RunIdentity, schedule

WIN, DRAW = 1.0, 0.5
BYE_SHARE = Fraction(1, 2)


@dataclass(slots=True)
class _Score:
    """The score of a bot so far. `rested` says whether it had a bye.

    The shares of games won are added up exactly: thirds that were rounded would break ties by chance.
    """

    points: float = 0.0
    share: Fraction = Fraction(0)
    met: list[str] = field(default_factory=list)
    rested: bool = False


def swiss(file: TournamentFile, run: RunIdentity) -> Rounds:
    """Yield the rounds of a Swiss tournament."""
    scores = {bot.name: _Score() for bot in file.bots}
    order = seeded(file, run.seed)
    pair, rounds = paired(file), file.terms.rounds
    matches: list[MatchResult] = []
    for number in range(rounds):
        ranking = sorted(scores, key=lambda bot: (-scores[bot].points, -scores[bot].share, order.index(bot)))
        found, bye = pairings(
            ranking,
            points={bot: score.points for bot, score in scores.items()},
            met={bot: frozenset(score.met) for bot, score in scores.items()},
            rested=frozenset(bot for bot, score in scores.items() if score.rested),
        )
        pairs = tuple(pair(one, other) for one, other in found)
        first = number * stride(file.sets)
        jobs = schedule(file, run, range(first, first + file.sets), between(pairs))
        tallies = Tallies(pairs)
        title = f"round {number + 1} of {rounds}"
        yield Round(title, jobs, pairs, (bye,) if bye else (), tallies.add)
        for one, other in pairs:
            match = tallies[one, other]
            _count_match(scores[one], other, match.lead, match.share)
            _count_match(scores[other], one, -match.lead, 1 - match.share)
            matches.append(_match_result(number + 1, title, (one, other), match))
        if bye:
            matches.append(MatchResult(number + 1, title, bye, "", 0.0, 0, bye, BYE))
            scores[bye].points += WIN
            scores[bye].share += BYE_SHARE
            scores[bye].rested = True
        order = lots(file, run.seed)
    return Outcome(places=_places(scores), matches=tuple(matches))


def _match_result(number: int, title: str, pair: Pair, match: Tally) -> MatchResult:
    winner = "" if not match.lead else pair[0] if match.lead > 0 else pair[1]
    return MatchResult(number, title, *pair, match.won, match.games, winner, GAMES if winner else TIE)


def _count_match(score: _Score, opponent: str, lead: float, share: Fraction) -> None:
    score.points += WIN if lead > 0 else DRAW if lead == 0 else 0.0
    score.share += share
    score.met.append(opponent)


def pairings(
    ranking: Sequence[str],
    *,
    points: dict[str, float],
    met: dict[str, frozenset[str]],
    rested: frozenset[str],
) -> tuple[list[Pair], str]:
    """Return the pairs of a round and the bot with the bye ("" with an even number of bots).

    From the top of the ranking, each bot gets the opponent nearest in points; in a group of n bots with equal points,
    the one n / 2 places further down. If the last bots cannot be paired, the search backtracks. The bye goes to the
    lowest bot for which there is a pairing. Raises ValueError if there is none, which `most_rounds` excludes.

    ranking: the bots from the first to the last.
    points: by bot.
    met: the earlier opponents, by bot.
    rested: the bots that had a bye.
    """
    byes = [bot for bot in reversed(ranking) if bot not in rested] if len(ranking) % 2 else [""]
    for bye in byes:
        left = tuple(bot for bot in ranking if bot != bye)
        found = _paired(left, points, met, set())
        if found is not None:
            return found, bye
    raise ValueError("no round is left in which no pair meets twice")


def _paired(
    left: tuple[str, ...], points: dict[str, float], met: dict[str, frozenset[str]], hopeless: set[tuple[str, ...]]
) -> list[Pair] | None:
    """Return pairs of all bots that are `left`, or None. `hopeless` remembers the groups that have no pairing."""
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
            share=float(scores[bot].share / (len(scores[bot].met) + scores[bot].rested)),
            opponents=-keys[bot][2],
            byes=int(scores[bot].rested),
            remark=f"opponents had {-keys[bot][2]:g}" + (", one bye" if scores[bot].rested else ""),
        )
        for bot in sorted(keys, key=keys.__getitem__)
    )
