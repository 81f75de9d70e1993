"""The bots of a run, and the instances (processes) through which they play."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import trio

from bowerbird.harness.records.values.game_record import SeatRecord
from bowerbird.harness.referee.connection.participant import Capabilities, Participant
from bowerbird.harness.referee.connection.session import Session
from bowerbird.harness.referee.game.fault_ledger import FaultLedger
from bowerbird.harness.referee.game.faults import Fault
from bowerbird.harness.referee.spec import BotSpec, InstanceKey


@dataclass(frozen=True, slots=True)
class BotStory:
    """The history of a bot's processes, for people: the reason for the last failure, and the end of its output."""

    bot: str
    faults: int
    withdrawn: str
    failure: str
    exit: str
    stdout: str
    stderr: str
    log: str


class RegisteredBot:
    """A bot in the run: its identity and the story of its processes. Its faults are in the ledger."""

    def __init__(self, spec: BotSpec, ledger: FaultLedger) -> None:
        """Register a bot without a process."""
        self.spec = spec
        self.identity = SeatRecord(spec.name, spec.version, spec.fingerprint, spec.time)
        self._ledger = ledger
        self.story = BotStory(spec.name, 0, "", "", "", "", "", "")
        self.last_faulty: Participant | None = None
        """The participant behind its latest fault."""

    @property
    def is_start_decided(self) -> bool:
        """Whether it is known whether the bot can start."""
        return self.has_started or self.withdrawn is not None

    @property
    def has_started(self) -> bool:
        """Whether a process of it was ever ready to play."""
        return self._ledger.has_started(self.spec.name)

    @property
    def withdrawn(self) -> Fault | None:
        """The reason why the bot gets no more tables; None while it is in the run."""
        return self._ledger.withdrawn(self.spec.name)

    def update_story(self, participant: Participant, fault: Fault | None) -> None:
        """Store the output of a process that has ended. A normal end does not replace the story of a failure."""
        if fault is None and self.story.failure:
            return
        process = participant.process
        withdrawn = self.withdrawn
        self.story = BotStory(
            bot=self.spec.name,
            faults=self._ledger.faults_of(self.spec.name),
            withdrawn=withdrawn.detail if withdrawn is not None else "",
            failure=f"{fault.kind}: {fault.detail}" if fault is not None else "",
            exit=str(process.exit_status) if process is not None and process.exit_status is not None else "",
            stdout=process.stdout.text if process is not None else "",
            stderr=process.stderr.text if process is not None else "",
            log=str(process.log.path) if process is not None else "",
        )


class Instance:
    """One instance key: at most one participant at a time, and the tables where it sits.

    `start_fault` is set when a process could not be started; the next table that waits for it plays without it.
    `start_lost` is set when that was because the host repeatedly stood still; the next table that waits for it is
    voided.
    """

    def __init__(self, key: InstanceKey, bot: RegisteredBot) -> None:
        """Create an instance without a participant."""
        self.key = key
        self.bot = bot
        self.session: Session | None = None
        self.capabilities: Capabilities | None = None
        self.participant: Participant | None = None
        """The latest participant; it may be gone."""
        self.is_alive = False
        self.join_decided = trio.Event()
        """Set when the participant has joined, or ended before joining."""
        self.gone = trio.Event()
        self.start_fault: Fault | None = None
        self.start_lost = False
        self.starts = 0
        self.open_tables = 0
        self._start_scope = trio.CancelScope()
        self._dismissal = ""

    @property
    def latest(self) -> Participant:
        """The latest participant, which must exist."""
        assert self.participant is not None  # the caller has started it
        return self.participant

    def begin_start(self) -> trio.CancelScope:
        """Note that a participant is about to join. Cancelling the returned scope cancels its start."""
        self.is_alive = True
        self.join_decided = trio.Event()
        self.gone = trio.Event()
        self.starts += 1
        self._start_scope = trio.CancelScope()
        return self._start_scope

    def cancel_start(self) -> None:
        """Give up on a participant that has not joined yet."""
        if self.session is None:
            self._start_scope.cancel()

    def dismiss(self, reason: str) -> None:
        """Stop the participant, which is no longer needed. `reason` is for its Goodbye."""
        self._dismissal = reason
        self.cancel_start()
        if self.session is not None:
            self.session.stop()

    def goodbye_reason(self, fault: Fault | None) -> str:
        """Return the Goodbye reason for a participant that failed with `fault` or was dismissed."""
        if fault is not None:
            return "FAULT"
        return self._dismissal or "REPLACED"

    @property
    def can_sit(self) -> bool:
        """Whether another table can be opened with it now."""
        if self.start_fault is not None or self.start_lost:
            return True
        session = self.session
        if session is None or self.capabilities is None or session.retired or session.has_ended:
            return False
        return self.open_tables < self.capabilities.tables


class Registry:
    """All bots of the run by name, and the instances in use by key."""

    def __init__(self, bots: Mapping[str, BotSpec], ledger: FaultLedger) -> None:
        """Register bots without processes."""
        self.ledger = ledger
        self.bots = {name: RegisteredBot(spec, ledger) for name, spec in bots.items()}
        self.instances: dict[InstanceKey, Instance] = {}

    def instance(self, key: InstanceKey) -> Instance:
        """Return the instance of this key; create it if there is none. Raises KeyError for an unknown bot.

        A remote bot has one instance for all its keys, since the referee cannot see how many processes it runs.
        """
        if self.bots[key.bot].spec.remote:
            key = InstanceKey(key.bot, 0)
        found = self.instances.get(key)
        if found is None:
            found = self.instances[key] = Instance(key, self.bots[key.bot])
        return found

    def local(self, keys: Iterable[InstanceKey]) -> set[InstanceKey]:
        """Return the keys whose processes run here. Raises KeyError for an unknown bot."""
        return {key for key in keys if not self.bots[key.bot].spec.remote}

    def idle(self, needed: Collection[InstanceKey]) -> dict[InstanceKey, Instance]:
        """Return the local instances that are not `needed`. Remote bots stay, since the referee cannot restart them."""
        return {
            key: instance
            for key, instance in self.instances.items()
            if key not in needed and not instance.bot.spec.remote
        }
