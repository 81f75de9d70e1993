"""Who did what wrong in a run so far, and who is withdrawn for it (PROTOCOL.md, Faults at a table).

Every process that plays tables of a run has a docket, and all of them hold the same: what one enters the others learn,
and what is stored is where a run that is gone on with begins. What follows from the entries, follows from them alone.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from harness.records.incident import Conduct, Incident
from harness.referee.faults import ENDED_AFTER, NEVER_STARTED, Fault
from harness.referee.spec import FaultLimits, InstanceKey

CLEAN = Conduct()


@dataclass(frozen=True, slots=True)
class Appearance:
    """A process of this bot was ready to play: it is known that the bot can start."""

    bot: str


Entry = Incident | Appearance


class Docket:
    """The entries of a run. Whoever listens is told those that are made here, and not those that are learnt."""

    def __init__(self, limits: FaultLimits, conduct: Conduct = CLEAN) -> None:
        """How the bots have behaved so far, and how much the run bears of each."""
        self._limits = limits
        self._incidents: dict[str, Incident] = {}
        self._faults: Counter[str] = Counter()
        self._restarts: Counter[InstanceKey] = Counter()
        self._appeared = set(conduct.appeared)
        self._withdrawn = {bot: Fault(*why) for bot, why in conduct.withdrawn.items()}
        self._made: list[Entry] = []
        self._tell: list[Callable[[Entry], None]] = []
        for incident in conduct.incidents:
            self.learn(incident)

    def listen(self, tell: Callable[[Entry], None]) -> None:
        """Call `tell` with each entry that is made here, and now with those that were made before."""
        self._tell.append(tell)
        for entry in self._made:
            tell(entry)

    def enter(self, entry: Entry) -> None:
        """Something happened here. What is known already changes nothing."""
        if self.learn(entry):
            self._made.append(entry)
            for tell in self._tell:
                tell(entry)

    def learn(self, entry: Entry) -> bool:
        """Something happened elsewhere. Whether it was not known yet."""
        if isinstance(entry, Appearance):
            known = entry.bot in self._appeared
            self._appeared.add(entry.bot)
        else:
            known = entry.name in self._incidents
            if not known:
                self._incidents[entry.name] = entry
                self._count(entry)
        return not known

    def blame(self, key: InstanceKey, fault: Fault, seats: Iterable[tuple[str, int]]) -> None:
        """A process did something wrong that cost it these seats, each as a game's id and the number of the seat."""
        hit = list(seats)
        name = f"{hit[0][0]}/{hit[0][1]}" if hit else secrets.token_hex(16)
        games = tuple(dict.fromkeys(game for game, _ in hit))
        self.enter(Incident(name, key.bot, key.number, fault.kind, fault.detail, games))

    def faults_of(self, bot: str) -> int:
        """How many incidents a bot has caused."""
        return self._faults[bot]

    def has_appeared(self, bot: str) -> bool:
        """Whether a process of this bot was ever ready to play."""
        return bot in self._appeared

    def withdrawn(self, bot: str) -> Fault | None:
        """Why a bot gets no further table; None as long as it does."""
        return self._withdrawn.get(bot)

    def is_withdrawn_among(self, bots: Iterable[str]) -> bool:
        """Whether any of these bots is out of the run."""
        return bool(self._withdrawn) and not self._withdrawn.keys().isdisjoint(bots)

    @property
    def conduct(self) -> Conduct:
        """All of it, for another docket to begin with."""
        withdrawn = {bot: (fault.kind, fault.detail) for bot, fault in self._withdrawn.items()}
        return Conduct(tuple(self._incidents.values()), withdrawn, frozenset(self._appeared))

    def _count(self, incident: Incident) -> None:
        """A bot is withdrawn past one of its limits, or when it cannot be started and never could."""
        bot, key = incident.bot, InstanceKey(incident.bot, incident.instance)
        self._faults[bot] += 1
        if incident.kind in ENDED_AFTER:
            self._restarts[key] += 1
        if (
            self._faults[bot] > self._limits.max_faults
            or self._restarts[key] > self._limits.max_restarts
            or (incident.kind == NEVER_STARTED and bot not in self._appeared)
        ):
            self._withdrawn.setdefault(bot, Fault(incident.kind, f"withdrawn: {incident.detail}"))
