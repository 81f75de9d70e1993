"""Results of rounds without a game: whoever a test wants wins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from harness.records.result import sides_of
from harness.records.rows import GameResult
from harness.records.run import GameId, SetKey
from harness.records.set_keys import Block
from harness.tournament.job import Job
from harness.tournament.rounds import Course, Round, RoundResults, Rounds

Ranker = Callable[[tuple[str, ...]], tuple[int, ...]]
"""From the bots by seat to their ranks by seat."""


class NothingStored:
    """What is stored of a run that has just begun."""

    def keys(self) -> Iterable[SetKey]:
        return ()

    def results(self, block: Block) -> Iterable[GameResult]:
        raise AssertionError(f"{block} was recalled, and no later deal set belongs before it")

    def played_ms(self) -> Mapping[SetKey, int]:
        return {}


def stronger(strength: dict[str, float]) -> Ranker:
    """The bot of the greater strength wins each game; equal ones tie."""

    def ranks(bots: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(1 + sum(strength[other] > strength[bot] for other in set(bots)) for bot in bots)

    return ranks


def results_of(round_: Round, ranker: Ranker, decisions: int = 10) -> RoundResults:
    """The results of every deal set of a round."""
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
    """The id of a game of a job."""
    return GameId(job.run, job.entry, job.lineup.text, number, rotation)


def _bots(job: Job, number: int, rotation: int) -> tuple[str, ...]:
    seats = job.lineup.seats(number, rotation)
    by_seat = dict(zip(seats, job.lineup.positions, strict=True))
    return tuple(by_seat[seat] for seat in range(len(seats)))


def walked(rounds: Rounds, ranker: Ranker) -> tuple[list[Round], Course]:
    """All rounds as they come when this ranker decides every game."""
    course = Course(rounds)
    seen: list[Round] = []
    while course.round is not None:
        seen.append(course.round)
        course.take_in(results_of(course.round, ranker))
    return seen, course
