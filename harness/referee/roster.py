"""Who takes part: bots, and the processes (instances) through which they do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import trio

from harness.records.record import SeatRecord
from harness.referee.docket import Docket
from harness.referee.entrance import Abilities, Visitor
from harness.referee.faults import Fault
from harness.referee.session import Session
from harness.referee.spec import BotSpec, InstanceKey
from harness.referee.testimony import Witness

if TYPE_CHECKING:
    from harness.referee.desk import Call


@dataclass(frozen=True, slots=True)
class BotStory:
    """What became of a bot's processes, for people: why the last one failed, and the end of what it wrote."""

    bot: str
    faults: int
    withdrawn: str
    failure: str
    exit: str
    stdout: str
    stderr: str
    log: str


class Entrant:
    """A bot in the run: who it is, and what became of its processes. What it has done wrong is on the docket."""

    def __init__(self, spec: BotSpec, docket: Docket) -> None:
        """A bot of which no process has been started here."""
        self.spec = spec
        self.identity = SeatRecord(spec.name, spec.version, spec.fingerprint)
        self._docket = docket
        self.story = BotStory(spec.name, 0, "", "", "", "", "", "")
        self.witness: Witness | None = None
        """The process behind its latest fault."""

    @property
    def is_known(self) -> bool:
        """Whether it is settled that the bot can play, or that it cannot."""
        return self.has_appeared or self.withdrawn is not None

    @property
    def has_appeared(self) -> bool:
        """Whether a process of it was ever ready to play."""
        return self._docket.has_appeared(self.spec.name)

    @property
    def withdrawn(self) -> Fault | None:
        """Why the bot gets no further table, if it is out of the run."""
        return self._docket.withdrawn(self.spec.name)

    def remember(self, visitor: Visitor | Call, fault: Fault | None) -> None:
        """Keep what a process that is gone has left behind; a failure is not forgotten for one that ended well."""
        if fault is None and self.story.failure:
            return
        process = visitor.process
        withdrawn = self.withdrawn
        self.story = BotStory(
            bot=self.spec.name,
            faults=self._docket.faults_of(self.spec.name),
            withdrawn=withdrawn.detail if withdrawn is not None else "",
            failure=f"{fault.kind}: {fault.detail}" if fault is not None else "",
            exit=str(process.how) if process is not None and process.how is not None else "",
            stdout=process.stdout.text if process is not None else "",
            stderr=process.stderr.text if process is not None else "",
            log=str(process.log.path) if process is not None else "",
        )


class Instance:
    """One InstanceKey: at most one process at a time, and the tables that it sits at.

    `absence` is set when a process could not be started: the next table that waits for it plays without.
    """

    def __init__(self, key: InstanceKey, entrant: Entrant) -> None:
        """An instance without a process."""
        self.key = key
        self.entrant = entrant
        self.session: Session | None = None
        self.abilities: Abilities | None = None
        self.living = False
        self.settled = trio.Event()
        """Set once its process is ready to play, or is gone without having been."""
        self.gone = trio.Event()
        self.absence: Fault | None = None
        self.witness: Witness | None = None
        """Its latest process."""
        self.starts = 0
        self.load = 0
        self._start = trio.CancelScope()
        self._dismissal = ""

    def come_alive(self) -> trio.CancelScope:
        """A process is about to be started; its start is given up when the scope that is returned is cancelled."""
        self.living = True
        self.settled = trio.Event()
        self.gone = trio.Event()
        self.starts += 1
        self._start = trio.CancelScope()
        return self._start

    def give_up_start(self) -> None:
        """A process that is not ready yet is not wanted any more."""
        if self.session is None:
            self._start.cancel()

    def dismiss(self, reason: str) -> None:
        """The process is not needed any more, whatever it is doing; `reason` is for its Goodbye."""
        self._dismissal = reason
        self.give_up_start()
        if self.session is not None:
            self.session.leave()

    def farewell(self, fault: Fault | None) -> str:
        """The reason of its Goodbye."""
        if fault is not None:
            return "FAULT"
        return self._dismissal or "REPLACED"

    @property
    def can_sit(self) -> bool:
        """Whether one more table can be opened with it now."""
        if self.absence is not None:
            return True
        session = self.session
        if session is None or self.abilities is None or session.retired or session.failure is not None:
            return False
        return self.load < self.abilities.tables


class Roster:
    """All bots of the run by name, and the instances that are in use by key."""

    def __init__(self, bots: Mapping[str, BotSpec], docket: Docket) -> None:
        """Bots without processes."""
        self.docket = docket
        self.entrants = {name: Entrant(spec, docket) for name, spec in bots.items()}
        self.instances: dict[InstanceKey, Instance] = {}

    def instance(self, key: InstanceKey) -> Instance:
        """The instance of this key, a new one if there is none. Raises KeyError for a bot that is not in the run.

        A remote bot has one instance for all its keys: how many processes it runs is its own affair, and what they tell
        each other nobody can see.
        """
        if self.entrants[key.bot].spec.remote:
            key = InstanceKey(key.bot, 0)
        found = self.instances.get(key)
        if found is None:
            found = self.instances[key] = Instance(key, self.entrants[key.bot])
        return found

    def local(self, keys: Iterable[InstanceKey]) -> set[InstanceKey]:
        """Those of these keys of which the processes run here. Raises KeyError for a bot that is not in the run."""
        return {key for key in keys if not self.entrants[key.bot].spec.remote}

    def idle(self, needed: Collection[InstanceKey]) -> dict[InstanceKey, Instance]:
        """The instances that are not needed. Remote bots stay: nobody could start them again."""
        return {
            key: instance
            for key, instance in self.instances.items()
            if key not in needed and not instance.entrant.spec.remote
        }
