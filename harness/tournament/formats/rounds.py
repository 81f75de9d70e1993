"""The contract of a tournament format: a generator of rounds that returns an outcome.

A format (`Rounds`) yields a `Round`: jobs that can be played at the same time, since none depends on the results of
another. The round's `on_set_stored` receives the results of each of its deal sets when they are stored, and
`on_set_left_out` each set that stays void for good (`values.voids`). When all sets are accounted for, the format yields
the next round. A format must come to an end whatever sets are left out, even all of them. `RoundSequence` drives a
format.

A format may depend only on the file, the seed, these results, the sets left out and, for a time limit, the playing time
when the results were stored. So a resumed run gets the same rounds again. A format keeps only counts, since a round may
have millions of games.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.records.values.set_keys import SetKeys
from bowerbird.harness.tournament.jobs.job import Job, LineupWanted
from bowerbird.harness.tournament.jobs.schedule import Schedule

OnSetStored = Callable[[SetKey, Sequence[GameResult]], None]
"""Called with a stored deal set and the results of its games, by rotation."""


OnSetLeftOut = Callable[[SetKey], None]
"""Called with a deal set that has no results and will never have any."""


def ignore_results(_: SetKey, __: Sequence[GameResult]) -> None:
    """Do nothing. This is the `on_set_stored` of a round whose results decide no later round."""


def ignore_set(_: SetKey) -> None:
    """Do nothing. This is the `on_set_left_out` of a format that counts only stored sets."""


@dataclass(frozen=True, slots=True)
class Round:
    """Jobs that may be played at the same time and in any order.

    title: "" in a tournament of one round.
    jobs: in the order of play. A `Schedule` makes each job only when it is needed.
    pairs: the matches of a round, in a format that pairs bots.
    byes: the bots that sit the round out.
    on_set_stored: called once with each deal set of the round that has results, in any order.
    on_set_left_out: called once with each of the other deal sets.
    """

    title: str
    jobs: Sequence[Job]
    pairs: tuple[tuple[str, str], ...] = ()
    byes: tuple[str, ...] = ()
    on_set_stored: OnSetStored = field(default=ignore_results, repr=False, compare=False)
    on_set_left_out: OnSetLeftOut = field(default=ignore_set, repr=False, compare=False)

    @property
    def keys(self) -> Iterator[SetKey]:
        """The deal sets of the round, in the order of play."""
        return (key for job in self.jobs for key in job.keys)

    def has(self, key: SetKey) -> bool:
        """Return whether a deal set belongs to the round."""
        if isinstance(self.jobs, Schedule):
            return self.jobs.has(key)
        return any(
            job.entry == key.entry and job.lineup.text == key.lineup and key.number in job.sets for job in self.jobs
        )

    @property
    def sets(self) -> int:
        """The number of deal sets."""
        return self.jobs.sets if isinstance(self.jobs, Schedule) else sum(len(job.sets) for job in self.jobs)

    def sets_where(self, wanted: LineupWanted) -> int:
        """Return the number of deal sets of some line-ups."""
        if isinstance(self.jobs, Schedule):
            return len(self.jobs.turns.sets) * sum(wanted(job.lineup.text) for job in self.jobs.lineups)
        return sum(len(job.sets) for job in self.jobs if wanted(job.lineup.text))

    @property
    def games(self) -> int:
        """The number of games."""
        return self.jobs.games if isinstance(self.jobs, Schedule) else sum(job.games for job in self.jobs)


RoundResults = Mapping[SetKey, Sequence[GameResult]]
"""The results of deal sets, each by rotation."""

PlayedUntil = Callable[[Iterable[SetKey]], float]
"""Returns the playing time of a run, in seconds without pauses, when the last of these deal sets was stored."""

Rounds = Generator[Round, None, Outcome]
"""A running format, which yields rounds and returns the outcome."""


class RoundSequence:
    """The rounds of a tournament, one after another.

    `round` is the one to play, None after the last; then `outcome` is set. Call `set_stored` for each stored deal set
    and `leave_out` for each that is left out, then `advance`.
    """

    def __init__(self, rounds: Rounds) -> None:
        """Start with the first round."""
        self._rounds = rounds
        self._known = SetKeys()
        """The deal sets of the round that are stored or left out."""
        self._missing = 0
        """The number of its deal sets that are neither stored nor left out."""
        self._early: dict[SetKey, Sequence[GameResult]] = {}
        """The stored deal sets of later rounds."""
        self._left_out_early: set[SetKey] = set()
        """The deal sets of later rounds that are left out."""
        self.round: Round | None = None
        self.outcome: Outcome | None = None
        self.advance()

    def set_stored(self, key: SetKey, results: Sequence[GameResult]) -> None:
        """Pass a stored deal set to the round, or keep it for a later one."""
        if (round_ := self._round_of(key)) is not None:
            round_.on_set_stored(key, results)
        else:
            self._early[key] = results

    def leave_out(self, key: SetKey) -> None:
        """Report a deal set without results to its round, or keep it for a later round."""
        if (round_ := self._round_of(key)) is not None:
            round_.on_set_left_out(key)
        else:
            self._left_out_early.add(key)

    @property
    def missing(self) -> int:
        """The number of deal sets of the round that are neither stored nor left out."""
        return self._missing

    def missing_where(self, wanted: LineupWanted) -> int:
        """Return how many of these belong to the given line-ups."""
        return 0 if self.round is None else self.round.sets_where(wanted) - self._known.count_where(wanted)

    def _round_of(self, key: SetKey) -> Round | None:
        """If a deal set belongs to the round and is new, count it and return the round; else return None."""
        if self.round is None or not self.round.has(key) or not self._known.add(key):
            return None
        self._missing -= 1
        return self.round

    def advance(self) -> None:
        """Move to the first round with a deal set that is neither stored nor left out, or to the outcome."""
        while not self._missing and self.outcome is None:
            try:
                self.round = next(self._rounds)
            except StopIteration as stop:
                self.round = None
                self.outcome = stop.value
            else:
                self._known, self._missing = SetKeys(), self.round.sets
                for key in self._due(self._early):
                    self.set_stored(key, self._early.pop(key))
                for key in self._due(self._left_out_early):
                    self._left_out_early.remove(key)
                    self.leave_out(key)

    def _due(self, early: Collection[SetKey]) -> list[SetKey]:
        """Return the early deal sets that belong to the round. Iterates over the shorter of the two lists."""
        round_ = self.round
        assert round_ is not None
        if len(early) < self._missing:
            return [key for key in early if round_.has(key)]
        return [key for key in round_.keys if key in early]

    def replay(self, stored: RoundResults, left_out: Iterable[SetKey] = ()) -> None:
        """Pass stored and left-out deal sets to their rounds. Advance past the rounds that they complete."""
        for key in left_out:
            self.leave_out(key)
        self.advance()
        for key, results in stored.items():
            self.set_stored(key, results)
            self.advance()
