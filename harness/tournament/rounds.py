"""Rounds: what of a tournament can be played at once, because nothing in it depends on anything else in it.

A format is a generator of rounds. It is sent the results of each round when all of its deal sets are stored, and goes
on from there. It reads nothing but the file, the seed and these results, for a limit on time the time that was played
when they were stored, too; so a run which is resumed finds the same rounds again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.records.rows import GameResult
from harness.records.run import SetKey
from harness.tournament.job import Job


@dataclass(frozen=True, slots=True)
class Round:
    """Jobs that may be played in any order, and at once.

    `title` is "" where a tournament has one round alone. `pairs` are the matches of a round in which bots are paired,
    `byes` the bots that sit it out.
    """

    title: str
    jobs: tuple[Job, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    byes: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[SetKey, ...]:
        """Every deal set of the round, in the order of the schedule."""
        return tuple(key for job in self.jobs for key in job.keys)

    @property
    def sets(self) -> int:
        """How many deal sets it has."""
        return sum(len(job.sets) for job in self.jobs)

    @property
    def games(self) -> int:
        """How many games it has."""
        return sum(job.games for job in self.jobs)


@dataclass(frozen=True, slots=True)
class Place:
    """A bot's place in a format that has places of its own; equal ones are shared.

    `points` counts matches won, a tied one as a half; `share` is the share of the games of its matches that it won;
    both are None where the format does not count them. `remark` says what a number does not: "lost the final".
    """

    place: int
    bot: str
    points: float | None = None
    share: float | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the rounds of a tournament came to their end.

    `reason` is why they stopped where that was open, "" otherwise. `places` is empty where the ratings alone say who is
    better.
    """

    reason: str = ""
    places: tuple[Place, ...] = ()


RoundResults = Mapping[SetKey, Sequence[GameResult]]
"""The games of each deal set of a round, by rotation."""

PlayedUntil = Callable[[Iterable[SetKey]], float]
"""For how many seconds a run had been played when the last of these deal sets was stored, pauses left out."""

Rounds = Generator[Round, RoundResults, Outcome]


class Course:
    """The rounds of a tournament, walked through one by one.

    `round` is the one to be played next, None when there is none; then `outcome` is there.
    """

    def __init__(self, rounds: Rounds) -> None:
        """Before the first round."""
        self._rounds = rounds
        self.round: Round | None = None
        self.outcome: Outcome | None = None
        try:
            self.round = next(rounds)
        except StopIteration as stop:
            self.outcome = stop.value

    def played(self, results: RoundResults) -> None:
        """The round has been played, with these results of all of its deal sets."""
        try:
            self.round = self._rounds.send(results)
        except StopIteration as stop:
            self.round = None
            self.outcome = stop.value

    def skip_stored(self, stored: RoundResults) -> None:
        """Go on to the first round that has a deal set which is not stored."""
        while self.round is not None and all(key in stored for key in self.round.keys):
            self.played({key: stored[key] for key in self.round.keys})
