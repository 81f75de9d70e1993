"""The ledger of a run's faults and of the bots withdrawn for them (protocol.md, Faults at a table).

It also carries the processor time of bots to the run.

Every referee of a run has a ledger, and all ledgers share their entries. A resumed run begins with the stored entries.
The entries alone determine which bots are withdrawn.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bowerbird.harness.records.values.faults import NEVER_STARTED, WITHDRAWN_DETAIL, Conduct, Incident
from bowerbird.harness.records.values.run import pack_attempt
from bowerbird.harness.referee.game.faults import ENDED_AFTER, Fault
from bowerbird.harness.referee.spec import FaultLimits, InstanceKey, TableSpec

CLEAN = Conduct()


@dataclass(frozen=True, slots=True)
class BotStarted:
    """The news that a process of a bot was ready to play, so the bot can start."""

    bot: str


@dataclass(frozen=True, slots=True)
class CpuUsed:
    """The news that processes of a bot used `cpu_ms` more processor time, `processes` of them for the first time.

    Each entry adds to the earlier ones, so it is entered only once. Only the run needs it, not other referees.
    """

    bot: str
    cpu_ms: int
    processes: int


LedgerEntry = Incident | BotStarted | CpuUsed


class FaultLedger:
    """The entries of a run. Subscribers get entries made in this ledger, but not those received from other ledgers."""

    def __init__(self, limits: FaultLimits, conduct: Conduct = CLEAN) -> None:
        """Start with the stored `conduct` of the bots."""
        self._limits = limits
        self._incidents: dict[str, Incident] = {}
        self._faults: Counter[str] = Counter()
        self._restarts: Counter[InstanceKey] = Counter()
        self._started = set(conduct.appeared)
        self._withdrawn = {bot: Fault(*why) for bot, why in conduct.withdrawn.items()}
        self._made: list[LedgerEntry] = []
        self._cpu: dict[str, CpuUsed] = {}
        self._subscribers: list[Callable[[LedgerEntry], None]] = []
        for incident in conduct.incidents:
            self.learn(incident)

    def subscribe(self, on_entry: Callable[[LedgerEntry], None]) -> None:
        """Call `on_entry` now with each entry made here so far, and later with each new one."""
        self._subscribers.append(on_entry)
        for entry in (*self._made, *self._cpu.values()):
            on_entry(entry)

    def enter(self, entry: LedgerEntry) -> None:
        """Add an entry of this referee. A known entry changes nothing."""
        if self.learn(entry):
            if isinstance(entry, CpuUsed):
                before = self._cpu.get(entry.bot, CpuUsed(entry.bot, 0, 0))
                used_ms, processes = before.cpu_ms + entry.cpu_ms, before.processes + entry.processes
                self._cpu[entry.bot] = CpuUsed(entry.bot, used_ms, processes)
            else:
                self._made.append(entry)
            for on_entry in self._subscribers:
                on_entry(entry)

    def learn(self, entry: LedgerEntry) -> bool:
        """Add an entry of another referee. Return whether it was new."""
        if isinstance(entry, CpuUsed):
            known = False
        elif isinstance(entry, BotStarted):
            known = entry.bot in self._started
            self._started.add(entry.bot)
        else:
            known = entry.name in self._incidents
            if not known:
                self._incidents[entry.name] = entry
                self._count(entry)
        return not known

    def record(self, key: InstanceKey, fault: Fault, seats: Iterable[tuple[TableSpec, int]]) -> None:
        """Enter an incident that cost a process its `seats`, each given as a table and the number of the seat."""
        lost = list(seats)
        name = _name(*lost[0]) if lost else secrets.token_hex(16)
        games = tuple(dict.fromkeys(table.game_id for table, _ in lost))
        self.enter(Incident(name, key.bot, key.number, fault.kind, fault.detail, games))

    def faults_of(self, bot: str) -> int:
        """Return how many incidents a bot has caused."""
        return self._faults[bot]

    def has_started(self, bot: str) -> bool:
        """Return whether a process of this bot was ever ready to play."""
        return bot in self._started

    def withdrawn(self, bot: str) -> Fault | None:
        """Return the reason why a bot gets no more tables; None while it is in the run."""
        return self._withdrawn.get(bot)

    def is_withdrawn_among(self, bots: Iterable[str]) -> bool:
        """Return whether any of these bots is withdrawn."""
        return bool(self._withdrawn) and not self._withdrawn.keys().isdisjoint(bots)

    @property
    def conduct(self) -> Conduct:
        """Everything that another ledger needs to start with."""
        withdrawn = {bot: (fault.kind, fault.detail) for bot, fault in self._withdrawn.items()}
        return Conduct(tuple(self._incidents.values()), withdrawn, frozenset(self._started))

    def _count(self, incident: Incident) -> None:
        """Count an incident. Withdraw a bot that exceeds one of its limits, or that has never started and cannot."""
        bot, key = incident.bot, InstanceKey(incident.bot, incident.instance)
        self._faults[bot] += 1
        if incident.kind in ENDED_AFTER:
            self._restarts[key] += 1
        if (
            self._faults[bot] > self._limits.max_faults
            or self._restarts[key] > self._limits.max_restarts
            or (incident.kind == NEVER_STARTED and bot not in self._started)
        ):
            self._withdrawn.setdefault(bot, Fault(incident.kind, f"{WITHDRAWN_DETAIL}{incident.detail}"))


def _name(table: TableSpec, seat: int) -> str:
    """Return the name of an incident at a seat. A replayed game keeps it; the replacement of a void game does not.

    A replacement has the same id as the void game, but other packs.
    """
    attempt = pack_attempt(table.entry)
    return f"{table.game_id}/{seat}//{attempt}" if attempt else f"{table.game_id}/{seat}"
