"""The machines on which a run was played: their processors, their speeds, and the number of deal sets on each.

No value here contains the name of a machine, so all can be published.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bowerbird.engine import counted
from bowerbird.harness.records.quoting import shown

LONGEST_CPU = 120
"""The most characters of a processor's model."""

MAX_SPEED = 10**12
"""More decisions per second than any machine reaches."""

_SHOWN_KINDS = 5
_SHOWN_CPU = 60
"""The most kinds of machine that a line names, and the most characters of each kind's processor."""


@dataclass(frozen=True, slots=True, order=True)
class Machine:
    """A machine on which a referee and its local bots ran.

    cpu: the model of its processor, 1 to `LONGEST_CPU` characters.
    speed: decisions per second of the rules engine on one core; 0 if not measured.
    """

    cpu: str
    speed: int = 0


@dataclass(frozen=True, slots=True, order=True)
class MachineTotal:
    """A machine of a run, and the number of deal sets that were played on it."""

    machine: Machine
    sets: int


@dataclass(frozen=True, slots=True)
class MachineKind:
    """The machines of a run with one model of processor.

    slowest, fastest: speeds in decisions per second among the measured machines; None if none was measured.
    sets: the number of deal sets that were played on them.
    """

    cpu: str
    slowest: int | None
    fastest: int | None
    sets: int


@dataclass(frozen=True, slots=True)
class MachineUse:
    """The machines on which the deal sets of a run were played.

    kinds: the kinds of machine, most deal sets first.
    unknown_sets: the number of deal sets whose machine is not stored.
    """

    kinds: tuple[MachineKind, ...]
    unknown_sets: int


def machine_use(totals: Iterable[MachineTotal], sets: int) -> MachineUse:
    """Return the kinds of machine of a run with `sets` stored deal sets."""
    by_cpu: dict[str, list[MachineTotal]] = {}
    for total in totals:
        by_cpu.setdefault(total.machine.cpu, []).append(total)
    kinds = sorted((_kind(cpu, ones) for cpu, ones in by_cpu.items()), key=lambda kind: (-kind.sets, kind.cpu))
    return MachineUse(tuple(kinds), max(0, sets - sum(kind.sets for kind in kinds)))


def _kind(cpu: str, totals: Iterable[MachineTotal]) -> MachineKind:
    ones = list(totals)
    speeds = [one.machine.speed for one in ones if one.machine.speed]
    return MachineKind(cpu, min(speeds, default=None), max(speeds, default=None), sum(one.sets for one in ones))


def machine_lines(use: MachineUse) -> list[str]:
    """Return the lines about machines to show with standings.

    [] if there is nothing to compare: no machine is stored, or all deal sets were played on one kind that was not
    measured.
    """
    kinds = use.kinds
    if not kinds or (len(kinds) == 1 and kinds[0].slowest is None and not use.unknown_sets):
        return []
    parts = [_kind_text(kind) for kind in kinds[:_SHOWN_KINDS]]
    if len(kinds) > _SHOWN_KINDS:
        rest = kinds[_SHOWN_KINDS:]
        parts.append(f"{counted(sum(kind.sets for kind in rest), 'deal set')} on {len(rest)} more")
    if use.unknown_sets:
        parts.append(f"{counted(use.unknown_sets, 'deal set')} on machines that were not recorded")
    return [f"played on {counted(len(kinds), 'kind')} of machine: {'; '.join(parts)}"]


def _kind_text(kind: MachineKind) -> str:
    text = f"{counted(kind.sets, 'deal set')} on {shown(kind.cpu, _SHOWN_CPU)}"
    if kind.slowest is None:
        return text
    if kind.slowest == kind.fastest:
        return f"{text} ({kind.slowest:,} decisions/s)"
    return f"{text} ({kind.slowest:,} to {kind.fastest:,} decisions/s)"
