"""Made-up results of rounds: the test decides who wins."""

from __future__ import annotations

from collections.abc import Callable

from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.outcome import sides_of
from bowerbird.harness.records.values.run import GameId
from bowerbird.harness.records.values.set_keys import Block
from bowerbird.harness.tournament.formats.rounds import Round, RoundResults, Rounds, RoundSequence
from bowerbird.harness.tournament.jobs.job import Job

Ranker = Callable[[tuple[str, ...]], tuple[int, ...]]
"""Maps the bots by seat to their ranks by seat."""


class NothingStored(StoredRun):
    """A run that has just begun."""

    def results(self, block: Block | None = None, *, with_times: bool = False) -> list[GameResult]:
        raise AssertionError(f"{block} was recalled, and no later deal set belongs before it")


def stronger(strength: dict[str, float]) -> Ranker:
    """Return a ranker by which the bot of greater strength wins each game; equal ones tie."""

    def ranks(bots: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(1 + sum(strength[other] > strength[bot] for other in set(bots)) for bot in bots)

    return ranks


def results_of(round_: Round, ranker: Ranker, decisions: int = 10) -> RoundResults:
    """Return the results of every deal set of a round."""
    return {key: _set(job, key.number, ranker, decisions) for job in round_.jobs for key in job.keys}


def _set(job: Job, number: int, ranker: Ranker, decisions: int) -> list[GameResult]:
    return [
        GameResult(
            id=table_id(job, number, rotation),
            variant=job.variant,
            bots=(bots := _bots(job, number, rotation)),
            sides=sides_of(job.variant, job.options),
            ranks=ranker(bots),
            scores=(0,) * len(bots),
            offenders=(),
            rated=True,
            decisions=decisions,
        )
        for rotation in range(len(job.lineup.rotations))
    ]


def table_id(job: Job, number: int, rotation: int) -> GameId:
    """Return the id of a game of a job."""
    return GameId(job.run, job.entry, job.lineup.text, number, rotation)


def _bots(job: Job, number: int, rotation: int) -> tuple[str, ...]:
    seats = job.lineup.seats(number, rotation)
    by_seat = dict(zip(seats, job.lineup.positions, strict=True))
    return tuple(by_seat[seat] for seat in range(len(seats)))


def walked(rounds: Rounds, ranker: Ranker) -> tuple[list[Round], RoundSequence]:
    """Return all rounds in order when this ranker decides every game."""
    sequence = RoundSequence(rounds)
    seen: list[Round] = []
    while sequence.round is not None:
        seen.append(sequence.round)
        sequence.replay(results_of(sequence.round, ranker))
    return seen, sequence
