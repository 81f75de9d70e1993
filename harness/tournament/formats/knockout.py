"""Knockout: the loser of a match is out.

The bracket follows the seeds: the best two can meet only in the final, and the best get the byes if the bots do not
fill it. A match is all deal sets of all variants between the two; the winner of more games advances. A tied match gets
extra deal sets, one of each variant at a time and at most as many as it had. If it is still tied, the better seed
advances.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace

from harness.tournament.config.tournament_file import TournamentFile
from harness.tournament.formats.matches import Pair, Tallies, between, paired, seeded, stride
from harness.tournament.formats.rounds import Outcome, Placement, Round, Rounds
from harness.tournament.schedule import RunIdentity, schedule

TITLES = {2: "final", 4: "semi-finals", 8: "quarter-finals"}


def rounds_of(bots: int) -> int:
    """Return the number of rounds in the bracket of `bots` bots."""
    return (bots - 1).bit_length()


def bracket(seeds: Sequence[str]) -> list[str]:
    """Return the places of the first round, each with a bot or "" for a bye; 0 meets 1, 2 meets 3, and so on."""
    places = [0]
    while len(places) < len(seeds):
        size = 2 * len(places)
        places = [seed for place in places for seed in (place, size - 1 - place)]
    return [seeds[place] if place < len(seeds) else "" for place in places]


def knockout(file: TournamentFile, run: RunIdentity) -> Rounds:
    """Yield the rounds of a knockout."""
    seeds = seeded(file, run.seed)
    left = bracket(seeds)
    pair = paired(file)
    lost: dict[str, tuple[str, int]] = {}
    number = 0
    while len(left) > 1:
        matches = list(zip(left[::2], left[1::2], strict=True))
        title = TITLES.get(len(left), f"round of {len(left)}")
        pairs = tuple(pair(one, other) for one, other in matches if one and other)
        byes = tuple(one or other for one, other in matches if not (one and other))
        leads = yield from _play(file, run, Round(title, (), pairs, byes), number * stride(2 * file.sets))
        for one, other in pairs:
            lead = leads[one, other]
            worse = max(one, other, key=seeds.index) if not lead else other if lead > 0 else one
            lost[worse] = (f"lost the {title}" if len(left) == 2 else f"lost in the {title}", len(left) // 2 + 1)
        left = [one or other if not (one and other) else (one if other in lost else other) for one, other in matches]
        number += 1
    return Outcome(places=_places(left[0], lost))


def _play(
    file: TournamentFile, run: RunIdentity, round_: Round, first: int
) -> Generator[Round, None, dict[Pair, float]]:
    """Yield a round with jobs from deal set `first` on, and its extra rounds. Return the lead of each pair."""
    pairs = round_.pairs
    tallies = Tallies(pairs)
    jobs = schedule(file, run, range(first, first + file.sets), between(pairs))
    yield replace(round_, jobs=jobs, on_set_stored=tallies.add)
    for extra in range(first + file.sets, first + 2 * file.sets):
        tied = tuple(pair for pair in pairs if not tallies[pair].lead)
        if not tied:
            break
        jobs = schedule(file, run, range(extra, extra + 1), between(tied))
        yield Round(f"{round_.title}, extra sets", jobs, tied, on_set_stored=tallies.add)
    return {pair: tallies[pair].lead for pair in pairs}


def _places(winner: str, lost: dict[str, tuple[str, int]]) -> tuple[Placement, ...]:
    losers = sorted(lost, key=lambda bot: lost[bot][1])
    return (
        Placement(1, winner, remark="won the final"),
        *(Placement(place, bot, remark=remark) for bot in losers for remark, place in [lost[bot]]),
    )
