"""The life of one instance's participant: it joins, plays, and leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import trio

from harness.referee.connection.idle_freezer import IdleFreezer
from harness.referee.connection.limiter import Limiter
from harness.referee.connection.mailbox import Mailbox
from harness.referee.connection.participant import NeverStartedError, Participant
from harness.referee.connection.session import SeatState, Session
from harness.referee.cpu_accounts import CpuAccounts
from harness.referee.game.clock import Pace
from harness.referee.game.fault_ledger import BotStarted
from harness.referee.game.faults import Fault
from harness.referee.registry import Instance, Registry


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """Runs the participants of a referee.

    `participant_of` makes the next participant of an instance. `on_change` is called whenever a participant has joined
    or is gone, so that tables can be opened.
    """

    registry: Registry
    pace: Pace
    limiter: Limiter
    mailbox: Mailbox
    idle_freezer: IdleFreezer
    cpu: CpuAccounts
    participant_of: Callable[[Instance], Participant]
    on_change: Callable[[], None]

    async def run(self, instance: Instance, start: trio.CancelScope) -> None:
        """Let a participant join, play until it fails or is dismissed, and leave. Cancelling `start` ends its start."""
        participant = instance.participant = self.participant_of(instance)
        fault: Fault | None = None
        self.cpu.add(instance.key.bot, participant)
        try:
            with start:
                instance.capabilities = await participant.join()
            if instance.capabilities is not None:
                self.registry.ledger.enter(BotStarted(instance.key.bot))
                instance.join_decided.set()
                fault = await self._play(instance, participant)
        except NeverStartedError as error:
            fault = error.fault
            instance.bot.update_story(participant, fault)
            self._handle_failed_start(instance, participant, fault)
        finally:
            instance.session = None
            instance.capabilities = None
            await participant.leave(instance.goodbye_reason(fault))
            self.cpu.remove(participant)
            instance.bot.update_story(participant, fault)
            instance.is_alive = False
            instance.join_decided.set()
            instance.gone.set()
        self.on_change()

    async def _play(self, instance: Instance, participant: Participant) -> Fault | None:
        """Run a session with a participant that has joined. Return the fault that ended it, if any."""
        assert instance.capabilities is not None  # it has joined
        session = Session(
            participant,
            instance.capabilities,
            self.pace,
            self.limiter,
            self.mailbox,
            on_fault=partial(self._record_fault, instance, participant),
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

    def _record_fault(
        self, instance: Instance, participant: Participant, fault: Fault, seats: Sequence[SeatState]
    ) -> None:
        """Enter an incident of these seats into the ledger."""
        instance.bot.last_faulty = participant
        self.registry.ledger.record(instance.key, fault, [(seat.table.spec.game_id, seat.number) for seat in seats])

    def _handle_failed_start(self, instance: Instance, participant: Participant, fault: Fault) -> None:
        """Withdraw a bot that has never started. Else the next table that waits for the instance plays without it."""
        self._record_fault(instance, participant, fault, ())
        if not instance.bot.has_started:
            for other in self.registry.instances.values():
                if other.bot is instance.bot and other is not instance:
                    other.cancel_start()
        else:
            instance.start_fault = fault
        self.on_change()
