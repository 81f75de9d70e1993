"""The connection of a run to a Dask cluster: its workers, and calls to their sites.

The coroutines here run in the asyncio loop of `ClusterConnection.loop`.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import resource
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import urlsplit

import dask
from distributed import Client, LocalCluster
from distributed.security import Security

from bowerbird.harness.extras.cluster.address import ClusterAddress
from bowerbird.harness.extras.cluster.answer_types import is_of_type
from bowerbird.harness.extras.cluster.connection_failure import connection_failure, nobody_listens
from bowerbird.harness.extras.cluster.loop_thread import LoopThread
from bowerbird.harness.extras.cluster.on_worker import site
from bowerbird.harness.extras.cluster.on_worker.session import Reply
from bowerbird.harness.extras.cluster.on_worker.worker_facts import WorkerFacts
from bowerbird.harness.extras.cluster.tls import TlsFiles
from bowerbird.harness.records.quoting import LONGEST_SENTENCE, shown
from bowerbird.harness.referee.process.open_files import raise_open_files
from bowerbird.harness.tournament.errors import MachinesError

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")

CONNECT_S = 15.0
"""How long a scheduler may take to answer."""

OPEN_S = 4 * CONNECT_S
"""How long connecting may take in all. Dask would wait forever for a scheduler that does not answer."""

RENEW_S = site.LEASE_S / 6
"""How often each worker hears from the run."""

LEAVE_S = 3.0
"""How long the workers may take to end sites that are still open at the end."""

SILENCE_S = 2 * site.LEASE_S
"""A worker that has not answered for this long is lost. Its lease has ended, so it no longer plays."""

ANSWER_S = 2 * SILENCE_S
"""How long a connected worker may take for a call that has no work to do."""

LONGEST_REPR = 200
"""How many characters of a worker's error a message shows."""

OnReply = Callable[[str, Reply], None]
"""Receives the address of a worker and an update of its referee."""

_SETTINGS = {
    "distributed.comm.timeouts.connect": f"{CONNECT_S}s",
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.admin.log-format": "%(message)s",
    "distributed.logging.distributed": "critical",
    "distributed.logging.tornado": "critical",
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
"""Dask's settings in this process and in workers that it starts. They switch off unused parts."""

_LOGGERS = (
    "distributed",
    "distributed.client",
    "distributed.gc",
    "distributed.protocol.core",
    "tornado",
    "tornado.application",
    "asyncio",
)
"""The loggers whose levels Dask sets when it is imported. They are silenced, since our errors say what went wrong."""


class WorkerGoneError(Exception):
    """A worker did not complete a call, and does nothing more for the run.

    is_lost: whether it or its referee ended unexpectedly. Otherwise its lease ended, since it had not heard from the
        run.
    """

    def __init__(self, why: str, *, is_lost: bool) -> None:
        """Create the error; `why` is a sentence."""
        super().__init__(why)
        self.is_lost = is_lost


class WorkerRefusalError(Exception):
    """A worker cannot do what the run asks. `str` is a sentence for people."""


class WorkerBusyError(WorkerRefusalError):
    """A worker serves another run. It becomes free when that run ends, or `LEASE_S` after that run was killed."""


class WorkerAnswerError(WorkerRefusalError):
    """A worker gave an answer that no worker of ours gives. It gets no more work in this run."""


class WorkerDefectError(Exception):
    """A bug in Bowerbird, or in its installation on the worker, ended a call. `str` is the traceback."""

    def __str__(self) -> str:
        """Return a sentence with the traceback."""
        return f"a worker failed:\n{self.args[0]}"

    @property
    def sentence(self) -> str:
        """The last line of the traceback, as a sentence."""
        return f"Bowerbird failed there: {shown(self.args[0].strip().splitlines()[-1])}"


class ClusterConnection:
    """A connection to an existing scheduler, or to one in this process with workers that it starts."""

    def __init__(self, address: ClusterAddress, tls: TlsFiles | None = None) -> None:
        """Create a connection that is not open yet.

        `tls` are the certificate files; None for those in Dask's own configuration.
        """
        self.address = address
        self.loop = LoopThread()
        self.run = secrets.token_hex(8)
        self._tls = tls
        self._client: Client | None = None
        self._local: LocalCluster | None = None
        self._lost: dict[str, asyncio.Event] = {}
        self._renewing: dict[str, asyncio.Task[None]] = {}
        self._on_reply: OnReply = _drop

    def open(self) -> None:
        """Connect. Raises MachinesError if that fails."""
        self.loop.start()
        try:
            self.loop.wait_for(self._open())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Disconnect, and end everything that was started."""
        with suppress(TimeoutError):
            self.loop.wait_for(self._close(), CONNECT_S)
        self.loop.stop()

    def on_reply(self, on_reply: OnReply | None) -> None:
        """Call `on_reply` in the loop's thread with each update of a referee whose worker still plays."""
        self._on_reply = on_reply or _drop

    async def addresses(self) -> Collection[str]:
        """Return the current workers of the scheduler. Raises MachinesError if it is gone."""
        scheduler = self._connected.scheduler
        assert scheduler is not None, "the connection is not open"
        cores = await self._soon(scheduler.ncores())
        if not is_of_type(cores, Mapping[str, int]):
            raise self._strange_scheduler()
        return cores.keys()  # type: ignore[no-any-return]  # Dask's calls have no types

    async def workers(self) -> Mapping[str, str]:
        """Return the names of the scheduler's current workers by address. Raises MachinesError if it is gone.

        Dask's answer describes each worker at length, so use `addresses` where addresses are enough.
        """
        scheduler = self._connected.scheduler
        assert scheduler is not None, "the connection is not open"
        identity = await self._soon(scheduler.identity())
        try:
            return {str(address): str(worker["name"]) for address, worker in sorted(identity["workers"].items())}
        except (AttributeError, KeyError, TypeError, ValueError):
            raise self._strange_scheduler() from None

    def _strange_scheduler(self) -> MachinesError:
        return MachinesError(
            f"the scheduler of {self.address} gives answers that no Dask scheduler gives; stored results are kept"
        )

    async def enter(self, worker: str) -> WorkerFacts:
        """Make the site of this run on a worker, and keep it from now on.

        Raises WorkerGoneError, WorkerRefusalError, and MachinesError if the scheduler is gone.
        """
        self._forget(worker)
        self._lost[worker] = asyncio.Event()
        self._renewing[worker] = asyncio.create_task(self._keep(worker))
        facts = await self._within(ANSWER_S, self._run_on(worker, site.enter_site, self.run))
        if not is_of_type(found := _value(facts), WorkerFacts):
            raise WorkerAnswerError("its description of itself is not in the form that workers use")
        return found

    async def call(
        self, worker: str, method: Callable[Concatenate[site.WorkerSite, P], Awaitable[T]], *args: P.args, **_: P.kwargs
    ) -> T:
        """Call a method of the run's site on a worker. Raises the errors of `enter`."""
        answer: site.Answer[T] = await self._run_on(worker, site.at_site, self.run, method, args)
        return _value(answer)

    async def call_within(
        self,
        limit_s: float,
        worker: str,
        method: Callable[Concatenate[site.WorkerSite, P], Awaitable[T]],
        *args: P.args,
        **none: P.kwargs,
    ) -> T:
        """Call a method of the run's site on a worker within `limit_s`. Raises the errors of `enter`."""
        return await self._within(limit_s, self.call(worker, method, *args, **none))

    async def _within(self, limit_s: float, call: Awaitable[R]) -> R:
        """Await a call to a worker. Raises WorkerGoneError if it takes longer than `limit_s`."""
        limit = asyncio.timeout(limit_s)
        try:
            async with limit:
                return await call
        except TimeoutError:
            if not limit.expired():
                raise
            raise WorkerGoneError(f"it has not answered for {limit_s:g} s", is_lost=True) from None

    def forget(self, worker: str) -> None:
        """Stop keeping the site on a worker, and soon end all its calls. Any thread may call this."""
        self.loop.call_soon(self._forget, worker)

    def _forget(self, worker: str) -> None:
        if worker in self._lost:
            self._lost.pop(worker).set()
            self._renewing.pop(worker).cancel()

    async def _keep(self, worker: str) -> None:
        """Renew the lease of a site. Give up a worker that does not answer, so that others do not wait for it."""
        try:
            while True:
                await asyncio.sleep(RENEW_S)
                async with asyncio.timeout(SILENCE_S):
                    await self.call(worker, site.WorkerSite.renew)
        except (TimeoutError, WorkerGoneError, WorkerRefusalError, WorkerDefectError):
            self._forget(worker)
        except MachinesError:
            return  # the call that plays a block there fails, too, and its caller handles that

    async def _open(self) -> None:
        dask.config.set(_SETTINGS)
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            if self.address.local_workers:
                await self._start_local()
            else:
                await _reach(self.address)
                raise_open_files()  # for `most_connections`; no process that is started here inherits it
                self._client = Client(  # closed with the connection, even if connecting fails
                    self.address.scheduler,
                    security=self._tls.security() if self._tls is not None else Security(),
                    timeout=CONNECT_S,
                    asynchronous=True,
                    set_as_default=False,
                    connection_limit=most_connections(),
                )
                async with asyncio.timeout(OPEN_S):
                    await self._client
        except MachinesError:
            raise
        except Exception as error:  # any error: what Dask raises depends on what the scheduler sent
            if self.address.local_workers and not isinstance(error, OSError | ValueError | TypeError | RuntimeError):
                raise
            raise MachinesError(connection_failure(self.address, error)) from None
        self._connected.subscribe_topic(site.topic_of(self.run), self._take_event)

    async def _start_local(self) -> None:
        """Start a scheduler and workers with a certificate that nobody else has.

        Without it, every program on this machine, even a bot, could connect and run anything. Dask always listens for
        HTTP on this machine, but `_SETTINGS` remove all its pages.
        """
        security = Security.temporary()
        self._local = await LocalCluster(
            n_workers=self.address.local_workers,
            threads_per_worker=1,
            processes=True,
            memory_limit=0,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
            protocol="tls://",
            security=security,
            silence_logs=logging.CRITICAL,
            asynchronous=True,
        )
        self._client = await Client(
            self._local,
            security=security,
            asynchronous=True,
            set_as_default=False,
            connection_limit=most_connections(),
        )

    async def _close(self) -> None:
        if self._client is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(LEAVE_S):
                    await asyncio.gather(*(self._leave(worker) for worker in [*self._lost]))
            for worker in [*self._lost]:
                self._forget(worker)
            await self._client.close()
        if self._local is not None:
            closing = self._local.close(timeout=CONNECT_S)
            assert closing is not None, "the cluster is asynchronous"
            await closing

    async def _leave(self, worker: str) -> None:
        """End the site on a worker if it has one. Otherwise the next run would find it busy until the lease ends."""
        with suppress(WorkerGoneError, WorkerRefusalError, WorkerDefectError, MachinesError):
            await self.call(worker, site.WorkerSite.close)

    @property
    def _connected(self) -> Client:
        assert self._client is not None, "the connection is not open"
        return self._client

    async def _run_on(
        self, worker: str, function: Callable[..., Awaitable[site.Answer[T]]], *args: object
    ) -> site.Answer[T]:
        """Call a function on a worker. See `enter`."""
        lost = self._lost.get(worker)
        if lost is None:
            raise WorkerGoneError("it is gone", is_lost=False)  # so this is not the end of a call
        calling = asyncio.ensure_future(
            self._of_scheduler(self._connected.run(function, *args, workers=[worker], on_error="return"))
        )
        losing = asyncio.ensure_future(lost.wait())
        try:
            await asyncio.wait({calling, losing}, return_when=asyncio.FIRST_COMPLETED)
            if not calling.done():
                raise WorkerGoneError("it does not answer", is_lost=True)
            answer = _unpacked(calling, worker)
        finally:
            calling.cancel()
            losing.cancel()
        if refusal := _cannot_import(answer):
            return site.Refused(refusal)
        if isinstance(answer, OSError):
            return site.Gone(f"it ended or cannot be reached ({type(answer).__name__})", is_lost=True)
        if isinstance(answer, Exception):
            return site.Refused(f"a call of it failed ({shown(repr(answer), LONGEST_REPR)})")
        return answer  # type: ignore[no-any-return]  # what the function returned

    async def _soon(self, call: Awaitable[Any]) -> Any:
        """Ask the scheduler itself, and await its answer.

        Raises MachinesError if it is gone or silent for `SILENCE_S`.
        """

        async def answered() -> Any:
            async with asyncio.timeout(SILENCE_S):
                return await call

        try:
            return await self._of_scheduler(answered())
        except MachinesError:
            raise
        except Exception:  # any error: what reading raises depends on what was sent
            raise self._strange_scheduler() from None

    async def _of_scheduler(self, call: Awaitable[Any]) -> Any:
        """Await a call to the scheduler. Raises MachinesError if the scheduler is gone."""
        try:
            return await call
        except (OSError, TimeoutError) as error:
            raise MachinesError(
                f"the scheduler of {self.address} is gone ({type(error).__name__}); stored results are kept"
            ) from None

    def _take_event(self, event: tuple[float, bytes]) -> None:
        try:
            worker, reply = pickle.loads(event[1])
        except Exception:  # not an update; lost updates come again with their block
            return
        if type(worker) is str:
            self._on_reply(worker, reply)


def most_connections() -> int:
    """Return how many connections this process may have.

    Each call uses one, and a worker has at most three. Like Dask's scheduler, use half of the limit on open files
    (`ulimit -n`).
    """
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2


def _drop(_worker: str, _reply: Reply) -> None:
    """Ignore an update."""


def _unpacked(calling: asyncio.Future[Any], worker: str) -> Any:
    """Return the answer of a call.

    Raises WorkerAnswerError if it cannot be read, MachinesError if the scheduler is gone.
    """
    try:
        return calling.result()[worker]
    except MachinesError:
        raise
    except Exception as error:  # any error: what unpickling raises depends on what was sent
        raise WorkerAnswerError(f"its answer cannot be read ({type(error).__name__})") from None


def _value(answer: site.Answer[T]) -> T:
    match answer:
        case site.Done(value):
            return value
        case site.Busy():
            raise WorkerBusyError("another run plays on it")
        case site.Refused(why):
            raise WorkerRefusalError(shown(str(why), LONGEST_SENTENCE))
        case site.Gone(why, is_lost):
            raise WorkerGoneError(shown(str(why), LONGEST_SENTENCE), is_lost=bool(is_lost))
        case site.Defect(str(text)):
            raise WorkerDefectError(text)
        case _:
            raise WorkerAnswerError("it gave an answer that no worker gives")


def _cannot_import(answer: object) -> str:
    """Return why a worker does not know a function, and what to do; "" if `answer` is something else.

    If a worker cannot read a message, Dask raises an Exception with the text of the real one.
    """
    if not isinstance(answer, Exception):
        return ""
    text = str(answer) if type(answer) is Exception else repr(answer)
    if text.startswith("ModuleNotFoundError(") and "'bowerbird'" in text:
        return "it has no Bowerbird: pip install 'bowerbird[cluster]' there"
    if text.startswith(("ModuleNotFoundError(", "ImportError(", "AttributeError(")):
        return f"it has another version of Bowerbird ({shown(text)}): install the run's there"
    return ""


async def _reach(address: ClusterAddress) -> None:
    """Raise MachinesError at once if nobody listens at an address. Dask would try for `CONNECT_S`."""
    place = urlsplit(address.scheduler)
    try:
        async with asyncio.timeout(CONNECT_S):
            _, writer = await asyncio.open_connection(place.hostname, place.port)
    except OSError as error:
        raise MachinesError(nobody_listens(address, error)) from None
    writer.close()
