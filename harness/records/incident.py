"""What the bots of a run did wrong, beside the records: what counts against `max_faults` and `max_restarts`.

A record tells of each game that a fault cost. How many of them one crash cost, and which process it was, is no part of
what happened at a table, and without it nobody could say how often a bot may still fail (PROTOCOL.md, Faults).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Incident:
    """One thing that was a bot's fault, however many games it cost.

    `name` tells it from all others of its run: "GAME/SEAT" of the first seat that it cost, so that it is the same one
    when a game that was lost is played again; at random where it cost none. `instance` is the number of the process
    (PROTOCOL.md, Instances). `games` are the ids of the games that it hit.
    """

    name: str
    bot: str
    instance: int
    kind: str
    detail: str
    games: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conduct:
    """How the bots of a run have behaved so far.

    `incidents` are in the order in which they came. `withdrawn` says of a bot that is out of the run with which kind
    and detail its games are recorded. `appeared` are bots that were ready to play at least once.
    """

    incidents: tuple[Incident, ...] = ()
    withdrawn: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    appeared: frozenset[str] = frozenset()
