"""A run's site on one Dask worker: its bots and a referee. It ends with the run, or when the run falls silent.

Everything here runs in the event loop of the worker. The run calls it through `at_site`.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import secrets
import shutil
import traceback
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Concatenate, Generic, ParamSpec, TypeVar, cast

from distributed import Worker

from bowerbird.harness.extras.cluster.on_worker.bot_archive import (
    PackedBot,
    is_unpacked,
    unpack_bot,
    unpacked_bot,
)
from bowerbird.harness.extras.cluster.on_worker.session import RefereeEndedError, RefereeSession, Reply
from bowerbird.harness.extras.cluster.on_worker.worker_facts import WorkerFacts, describe
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.game_record import Conditions
from bowerbird.harness.referee.game.fault_ledger import LedgerEntry
from bowerbird.harness.referee.registry import BotStory
from bowerbird.harness.referee.spec import BotSpec, TableSpec
from bowerbird.harness.tournament.errors import BuildError, TournamentError
from bowerbird.harness.tournament.executors.contract import RefereeSetup
from bowerbird.harness.tournament.executors.messages import LedgerUpdate
from bowerbird.harness.tournament.preparation.build import prepare
from bowerbird.harness.tournament.preparation.isolation import TierChoice, choose_tier

P = ParamSpec("P")
T = TypeVar("T")

EXTENSION = "bowerbird"
"""The name of our extension of a Dask worker, which has its sites."""

LINE_LIMIT = 160
"""How many characters of a line of build output an error shows."""

LEASE_S = 30.0
"""How long a site stays without a call from its run."""


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """The result of a successful call."""

    value: T


@dataclass(frozen=True, slots=True)
class Busy:
    """Another run is using the worker."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A call could not be carried out; `why` is a sentence for people."""

    why: str


@dataclass(frozen=True, slots=True)
class Gone:
    """The site or its referee has ended.

    The run may start again on this worker.
    is_lost: whether its referee ended unexpectedly. Otherwise its lease ended.
    """

    why: str
    is_lost: bool


@dataclass(frozen=True, slots=True)
class Defect:
    """A bug in the harness ended the call."""

    traceback: str


Answer = Done[T] | Busy | Refused | Gone | Defect


@dataclass(frozen=True, slots=True)
class WantedIsolation:
    """The inputs of `choose_tier`.

    asked: the requested tier; "" for the best.
    hidden: folders of the run that no sandboxed bot may read. They may also exist on the worker's machine.
    stored: the conditions of the run's stored games; None if there are none.
    """

    asked: str
    hidden: tuple[Path, ...] = ()
    stored: Conditions | None = None


class WorkerSite:
    """The site of one run on a worker."""

    def __init__(self, run: str, worker: Worker) -> None:
        """Create an empty site, which ends `LEASE_S` after the last call."""
        self.run = run
        self._worker = worker
        # A separate name, since a site that is still closing must not remove the folder of the next one.
        self._folder = Path(worker.local_directory, f"bowerbird-{run}-{secrets.token_hex(4)}")
        self._bots: tuple[BotSpec, ...] = ()
        self._hidden: tuple[Path, ...] = (self._folder,)
        self._held = ExitStack()
        """Keeps the bots in the cache."""
        self._session: RefereeSession | None = None
        self._called = asyncio.get_running_loop().time()
        self._watching = asyncio.create_task(self._watch_lease())
        self.is_open = True

    async def describe(self) -> WorkerFacts:
        """Return the facts about this worker."""
        return await asyncio.to_thread(describe, calibrated=True)

    async def missing(self, bots: Sequence[PackedBot]) -> list[str]:
        """Return the digests of the archives that this worker lacks. Raises MachinesError."""
        return [bot.digest for bot in bots if not is_unpacked(bot)]

    async def receive(self, bot: PackedBot, archive: bytes) -> None:
        """Store a bot. Raises MachinesError."""
        await asyncio.to_thread(unpack_bot, bot, archive)

    async def prepare(self, bots: Sequence[PackedBot], wanted: WantedIsolation) -> TierChoice:
        """Build the bots and choose their isolation, as for a run on one machine. Raises TournamentError."""
        return await asyncio.to_thread(self._prepare, bots, wanted)

    async def open_referee(self, setup: RefereeSetup) -> None:
        """Start a referee with this setup, this worker's bots, and its own folder."""
        await self._close_session()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        slots = setup.slots or len(os.sched_getaffinity(0))
        here = replace(setup, bots=self._bots, workspace=self._folder, hidden=self._hidden, slots=slots)
        self._session = await RefereeSession.start(here.for_worker(setup.index, setup.count), self._publish)
        if not self.is_open:  # it was closed in the meantime
            await self._close_session()
            raise RefereeEndedError("its site was closed")

    async def roll_call(self) -> tuple[BotStory, ...]:
        """Start each bot once, and return the stories of those that did not become ready."""
        return await self._referee.roll_call()

    async def play(self, tables: tuple[TableSpec, ...]) -> list[Reply]:
        """Play tables, after those in play if there are any. See `RefereeSession.play`."""
        return await self._referee.play(tables)

    async def learn(self, entries: Sequence[LedgerEntry]) -> None:
        """Enter the ledger entries of other workers."""
        for entry in entries:
            await self._referee.send(LedgerUpdate(entry))

    async def renew(self) -> None:
        """Renew the lease, because the run is alive."""

    async def hurry(self) -> None:
        """Kill the referee, and its bots with it."""
        if self._session is not None:
            self._session.kill()

    async def close(self) -> None:
        """End the referee and its bots, and remove the logs."""
        self.is_open = False
        if asyncio.current_task() is not self._watching:
            self._watching.cancel()
        await self._close_session()
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)
        self._held.close()

    async def called(self, call: Callable[[], Awaitable[T]]) -> T:
        """Run a call and renew the lease, because the run is alive."""
        self._called = asyncio.get_running_loop().time()
        return await call()

    @property
    def _referee(self) -> RefereeSession:
        if self._session is None:
            raise RefereeEndedError("it was not started")
        return self._session

    def _prepare(self, bots: Sequence[PackedBot], wanted: WantedIsolation) -> TierChoice:
        self._bots = tuple(prepare(unpacked_bot(bot, self._held), lambda _: None) for bot in bots)
        self._hidden = (self._folder, *(folder for folder in wanted.hidden if folder.is_dir()))
        return choose_tier(wanted.asked, self._bots, self._hidden, wanted.stored)

    def _publish(self, reply: Reply) -> None:
        """Send the run an update before the call returns."""
        self._worker.log_event(topic_of(self.run), pickle.dumps((self._worker.address, reply)))

    async def _close_session(self) -> None:
        """End the referee. Until it has ended, `hurry` can kill it."""
        session = self._session
        if session is not None:
            await session.close()
            if self._session is session:
                self._session = None

    async def _watch_lease(self) -> None:
        loop = asyncio.get_running_loop()
        while (left := self._called + LEASE_S - loop.time()) > 0:
            await asyncio.sleep(left)
        await self.close()


class _Sites:
    """Our extension of a Dask worker: its site, if it has one. Dask closes it when the worker ends."""

    def __init__(self) -> None:
        self.site: WorkerSite | None = None

    async def close(self) -> None:
        if self.site is not None:
            await self.site.close()


def topic_of(run: str) -> str:
    """Return the Dask topic for updates from the workers of a run."""
    return f"bowerbird-{run}"


async def enter_site(run: str, dask_worker: Worker) -> Answer[WorkerFacts]:
    """Make the site of a run on this worker, which serves one run at a time. Return the facts about the worker."""
    sites = _sites_of(dask_worker)
    if sites.site is not None and sites.site.is_open and sites.site.run != run:
        return Busy()
    if sites.site is None or not sites.site.is_open:
        sites.site = WorkerSite(run, dask_worker)
    return await _answered(sites.site, sites.site.describe)


async def at_site(
    run: str,
    method: Callable[Concatenate[WorkerSite, P], Awaitable[T]],
    args: tuple[object, ...],
    dask_worker: Worker,
) -> Answer[T]:
    """Call a method of the run's site on this worker."""
    site = _sites_of(dask_worker).site
    if site is None or site.run != run or not (site.is_open or method is WorkerSite.hurry):
        return Gone("it had not heard from the run for too long", is_lost=False)
    return await _answered(site, partial(cast(Callable[..., Awaitable[T]], method), site, *args))


async def _answered(site: WorkerSite, call: Callable[[], Awaitable[T]]) -> Answer[T]:
    try:
        return Done(await site.called(call))
    except TournamentError as error:
        return Refused(_sentence(error))
    except RefereeEndedError as error:
        return Gone(str(error), is_lost=site.is_open)
    except OSError as error:  # a full disk, no process, no memory: a problem of this worker only
        return Refused(f"{error.filename or 'its machine'}: {error.strerror or error}")
    except Exception:  # sent to the run, which raises it
        return Defect(traceback.format_exc())


def _sentence(error: TournamentError) -> str:
    """Return an error as one sentence. For a failed build, it has only the last line of the output."""
    if isinstance(error, BuildError) and error.tail:
        return f"{error.sentence}; the last line it wrote: {shown(error.tail.splitlines()[-1], LINE_LIMIT)}"
    return str(error)


def _sites_of(worker: Worker) -> _Sites:
    with suppress(KeyError):
        found = worker.extensions[EXTENSION]
        if isinstance(found, _Sites):
            return found
    made = _Sites()
    worker.extensions[EXTENSION] = made
    return made
