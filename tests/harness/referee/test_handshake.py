"""The start of a local process: which failures are final, and whose words the sentence repeats."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest
import trio

from bowerbird.harness.referee.connection.endpoint import Endpoint
from bowerbird.harness.referee.connection.handshake import LocalParticipant, LocalStarter
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.participant import NeverStartedError
from bowerbird.harness.referee.connection.prestart import Prestart
from bowerbird.harness.referee.connection.processor_shares import ProcessorShares
from bowerbird.harness.referee.host.host_clock import HostClock
from bowerbird.harness.referee.host.running_time import RunningTime
from bowerbird.harness.referee.isolation.launch import Tier
from bowerbird.harness.referee.process.output import OutputLog
from bowerbird.harness.referee.process.supervisor import ExitStatus, Process, Supervisor
from bowerbird.harness.referee.process.supervisor_handle import StartRequest
from tests.support.referee.raw_client import RawClient, dial
from tests.support.referee.tables import bot

STARTUP_MS = 300
FLOOD = "more than 1 MiB"


class OneProcess:
    """A supervisor that takes over a process held by the test."""

    def __init__(self) -> None:
        self.process = Process(0, OutputLog(Path(os.devnull)), cast(Supervisor, self), 0)

    async def take_over(self, request: StartRequest, drains: trio.Nursery) -> Process:
        return self.process


async def no_orphans(pids: Sequence[int]) -> None:
    raise AssertionError("no process is an orphan")


async def failed_start(folder: Path, words: str, *, is_private: bool, exits: bool) -> NeverStartedError:
    """Return how a start fails after someone has said `words` to the address.

    The process exits or stays silent.
    """
    mailbox, supervisor = Mailbox().open(), OneProcess()
    endpoint = Endpoint(f"unix:{folder}/seat", mailbox, 30, is_private=is_private)
    client = RawClient(dial(endpoint.target))
    try:
        async with trio.open_nursery() as nursery:
            endpoint.begin(nursery.start_soon)
            if words == FLOOD:
                endpoint.blame(FLOOD)
            else:
                client.hello(words)
                await client.hear()
            if exits:
                supervisor.process.exit_status = ExitStatus(1)
                supervisor.process.ended.set()
            starter = LocalStarter(
                mailbox=mailbox,
                supervisor=cast(Supervisor, supervisor),
                prestart=cast(Prestart, None),
                tier=cast(Tier, None),
                workspace=folder,
                startup_ms=STARTUP_MS,
                decision_ms=1000,
                required=(),
                max_tables=1,
                transport="unix",
                spawn=nursery.start_soon,
                drains=nursery,
                clock=RunningTime(),
                shares=ProcessorShares(HostClock(), 0, no_orphans),
            )
            log = OutputLog(folder / "log")
            participant = LocalParticipant(bot("a"), starter, log, endpoint, cast(StartRequest, object()))
            with pytest.raises(NeverStartedError) as failure:
                await participant.join()
            nursery.cancel_scope.cancel()
    finally:
        client.close()
        await endpoint.stop()
    return failure.value


@pytest.mark.parametrize("exits", [False, True])
@pytest.mark.parametrize("words", ["a wrong token", FLOOD])
async def test_what_a_neighbour_may_have_said_makes_no_start_final_and_blames_nobody(
    tmp_path: Path, words: str, exits: bool
) -> None:
    """faults.md, Stalls of the host (Starts), and gRPC server."""
    error = await failed_start(tmp_path, words, is_private=False, exits=exits)
    assert not error.is_final, "the next start may succeed"
    assert "its stream" not in str(error)
    assert FLOOD not in str(error)


@pytest.mark.parametrize("exits", [False, True])
async def test_a_bot_that_nobody_else_can_have_spoken_for_is_not_started_again(tmp_path: Path, exits: bool) -> None:
    error = await failed_start(tmp_path, "a wrong token", is_private=True, exits=exits)
    assert error.is_final
    assert str(error).endswith("; its stream was refused: this token is not known here")


async def test_the_author_reads_why_a_stream_was_refused_that_may_be_the_bots(tmp_path: Path) -> None:
    error = await failed_start(tmp_path, "a wrong token", is_private=False, exits=True)
    assert str(error) == (
        "exit status 1 before its Hello; a stream to its address was refused: this token is not known here"
    )
