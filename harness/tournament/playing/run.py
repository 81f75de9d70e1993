"""Plays a run: gives rounds to an executor, stores complete deal sets, and fits ratings from time to time.

An interrupted run loses only the games of incomplete deal sets. When it is resumed with the same name and seed, it
plays the sets that are not stored.

A game without a result makes its whole deal set void (`values.voids`). After the other jobs of its round, the set is
played again with new packs. If its last attempt is void too, it is left out: it has no results, and the round continues
without it.

A run that was corrected plays from the seeds of its corrections (`DealSeeds`). Rounds, lots and seedings keep the run's
own seed. An annulled deal set is not played again: later rounds still depend on its games.

The memory of a run does not grow with its games: it keeps one bit per stored deal set, the jobs in play, and the counts
of the format. The ratings that it reports during play are those of its standings, refitted as often as is cheap; after
the last deal set they are those of the final table.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

import trio

from bowerbird.harness.ratings.pairs import result_of_record
from bowerbird.harness.ratings.results_digest import digest_of
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.values.annotations import Annotations
from bowerbird.harness.records.values.faults import Incident
from bowerbird.harness.records.values.game_record import GameRecord
from bowerbird.harness.records.values.game_result import by_set
from bowerbird.harness.records.values.machines import Machine
from bowerbird.harness.records.values.outcome import WITHDRAWN
from bowerbird.harness.records.values.placements import Outcome
from bowerbird.harness.records.values.run import UNKNOWN_DIGEST, CompletedSet, CpuTotal, GameId, ResultsDigest, SetKey
from bowerbird.harness.records.values.set_keys import SetKeys
from bowerbird.harness.records.values.voids import VoidedSet, attempts_of, left_out_of
from bowerbird.harness.referee.game.fault_ledger import CpuUsed, FaultLedger, LedgerEntry
from bowerbird.harness.referee.spec import TableSpec, VoidedGame
from bowerbird.harness.tournament import events
from bowerbird.harness.tournament.annulled import annulled_results
from bowerbird.harness.tournament.executors.contract import Executor
from bowerbird.harness.tournament.formats.rounds import Round, RoundSequence
from bowerbird.harness.tournament.jobs.job import DealSeeds, Job, Jobs, SetCollector
from bowerbird.harness.tournament.plan import Plan
from bowerbird.harness.tournament.playing.backlog import Backlog
from bowerbird.harness.tournament.playing.run_clock import RunClock, untimed_sets
from bowerbird.harness.tournament.playing.stored_absences import absences_of
from bowerbird.harness.tournament.record_ratings import OVERALL, record_ratings

LEAST_PAUSE_S = 2.0
"""The shortest time between two fits, and before the first."""

PAUSES = 50
"""The next fit waits this many times the duration of the last one, so fits use at most about 2% of a processor."""


def pause_s(took_s: float) -> float:
    """Return how long to wait after a fit that took `took_s` seconds of processor time."""
    return max(LEAST_PAUSE_S, PAUSES * took_s)


def fitted_now(run: StoredRun, config: str) -> tuple[events.RatingsFitted, float]:
    """Return the ratings of the results stored so far, and the processor time of the fit. Callable from any thread.

    config: the resolved copy of the tournament file. Raises StoreError if the results cannot be read.
    """
    began = time.thread_time()
    with run.store.another() as store:
        results = store[run.fingerprint].results()
    games: Counter[tuple[str, str]] = Counter()
    for game in results:
        if game.rated:
            for bot in {*game.bots}:
                games[game.variant, bot] += 1
                games[OVERALL, bot] += 1
    sets = len({game.id.set_key for game in results})
    return events.RatingsFitted(sets, tuple(record_ratings(results, config)), dict(games)), time.thread_time() - began


CPU_STORED_EVERY_S = 5.0
"""Seconds between two updates of bots' stored processor time during a run."""


class SetWriter(Protocol):
    """A writer that makes deal sets durable, as returned by `Store.begin`."""

    def save_sets(
        self,
        sets: Sequence[CompletedSet],
        digest: ResultsDigest,
        played_ms: int,
        incidents: Sequence[Incident],
        voids: Sequence[VoidedSet] = (),
    ) -> int:
        """Store complete and void sets in one transaction, with the digest and the playing time so far."""

    def add_cpu(self, used: Sequence[CpuTotal]) -> None:
        """Add bots' processor time and new processes to the stored values."""

    def unpair(self, number: int, bots: Collection[str]) -> None:
        """Store the bots that are not paired in a round because they were withdrawn."""

    def end(self, outcome: Outcome) -> None:
        """Mark the run as complete, with its outcome."""


class Run:
    """The state of a run in play: stored sets, rounds, and incidents that are not stored yet."""

    def __init__(
        self,
        plan: Plan,
        stored: StoredRun,
        writer: SetWriter,
        progress: events.Progress,
        *,
        machine_of: Callable[[SetKey], Machine] | None = None,
        backlog: Backlog | None = None,
        interim_ratings: bool = True,
    ) -> None:
        """Continue from `stored`.

        progress: called with each event.
        machine_of: returns the machine that played a deal set; called once for each complete one. None stores no
            machines.
        backlog: counts the deal sets that wait to be stored.
        interim_ratings: whether to fit the ratings of a rated run while it is being played.
        """
        self.plan = plan
        self._backlog = backlog or Backlog()
        self._machine_of = machine_of
        self._writer = writer
        self._progress = progress
        self._correction_seeds = stored.secret_seeds()
        corrections = stored.corrections()
        self._deal_seeds = DealSeeds(
            corrections, self._correction_seeds, plan.header.beacon, is_published=stored.is_published
        )
        self._clock = RunClock(stored.played_ms(), corrected=untimed_sets(plan.file.format, corrections))
        self._ledger = FaultLedger(plan.file.limits, stored.conduct())
        absences = absences_of(stored, self._ledger, writer.unpair)
        self._rounds = RoundSequence(plan.rounds(self._clock.stored_at_s, absences))
        self._stored = stored
        self._fits = interim_ratings and plan.file.rated
        self._sets_fitted = 0
        self._fit_at_s = math.inf
        """The time of the next rating fit, on trio's clock."""
        self._done = SetKeys()
        """The deal sets that are stored, annulled or left out."""
        self._attempts: dict[SetKey, int] = {}
        """The number of void attempts at a deal set from its present seed; only for sets with a void attempt."""
        self._left_out = SetKeys()
        self._games_done = 0
        self._unstored_incidents: list[Incident] = []
        self._unstored_cpu: dict[str, tuple[int, int]] = {}
        self._load(stored)

    def _load(self, stored: StoredRun) -> None:
        """Load the stored voids, then the stored results, block by block in schedule order."""
        voids = stored.voids()
        self._attempts = attempts_of(void for void in voids if void.correction == self._deal_seeds.number(void.key))
        for key in left_out_of(voids):
            self._leave_out(key)
        self._rounds.advance()
        for key, results in annulled_results(stored).items():
            self._left_out.add(key)
            self._done.add(key)
            self._rounds.set_stored(key, results)
            self._rounds.advance()
        keys = SetKeys(stored.stored_sets())
        for block in keys.blocks():
            for key, results in by_set(stored.results(block, with_times=True)).items():
                self._done.add(key)
                self._games_done += len(results)
                self._rounds.set_stored(key, results)
                self._rounds.advance()

    def on_ledger_entry(self, entry: LedgerEntry) -> None:
        """Keep an entry until it is stored.

        An incident is stored with its first game, with the void of that game's set, or, if it affected no game, with
        the next set. Processor time is stored every CPU_STORED_EVERY_S and at the end of play.
        """
        self._ledger.learn(entry)
        if isinstance(entry, Incident):
            self._unstored_incidents.append(entry)
        elif isinstance(entry, CpuUsed):
            cpu_ms, processes = self._unstored_cpu.get(entry.bot, (0, 0))
            self._unstored_cpu[entry.bot] = (cpu_ms + entry.cpu_ms, processes + entry.processes)

    async def play(self, executor: Executor) -> None:
        """Play every round with deal sets that are not stored, then end the run."""
        self._clock.start()
        self._fit_at_s = trio.current_time() + pause_s(0.0)
        self._progress(events.RunStarted(self.plan.header, self.plan.extent, self._sets_stored, self._games_done))
        while (round_ := self._rounds.round) is not None:
            await self._play_round(round_, executor)
            self._rounds.advance()
            assert self._rounds.round is not round_, "the executor left out a table"
        outcome = self._rounds.outcome
        assert outcome is not None  # a sequence without a next round has an outcome
        digest = await trio.to_thread.run_sync(self._digest)
        self._writer.save_sets([], digest, self._clock.stamp_ms(), ())
        self._writer.end(outcome)
        published = {number: seed.hex() for number, seed in self._correction_seeds.items()}
        self._progress(events.RunEnded(self.plan.header, self.plan.seed.hex(), outcome, published))

    def _digest(self) -> ResultsDigest:
        """Return the digest of all results, which identifies the ratings of record."""
        with self._stored.store.another() as store:
            return digest_of(store[self._stored.fingerprint].results())

    async def _play_round(self, round_: Round, executor: Executor) -> None:
        if round_.title:
            self._progress(events.RoundStarted(round_))
        jobs = Jobs(self._jobs(round_), self._rounds.missing, self._rounds.missing_where)
        while jobs.sets:
            jobs = await self._play_jobs(jobs, executor)

    def _jobs(self, round_: Round) -> Iterator[Job]:
        """Yield the remaining jobs of a round, first attempts first. Each job has one seed and one attempt."""
        later: list[Job] = []
        for job in round_.jobs:
            left = job.without(self._done)
            for part in left.by_seed(self._deal_seeds.of) if left.sets else ():
                for one in part.by_attempt(self._attempts):
                    if one.attempt:
                        later.append(one)
                    else:
                        yield one
        yield from sorted(later, key=lambda job: job.attempt)

    async def _play_jobs(self, jobs: Jobs, executor: Executor) -> Jobs:
        """Play all tables of these jobs. Return jobs for the next attempt at the void deal sets.

        One task stores deal sets as they become complete or void, another stores processor time.
        """
        collector = SetCollector()
        ended_in, ended = trio.open_memory_channel[CompletedSet | VoidedSet](math.inf)

        def hand_over(result: CompletedSet | VoidedSet) -> None:
            self._backlog.add(1)
            ended_in.send_nowait(result)

        def on_game(table: TableSpec, game: GameRecord, annotations: Annotations) -> None:
            void = collector.void_of(table)
            if void is not None:
                if any(game.id in incident.games for incident in self._unstored_incidents):
                    hand_over(void)  # again: it may already be stored, and it carries the incident
                return
            self._report(game)
            result = collector.add(table, game, annotations)
            if result is not None:
                hand_over(self._with_machine(result))

        def on_void(table: TableSpec, voided: VoidedGame) -> None:
            void, dropped = collector.void(table, voided)
            self._games_done -= dropped
            hand_over(void)

        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._save_all, ended)
                with ended_in:
                    async with trio.open_nursery() as timers:
                        timers.start_soon(self._store_cpu_regularly)
                        if self._fits:
                            timers.start_soon(self._fit_regularly)
                        await executor.play_jobs(replace(jobs, jobs=collector.expected(jobs)), on_game, on_void)
                        timers.cancel_scope.cancel()
        except BaseException:
            with suppress(StoreError):  # the error that ends the run is raised instead
                await self._store_cpu()
            raise
        await self._store_cpu()
        again = collector.again([key for key in collector.voided if key not in self._left_out])
        return Jobs.listed(again)

    def _with_machine(self, completed: CompletedSet) -> CompletedSet:
        return completed if self._machine_of is None else replace(completed, machine=self._machine_of(completed.key))

    async def _save_all(self, ended: trio.MemoryReceiveChannel[CompletedSet | VoidedSet]) -> None:
        """Save sets as they arrive, all waiting sets in one transaction.

        After a cancellation, save those still waiting.
        """
        try:
            async for result in ended:
                await self._save([result, *_waiting(ended)])
        except trio.Cancelled:
            if waiting := list(_waiting(ended)):
                await self._save(waiting)
            raise

    async def _save(self, ended: Sequence[CompletedSet | VoidedSet]) -> None:
        """Make sets durable, then report each. A thread waits for the disk, so that games continue."""
        sets = [one for one in ended if isinstance(one, CompletedSet)]
        voids = list({(one.key, one.attempt): one for one in ended if isinstance(one, VoidedSet)}.values())
        results = {one.key: tuple(map(result_of_record, one.games)) for one in sets}
        played_ms = self._clock.stamp_ms()
        incidents = self._take_incidents(sets, voids)
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(self._writer.save_sets, sets, UNKNOWN_DIGEST, played_ms, incidents, voids)
        for key, games in results.items():
            self._done.add(key)
            self._rounds.set_stored(key, games)
            self._progress(events.SetSaved(key, self._sets_stored, games))
        for void in voids:
            self._voided(void)
        self._backlog.remove(len(ended))

    async def _store_cpu_regularly(self) -> None:
        """Store processor time every CPU_STORED_EVERY_S until cancelled, however long a deal set takes."""
        while True:
            await trio.sleep(CPU_STORED_EVERY_S)
            await self._store_cpu()

    async def _fit_regularly(self) -> None:
        """Fit the ratings of the stored results from time to time, in a thread, until cancelled."""
        while True:
            await trio.sleep_until(self._fit_at_s)
            took_s = 0.0
            if self._sets_stored != self._sets_fitted:
                fitted, took_s = await trio.to_thread.run_sync(
                    fitted_now, self._stored, self.plan.header.config, abandon_on_cancel=True
                )
                if not self._sets_fitted:
                    took_s = 0.0  # the first one also imports numpy
                self._sets_fitted = fitted.sets
                self._progress(fitted)
            self._fit_at_s = trio.current_time() + pause_s(took_s)

    async def _store_cpu(self) -> None:
        """Store the processor time reported since the last call."""
        used = [CpuTotal(bot, cpu_ms, processes) for bot, (cpu_ms, processes) in sorted(self._unstored_cpu.items())]
        self._unstored_cpu = {}
        if used:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self._writer.add_cpu, used)

    def _voided(self, void: VoidedSet) -> None:
        """Count and report a durable void, unless it is already known and only adds bots."""
        if self._attempts.get(void.key, 0) > void.attempt:
            return
        self._attempts[void.key] = void.attempt + 1
        if void.is_last:
            self._leave_out(void.key)
        self._progress(events.SetVoided(void, self._games_done))

    def _leave_out(self, key: SetKey) -> None:
        self._left_out.add(key)
        self._done.add(key)
        self._rounds.leave_out(key)

    @property
    def _sets_stored(self) -> int:
        return len(self._done) - len(self._left_out)

    def _take_incidents(self, sets: Sequence[CompletedSet], voids: Sequence[VoidedSet]) -> list[Incident]:
        """Remove and return the incidents to store with these sets: those without a game, and those with one of their
        games.

        The other incidents wait for their set: if the set is lost, it is played again and its incidents occur again.
        Incidents in void sets count, since the replacement is a different game. If one comes after its set's void, the
        void is reported again when its game ends.
        """
        games = {game.id for one in sets for game in one.games}
        void = {one.key for one in voids}
        due = [
            one
            for one in self._unstored_incidents
            if not one.games
            or not games.isdisjoint(one.games)
            or (void and any(GameId.parse(game).set_key in void for game in one.games))
        ]
        self._unstored_incidents = [one for one in self._unstored_incidents if one not in due]
        return due

    def _report(self, game: GameRecord) -> None:
        self._games_done += 1
        is_missed = game.result.ended == WITHDRAWN
        self._progress(
            events.GamePlayed(
                game_id=game.id,
                variant=game.variant,
                ended=game.result.ended,
                faults=() if is_missed else tuple((game.seats[fault.seat].bot, fault.kind) for fault in game.faults),
                missed_by=tuple({game.seats[fault.seat].bot: None for fault in game.faults}) if is_missed else (),
                games_done=self._games_done,
            )
        )


def _waiting(ended: trio.MemoryReceiveChannel[CompletedSet | VoidedSet]) -> Iterator[CompletedSet | VoidedSet]:
    """Yield the sets that are now in the channel."""
    while True:
        try:
            yield ended.receive_nowait()
        except (trio.WouldBlock, trio.EndOfChannel):
            return
