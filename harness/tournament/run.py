"""The state of a run while it is played: rounds in, deal sets out, each stored in one transaction, ratings in order.

A run that is interrupted loses the sets in flight and nothing else: played again with the same name and seed it goes
on after the sets that are stored. Ratings are applied in the order of the schedule, whatever ends first.

What a run remembers of a deal set that is stored is a bit, that it is; all else is in ratings and in what its format
counts. So its memory does not grow with its games.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import trio

from harness.ratings.elo import result_of_record
from harness.ratings.ladder import Ladder
from harness.records.incident import Incident
from harness.records.record import GameRecord
from harness.records.rows import GameResult, by_set
from harness.records.run import RatingTable, SetKey, SetResult
from harness.records.set_keys import Block, SetKeys
from harness.records.store import Store
from harness.records.story import FaultStory
from harness.referee.docket import Entry
from harness.referee.spec import TableSpec
from harness.tournament.events import GamePlayed, Progress, RoundStarted, RunEnded, RunStarted, SetSaved
from harness.tournament.executors.contract import Executor
from harness.tournament.job import Job, SetCollector
from harness.tournament.plan import Plan
from harness.tournament.playing_time import PlayingTime
from harness.tournament.rounds import Course, Round


class SetWriter(Protocol):
    """Whoever makes deal sets durable; the writer of a run in the store does."""

    def save_sets(
        self, sets: Sequence[SetResult], ratings: RatingTable, played_ms: int, incidents: Sequence[Incident]
    ) -> int:
        """Store complete sets, what belongs to them, and the ratings after them, all or nothing."""

    def end(self) -> None:
        """The run is complete."""


class StoredSets(Protocol):
    """What is stored of a run; `StoredRun` reads it from the store."""

    def keys(self) -> Iterable[SetKey]:
        """The deal sets."""

    def results(self, block: Block) -> Iterable[GameResult]:
        """The results of those of a block, at any time while the run is played."""

    def played_ms(self) -> Mapping[SetKey, int]:
        """By deal set, how long the run had been played when it was stored."""


class StoredRun:
    """A run in the store."""

    def __init__(self, store: Store, fingerprint: str) -> None:
        """The run of this fingerprint; it may have been begun just now."""
        self._store = store
        self._fingerprint = fingerprint

    def keys(self) -> Iterable[SetKey]:
        """See `StoredSets`."""
        return self._store.stored_sets(self._fingerprint)

    def results(self, block: Block) -> Iterable[GameResult]:
        """See `StoredSets`."""
        return self._store.results(self._fingerprint, block)

    def played_ms(self) -> Mapping[SetKey, int]:
        """See `StoredSets`."""
        return self._store.played_ms(self._fingerprint)


class Run:
    """The state of a run while it is played: which sets are stored, what is rated, what was counted."""

    def __init__(self, plan: Plan, stored: StoredSets, writer: SetWriter, progress: Progress) -> None:
        """A run that goes on after what is stored of it."""
        self.plan = plan
        self._writer = writer
        self._progress = progress
        self._played = PlayingTime(stored.played_ms())
        self._course = Course(plan.rounds(self._played.until))
        self._ladder = Ladder(stored.results)
        self._done = SetKeys()
        self._games_done = 0
        self._incidents: list[Incident] = []
        """Those that are not stored."""
        self._read(stored)

    def note(self, entry: Entry) -> None:
        """A bot did something wrong; it is stored with the first game that it hit, or with the next, if it hit none."""
        if isinstance(entry, Incident):
            self._incidents.append(entry)

    async def play(self, executor: Executor) -> None:
        """Play every round that has sets left, then end the run."""
        self._played.go_on()
        self._progress(RunStarted(self.plan.header, self.plan.extent, len(self._done), self._games_done))
        while (round_ := self._course.round) is not None:
            await self._play_round(round_, executor)
            self._course.go_on()
            assert self._course.round is not round_, "the executor left out a table"
        assert self._course.outcome is not None
        self._writer.end()
        self._progress(RunEnded(self.plan.header, self.plan.seed.hex(), self._course.outcome))

    def _read(self, stored: StoredSets) -> None:
        """Take in what is stored, block by block in the order of the schedule."""
        keys = SetKeys(stored.keys())
        self._ladder.expect(keys)
        for block in keys.blocks():
            for key, results in by_set(stored.results(block)).items():
                self._done.add(key)
                self._games_done += len(results)
                self._ladder.add(key, results)
                self._course.hear(key, results)
                self._course.go_on()

    async def _play_round(self, round_: Round, executor: Executor) -> None:
        """Play what of the round is not stored."""
        left = [job for job in (job.without(self._done) for job in round_.jobs) if job.sets]
        if round_.title:
            self._progress(RoundStarted(round_))
        self._ladder.expect(round_.keys)
        await self._play_jobs(left, executor)

    async def _play_jobs(self, jobs: Sequence[Job], executor: Executor) -> None:
        """Play all tables of these jobs; sets are saved beside the play, one after the other."""
        collector = SetCollector(jobs)
        send, receive = trio.open_memory_channel[SetResult](math.inf)

        def on_game(table: TableSpec, game: GameRecord, stories: tuple[FaultStory, ...]) -> None:
            self._tell(game)
            complete = collector.add(table, game, stories)
            if complete is not None:
                send.send_nowait(complete)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._save_all, receive)
            with send:
                await executor.play(jobs, on_game)

    async def _save_all(self, sets: trio.MemoryReceiveChannel[SetResult]) -> None:
        """Save sets as they come, those that wait together. One that is complete at a cancellation is still saved."""
        try:
            async for complete in sets:
                await self._save([complete, *_waiting(sets)])
        except trio.Cancelled:
            if waiting := list(_waiting(sets)):
                await self._save(waiting)
            raise

    async def _save(self, sets: Sequence[SetResult]) -> None:
        """Make sets durable together, then say so of each. A thread waits for the disk, so that no bot does."""
        results = {one.key: tuple(map(result_of_record, one.games)) for one in sets}
        for key, games in results.items():
            self._ladder.add(key, games)
        ratings = self._ladder.table()
        played_ms = self._played.stamp()
        incidents = self._take_incidents(sets)
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(self._writer.save_sets, sets, ratings, played_ms, incidents)
        for key, games in results.items():
            self._done.add(key)
            self._course.hear(key, games)
            self._progress(SetSaved(key, len(self._done), ratings, games))

    def _take_incidents(self, sets: Sequence[SetResult]) -> list[Incident]:
        """The incidents that are to be stored with these sets. A set that is played again meets its own again."""
        games = {game.id for one in sets for game in one.games}
        due = [one for one in self._incidents if not one.games or not games.isdisjoint(one.games)]
        self._incidents = [one for one in self._incidents if one not in due]
        return due

    def _tell(self, game: GameRecord) -> None:
        self._games_done += 1
        self._progress(
            GamePlayed(
                game_id=game.id,
                variant=game.variant,
                ended=game.result.ended,
                faults=tuple((game.seats[fault.seat].bot, fault.kind) for fault in game.faults),
                games_done=self._games_done,
            )
        )


def _waiting(sets: trio.MemoryReceiveChannel[SetResult]) -> Iterator[SetResult]:
    """What is in the channel now."""
    while True:
        try:
            yield sets.receive_nowait()
        except (trio.WouldBlock, trio.EndOfChannel):
            return
