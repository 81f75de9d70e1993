"""Chooses the workers that play for a run: each is checked, gets the bots, builds them and tests their isolation.

The coroutines here run in the asyncio loop of the connection.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter

from bowerbird.engine import counted
from bowerbird.harness.extras.cluster.answer_types import is_of_type
from bowerbird.harness.extras.cluster.connection import (
    ANSWER_S,
    ClusterConnection,
    WorkerAnswerError,
    WorkerBusyError,
    WorkerDefectError,
    WorkerGoneError,
    WorkerRefusalError,
)
from bowerbird.harness.extras.cluster.on_worker.bot_archive import PackedBot, pack_bot
from bowerbird.harness.extras.cluster.on_worker.site import LEASE_S, WantedIsolation, WorkerSite
from bowerbird.harness.extras.cluster.on_worker.worker_facts import WorkerFacts, describe, difference
from bowerbird.harness.records.values.game_record import LIMITS, NO_ISOLATION, SANDBOX
from bowerbird.harness.records.values.machines import Machine
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.errors import MachinesError
from bowerbird.harness.tournament.preparation.build import TIMEOUT_S as BUILD_S
from bowerbird.harness.tournament.preparation.isolation import TierChoice

WAIT_S = 10.0
"""How long to wait for a scheduler's first worker."""

LOOK_AGAIN_S = 2.0
"""How often to check whether busy workers are free."""

SENDINGS = 16
"""How many bots are sent to workers at once. Until it arrives, each is in memory here and in the scheduler."""

SLOWEST_BYTES_PER_S = 100_000
"""The minimum speed at which a worker must receive a bot."""

DISMISS_S = 20.0
"""How long a worker that will not play may take to end its bots. Otherwise its lease ends them."""

_TIERS = (NO_ISOLATION, LIMITS, SANDBOX)
"""The isolation tiers, the strongest last."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A worker that has the bots, and the isolation that works there."""

    address: str
    name: str
    facts: WorkerFacts
    choice: TierChoice


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A worker that does not play, with the reason and, if known, what to do about it.

    facts: its description of itself, if it sent one.
    tier: the isolation tier that works there; "" if unknown.
    is_busy: whether it serves another run and will be free later.
    """

    address: str
    name: str
    host: str
    why: str
    facts: WorkerFacts | None = None
    tier: str = ""
    is_busy: bool = False

    def __str__(self) -> str:
        """Return a sentence about the worker."""
        return f"worker {self.name}{f' on {self.host}' if self.host else ''}: {self.why}"


@dataclass(frozen=True, slots=True)
class Roster:
    """The workers of a run when it begins, in order of address, and the isolation of all games."""

    admitted: tuple[Candidate, ...]
    left_out: tuple[LeftOut, ...]
    choice: TierChoice

    @property
    def machines(self) -> tuple[str, ...]:
        """The workers' processors, and how many workers each has."""
        cpus = Counter(one.facts.cpu for one in self.admitted)
        return tuple(f"{counted(number, 'worker')} on {cpu}" for cpu, number in sorted(cpus.items()))

    @property
    def fastest(self) -> float:
        """The speed of the fastest machine."""
        return max(_speeds(self.admitted).values())


class RollCall:
    """The check of workers for one run."""

    def __init__(
        self,
        connection: ClusterConnection,
        bots: Iterable[BotSpec],
        wanted: WantedIsolation,
        max_slowdown: float,
        *,
        wait_s: float = WAIT_S,
    ) -> None:
        """Pack the bots. Raises MachinesError for one that cannot be sent.

        max_slowdown: how many times slower than the fastest machine a worker may be, by its calibration.
        wait_s: how long a scheduler without workers may take to get one.
        """
        self._connection = connection
        packed = [pack_bot(bot) for bot in bots]
        self._bots: Sequence[PackedBot] = [bot for bot, _ in packed]
        self._archives: Mapping[str, bytes] = {bot.digest: archive for bot, archive in packed}
        self._wanted = wanted
        self._max_slowdown = max_slowdown
        self._wait_s = wait_s
        self._own = describe(calibrated=False)
        self._sending = asyncio.Semaphore(SENDINGS)

    async def of_all(self) -> Roster:
        """Check all workers. Raises MachinesError if none can play.

        If none can play but some are busy, wait for those, since a killed run keeps them for `LEASE_S`.
        """
        end = asyncio.get_running_loop().time() + LEASE_S + LOOK_AGAIN_S
        admitted, left_out = await self.look_over()
        while not admitted and any(one.is_busy for one in left_out) and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(LOOK_AGAIN_S)
            admitted, left_out = await self.look_over()
        if not admitted:
            raise MachinesError(_none_can_play(self._connection, left_out))
        return Roster(admitted, left_out, max((one.choice for one in admitted), key=_strength))

    async def look_over(self) -> tuple[tuple[Candidate, ...], tuple[LeftOut, ...]]:
        """Return the workers that can play together, and the others.

        Raises MachinesError if there are no workers at all.
        """
        workers = await first_workers(self._connection, self._wait_s)
        looked_at = await asyncio.gather(*(self.examine(address, name) for address, name in workers.items()))
        left_out = [one for one in looked_at if isinstance(one, LeftOut)]
        candidates = [one for one in looked_at if isinstance(one, Candidate)]
        if not candidates:
            return (), tuple(left_out)
        choice = max((one.choice for one in candidates), key=_strength)
        speeds = _speeds(candidates)
        fastest = max(speeds.values())
        admitted = []
        for one in candidates:
            why = _unequal(one, choice, fastest / speeds[one.facts.machine], self._max_slowdown)
            if why:
                left_out.append(await self.leave_out(one, why))
            else:
                admitted.append(one)
        return tuple(admitted), tuple(left_out)

    async def examine(self, address: str, name: str) -> Candidate | LeftOut:
        """Check one worker. Raises MachinesError if the scheduler is gone."""
        facts = None
        try:
            facts = await self._connection.enter(address)
            if why := difference(self._own, facts):
                raise WorkerRefusalError(why)
            for bot in await self._missing(address):
                archive = self._archives[bot.digest]
                async with self._sending:
                    sent_s = ANSWER_S + len(archive) / SLOWEST_BYTES_PER_S
                    await self._connection.call_within(sent_s, address, WorkerSite.receive, bot, archive)
            choice = await self._connection.call_within(
                self._prepared_s, address, WorkerSite.prepare, self._bots, self._wanted
            )
            if not is_of_type(choice, TierChoice) or choice.tier not in _TIERS:
                raise WorkerAnswerError("it chose an isolation that does not exist")
        except (WorkerRefusalError, WorkerGoneError, WorkerDefectError) as error:
            await self._dismiss(address)
            why = error.sentence if isinstance(error, WorkerDefectError) else str(error)
            is_busy = isinstance(error, WorkerBusyError)
            return LeftOut(address, name, facts.host if facts is not None else "", why, facts, is_busy=is_busy)
        return Candidate(address, name, facts, choice)

    async def _missing(self, address: str) -> list[PackedBot]:
        """Return the bots that a worker lacks."""
        digests = await self._connection.call_within(ANSWER_S, address, WorkerSite.missing, self._bots)
        if not is_of_type(digests, list[str]):
            raise WorkerAnswerError("it does not say which bots it lacks")
        return [bot for bot in self._bots if bot.digest in digests]

    @property
    def _prepared_s(self) -> float:
        """How long a worker may take to build all bots."""
        return ANSWER_S + BUILD_S * sum(bool(bot.spec.build) for bot in self._bots)

    async def leave_out(self, candidate: Candidate, why: str) -> LeftOut:
        """End the site on a worker that will not play."""
        await self._dismiss(candidate.address)
        facts, tier = candidate.facts, candidate.choice.tier
        return LeftOut(candidate.address, candidate.name, facts.host, why, facts, tier)

    def unequal_to(self, roster: Roster, candidate: Candidate) -> str:
        """Return why a worker that came later does not match the others, or "" if it does."""
        speed = max(candidate.facts.speed, _speeds(roster.admitted).get(candidate.facts.machine, 0.0))
        return _unequal(candidate, roster.choice, roster.fastest / speed, self._max_slowdown)

    async def _dismiss(self, address: str) -> None:
        with suppress(WorkerRefusalError, WorkerGoneError, WorkerDefectError):  # it has no site
            await self._connection.call_within(DISMISS_S, address, WorkerSite.close)
        self._connection.forget(address)


async def first_workers(connection: ClusterConnection, wait_s: float = WAIT_S) -> Mapping[str, str]:
    """Return the name of each worker by address, once there are workers. Raises MachinesError if none comes."""
    loop = asyncio.get_running_loop()
    end = loop.time() + wait_s
    while not (workers := await connection.workers()):
        if loop.time() > end:
            raise MachinesError(
                f"the scheduler of {connection.address} has no workers; "
                f"start one with: dask worker {connection.address} --nthreads 1"
            )
        await asyncio.sleep(0.2)
    return workers


def by_machine(candidates: Iterable[Candidate]) -> Mapping[str, list[Candidate]]:
    """Return the workers of each machine, in the given order."""
    found: dict[str, list[Candidate]] = {}
    for one in sorted(candidates, key=attrgetter("address")):
        found.setdefault(one.facts.machine, []).append(one)
    return found


def machines_of(candidates: Iterable[Candidate]) -> dict[str, Machine]:
    """Return the machines of these workers, as stored with a run, by `WorkerFacts.machine`."""
    listed = [*candidates]
    cpus = {one.facts.machine: one.facts.cpu for one in listed}
    return {machine: Machine(cpus[machine], round(speed)) for machine, speed in _speeds(listed).items()}


def _speeds(candidates: Iterable[Candidate]) -> dict[str, float]:
    """Return the speed of each machine: that of its fastest worker, since the others were disturbed."""
    return {machine: max(one.facts.speed for one in ones) for machine, ones in by_machine(candidates).items()}


def _strength(choice: TierChoice) -> tuple[int, int]:
    return _TIERS.index(choice.tier), len(choice.measures)


def _none_can_play(connection: ClusterConnection, left_out: Sequence[LeftOut]) -> str:
    first, others = left_out[0], len(left_out) - 1
    more = f" (and {others} more)" if others else ""
    return f"none of the workers of {connection.address} can play; {first}{more}"


def _unequal(candidate: Candidate, choice: TierChoice, slowdown: float, max_slowdown: float) -> str:
    offered = candidate.choice
    if (offered.tier, offered.measures) != (choice.tier, choice.measures):
        remark = f": {offered.remark}" if offered.remark else ""
        return f"the run needs isolation {choice.tier!r}, which does not work there as it does elsewhere{remark}"
    if slowdown > max_slowdown:
        return (
            f"it is {slowdown:.1f} times slower than the fastest; must be at most {max_slowdown:g} times; "
            f"--max-slowdown {slowdown + 0.1:.1f} lets it play"
        )
    return ""
