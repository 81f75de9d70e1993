"""What a run keeps on a worker: its lease, one run at a time, and how calls fail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast

import pytest
from distributed import Worker

from bowerbird.harness.extras.cluster.on_worker import site
from bowerbird.harness.extras.cluster.on_worker.session import RefereeEndedError
from bowerbird.harness.extras.cluster.on_worker.site import (
    Busy,
    Defect,
    Done,
    Gone,
    Refused,
    WorkerSite,
    at_site,
    enter_site,
)
from bowerbird.harness.tournament.errors import BuildError, MachinesError
from tests.support.deadline import DEADLINE_S


class DaskWorker:
    """The part of a Dask worker that a site uses."""

    def __init__(self, folder: Path) -> None:
        self.local_directory = str(folder)
        self.address = "tls://127.0.0.1:1"
        self.extensions: dict[str, object] = {}

    def log_event(self, topic: str, msg: object) -> None:
        raise AssertionError(f"a site without a referee published {msg!r} under {topic}")


@pytest.fixture
def worker(tmp_path: Path) -> Worker:
    return cast(Worker, DaskWorker(tmp_path))


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def within_deadline() -> None:
        async with asyncio.timeout(DEADLINE_S):
            await main()

    asyncio.run(within_deadline())


def test_a_site_whose_run_falls_silent_ends(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was killed, or a machine that was cut off, leaves no bots on the workers."""
    monkeypatch.setattr(site, "LEASE_S", 0.1)

    async def main() -> None:
        assert isinstance(await enter_site("one", worker), Done)
        found = site._sites_of(worker).site
        assert found is not None
        await found._watching
        assert not found.is_open
        assert await at_site("one", WorkerSite.renew, (), worker) == Gone(
            "it had not heard from the run for too long", is_lost=False
        )

    run(main)


def test_a_worker_serves_one_run_at_a_time(worker: Worker) -> None:
    """Two referees on one core would disturb the clocks of each other's bots."""

    async def main() -> None:
        await enter_site("one", worker)
        assert await enter_site("two", worker) == Busy()
        assert await at_site("one", WorkerSite.close, (), worker) == Done(None)
        assert isinstance(await enter_site("two", worker), Done)
        assert isinstance(await at_site("one", WorkerSite.renew, (), worker), Gone)
        await at_site("two", WorkerSite.close, (), worker)

    run(main)


def test_every_failure_of_a_call_comes_back_as_a_value(worker: Worker) -> None:
    """Dask logs the arguments of a function that raises, and they hold the seed."""

    async def refuse(_: WorkerSite) -> None:
        raise MachinesError("no")

    async def lose(_: WorkerSite) -> None:
        raise RefereeEndedError("SIGKILL")

    async def break_down(_: WorkerSite) -> None:
        raise KeyError("defect")

    async def main() -> None:
        await enter_site("one", worker)
        assert await at_site("one", refuse, (), worker) == Refused("no")
        assert await at_site("one", lose, (), worker) == Gone("SIGKILL", is_lost=True)
        broken = await at_site("one", break_down, (), worker)
        assert isinstance(broken, Defect)
        assert "KeyError: 'defect'" in broken.traceback
        await at_site("one", WorkerSite.close, (), worker)

    run(main)


def test_a_build_that_fails_on_a_worker_is_one_line(worker: Worker) -> None:
    async def build(_: WorkerSite) -> None:
        raise BuildError("bot 'a' cannot be built", "warning: \x1b[1mold\nerror: no linker", bot="a")

    async def main() -> None:
        await enter_site("one", worker)
        said = await at_site("one", build, (), worker)
        assert said == Refused("bot 'a' cannot be built; the last line it wrote: error: no linker")
        await at_site("one", WorkerSite.close, (), worker)

    run(main)


def test_a_referee_that_was_not_started_cannot_play(worker: Worker) -> None:
    async def main() -> None:
        await enter_site("one", worker)
        assert isinstance(await at_site("one", WorkerSite.play, ((),), worker), Gone)
        await at_site("one", WorkerSite.close, (), worker)

    run(main)


def test_a_referee_that_takes_long_to_end_can_still_be_killed(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second Ctrl-C comes when the first one has already closed the sites."""

    async def main() -> None:
        await enter_site("one", worker)
        found = site._sites_of(worker).site
        assert found is not None
        killed = asyncio.Event()

        class SlowReferee:
            async def close(self) -> None:
                await killed.wait()

            def kill(self) -> None:
                killed.set()

        monkeypatch.setattr(found, "_session", SlowReferee())
        closing = asyncio.create_task(at_site("one", WorkerSite.close, (), worker))
        await asyncio.sleep(0)
        assert not killed.is_set()
        assert await at_site("one", WorkerSite.hurry, (), worker) == Done(None)
        assert await closing == Done(None)

    run(main)


def test_dask_ends_the_site_with_its_worker(worker: Worker) -> None:
    async def main() -> None:
        await enter_site("one", worker)
        extension = cast(Any, worker.extensions[site.EXTENSION])
        await extension.close()
        assert isinstance(await at_site("one", WorkerSite.renew, (), worker), Gone)

    run(main)
