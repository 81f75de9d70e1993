"""Rounds: what of a tournament can be played at once, because nothing in it depends on anything else in it.

A format is a generator of rounds. Each round hears the results of its deal sets as they are stored, and the format goes
on when it has heard all of them. It keeps what it needs of them, and nobody else keeps any: a round may have millions
of games. It reads nothing but the file, the seed and these results, for a limit on time the time that was played when
they were stored, too; so a run which is resumed finds the same rounds again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.records.rows import GameResult
from harness.records.run import SetKey
from harness.records.set_keys import SetKeys
from harness.tournament.job import Job

Hear = Callable[[SetKey, Sequence[GameResult]], None]
"""Takes in a deal set that is stored, with the results of its games by rotation."""


def unheard(_: SetKey, __: Sequence[GameResult]) -> None:
    """For a round after which nothing depends on its results."""


@dataclass(frozen=True, slots=True)
class Round:
    """Jobs that may be played in any order, and at once.

    `title` is "" where a tournament has one round alone. `pairs` are the matches of a round in which bots are paired,
    `byes` the bots that sit it out. `hear` is to be called with each of its deal sets, once, in any order.
    """

    title: str
    jobs: tuple[Job, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    byes: tuple[str, ...] = ()
    hear: Hear = field(default=unheard, repr=False, compare=False)

    @property
    def keys(self) -> Iterator[SetKey]:
        """Every deal set of the round, in the order of the schedule."""
        return (key for job in self.jobs for key in job.keys)

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
"""The games of each of some deal sets, by rotation."""

PlayedUntil = Callable[[Iterable[SetKey]], float]
"""For how many seconds a run had been played when the last of these deal sets was stored, pauses left out."""

Rounds = Generator[Round, None, Outcome]


class Course:
    """The rounds of a tournament, walked through one by one.

    `round` is the one to be played next, None when there is none; then `outcome` is there.
    """

    def __init__(self, rounds: Rounds) -> None:
        """Before the first round."""
        self._rounds = rounds
        self._due = SetKeys()
        """What the round has not heard yet."""
        self._early: dict[SetKey, Sequence[GameResult]] = {}
        """Stored deal sets of rounds that are still to come."""
        self.round: Round | None = None
        self.outcome: Outcome | None = None
        self.go_on()

    def hear(self, key: SetKey, results: Sequence[GameResult]) -> None:
        """A deal set is stored, with these results. One of a round that is still to come is kept until then."""
        if self.round is not None and key in self._due:
            self._due.remove(key)
            self.round.hear(key, results)
        else:
            self._early[key] = results

    def go_on(self) -> None:
        """Go on to the first round that has a deal set which is not stored."""
        while not self._due and self.outcome is None:
            try:
                self.round = next(self._rounds)
            except StopIteration as stop:
                self.round = None
                self.outcome = stop.value
            else:
                for key in self.round.keys:
                    if key in self._early:
                        self.round.hear(key, self._early.pop(key))
                    else:
                        self._due.add(key)

    def take_in(self, stored: RoundResults) -> None:
        """All these deal sets are stored: hear them, and go on."""
        for key, results in stored.items():
            self.hear(key, results)
            self.go_on()
