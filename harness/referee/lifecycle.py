"""The life of one instance's participant: it joins, plays, and leaves."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import trio

from bowerbird.harness.referee.connection.idle_freezer import IdleFreezer
from bowerbird.harness.referee.connection.limiter import Limiter
from bowerbird.harness.referee.connection.mailbox import Mailbox
from bowerbird.harness.referee.connection.participant import Capabilities, NeverStartedError, Participant
from bowerbird.harness.referee.connection.processor_shares import ProcessorShares
from bowerbird.harness.referee.connection.session import SeatState, Session
from bowerbird.harness.referee.game.clock import Pace
from bowerbird.harness.referee.game.fault_ledger import BotStarted, CpuUsed, FaultLedger
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.host.host_clock import HostClock
from bowerbird.harness.referee.process.procfs import ProcessInfo, all_processes
from bowerbird.harness.referee.registry import Instance, Registry

REPORT_S = 2.0
"""How often the processor time of live processes is entered into the ledger. A killed referee loses at most this much.
"""

NS_PER_MS = 1_000_000


class CpuAccounts:
    """A reporter of the processor time that bots' processes have used since the last ledger entry.

    Add each participant before it joins and remove it when it is gone. `run` runs in a task.
    """

    def __init__(self, ledger: FaultLedger) -> None:
        """Start without processes."""
        self._ledger = ledger
        self._counted_ms: dict[Participant, tuple[str, int | None]] = {}

    def add(self, bot: str, participant: Participant) -> None:
        """Count the process of this participant of `bot` as soon as it has one."""
        self._counted_ms[participant] = (bot, None)

    def remove(self, participant: Participant) -> None:
        """Enter the total time of its process, and stop counting it. Do nothing if it is not counted."""
        if participant in self._counted_ms:
            self._enter(participant)
            del self._counted_ms[participant]

    def report(self) -> None:
        """Enter the time of all processes so far. Read /proc at most once, however many processes there are."""
        processes = [one.process for one in self._counted_ms if one.process is not None]
        found = all_processes() if any(process.cpu.reads_proc for process in processes) else {}
        for participant in list(self._counted_ms):
            self._enter(participant, found)

    async def run(self) -> None:
        """Report every REPORT_S until cancelled."""
        while True:
            await trio.sleep(REPORT_S)
            self.report()

    def _enter(self, participant: Participant, found: Mapping[int, ProcessInfo] | None = None) -> None:
        bot, counted_ms = self._counted_ms[participant]
        if participant.process is None:
            return
        used_ms = participant.process.cpu.read_ns(found) // NS_PER_MS
        if counted_ms is None or used_ms > counted_ms:
            self._counted_ms[participant] = (bot, used_ms)
            self._ledger.enter(CpuUsed(bot, used_ms - (counted_ms or 0), int(counted_ms is None)))


START_PAUSES_S = (0.5, 1.0)
"""The pauses before retries of a failed start. When no pause is left, the failure counts."""

MAX_LOST_STARTS = 5
"""How many successive starts of a process may fail in stalls of the host before its next table is voided."""


class LostStartError(Exception):
    """A process could not be started because the host repeatedly stood still."""


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The runner of a referee's participants.

    `host` measures all times, and `shares` those of each process. `start_pauses_s` are the pauses between attempts to
    start. `participant_of` makes the next participant of an instance. `on_change` is called whenever a participant has
    joined or is gone, so that tables can be opened. If a process is lost in a stall of the host, `on_lost` is called
    with the ids of the lost games.
    """

    registry: Registry
    pace: Pace
    limiter: Limiter
    mailbox: Mailbox
    idle_freezer: IdleFreezer
    cpu: CpuAccounts
    host: HostClock
    shares: ProcessorShares
    start_pauses_s: Sequence[float]
    participant_of: Callable[[Instance], Participant]
    on_change: Callable[[], None]
    on_lost: Callable[[Collection[str]], None]

    async def run(self, instance: Instance, start: trio.CancelScope) -> None:
        """Let a participant join, play until it fails or is dismissed, and leave. Cancelling `start` ends its start."""
        fault: Fault | None = None
        try:
            with start:
                instance.capabilities = await self._join(instance)
            if instance.capabilities is not None:
                self.registry.ledger.enter(BotStarted(instance.key.bot))
                instance.join_decided.set()
                fault = await self._play(instance, instance.latest)
        except NeverStartedError as error:
            fault = error.fault
            instance.bot.update_story(instance.latest, fault)
            self._handle_failed_start(instance, instance.latest, fault)
        except LostStartError:
            instance.start_lost = True
        finally:
            participant = instance.latest
            instance.session = None
            instance.capabilities = None
            await participant.leave(instance.goodbye_reason(fault))
            self.cpu.remove(participant)
            instance.bot.update_story(participant, fault)
            instance.is_alive = False
            instance.join_decided.set()
            instance.gone.set()
        self.on_change()

    async def _join(self, instance: Instance) -> Capabilities:
        """Let a participant join, or another one after a failure. Return its capabilities.

        A start that fails in a stall of the host does not count. Raises NeverStartedError for a failure that counts,
        LostStartError after too many that do not.
        """
        pauses, lost = list(self.start_pauses_s), 0
        while True:
            participant = instance.participant = self.participant_of(instance)
            self.cpu.add(instance.key.bot, participant)
            since_ns = time.monotonic_ns()
            try:
                return await participant.join()
            except NeverStartedError as error:
                if not participant.exit_policy.is_replaceable:
                    raise
                if self.host.stood_still(since_ns, time.monotonic_ns()):
                    lost += 1
                    if lost > MAX_LOST_STARTS:
                        instance.bot.update_story(participant, error.fault)
                        raise LostStartError from error
                    pause_s = START_PAUSES_S[-1]
                elif error.is_final or not pauses:
                    raise
                else:
                    pause_s = pauses.pop(0)
            await participant.leave("FAULT")
            self.cpu.remove(participant)
            instance.starts += 1
            await trio.sleep(pause_s)

    async def _play(self, instance: Instance, participant: Participant) -> Fault | None:
        """Run a session with a participant that has joined. Return the fault that ended it, if any."""
        assert instance.capabilities is not None  # it has joined
        session = Session(
            participant,
            instance.capabilities,
            self.pace,
            self.limiter,
            self.mailbox,
            clock=self.shares.clock_of(participant.process),
            on_fault=partial(self._record_fault, instance, participant),
            on_lost=self._void_games,
        )
        instance.session = session
        self.on_change()
        if participant.process is not None and participant.process.freezer is not None:
            self.idle_freezer.add(session)
        try:
            await session.run()
        finally:
            self.idle_freezer.discard(session)
        if session.failure is not None:
            instance.bot.update_story(participant, session.failure)
        return session.failure

    def _void_games(self, seats: Sequence[SeatState]) -> None:
        """Void the games of a process that was lost in a stall. This is not an incident and uses up no restart."""
        self.on_lost({seat.table.spec.game_id for seat in seats})

    def _record_fault(
        self, instance: Instance, participant: Participant, fault: Fault, seats: Sequence[SeatState]
    ) -> None:
        """Enter an incident of these seats into the ledger."""
        instance.bot.last_faulty = participant
        self.registry.ledger.record(instance.key, fault, [(seat.table.spec, seat.number) for seat in seats])

    def _handle_failed_start(self, instance: Instance, participant: Participant, fault: Fault) -> None:
        """Withdraw a bot that has never started.

        Otherwise play the next table that waits for the instance without it.
        """
        self._record_fault(instance, participant, fault, ())
        if not instance.bot.has_started:
            for other in self.registry.instances.values():
                if other.bot is instance.bot and other is not instance:
                    other.cancel_start()
        else:
            instance.start_fault = fault
        self.on_change()
