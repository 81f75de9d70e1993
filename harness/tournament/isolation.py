"""Which isolation tier a run is played under: the one that was asked for, or the best that works for every bot.

A tier is never given up in silence (FAULTS.md, Isolation): what was asked for and does not work ends the command with
what to install; what is chosen for want of a sandbox comes with a remark.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from harness.referee.isolation import LIMITS, NONE, SANDBOX
from harness.referee.spec import BotSpec
from harness.referee.tiers import probe, tier_named
from harness.tournament.errors import IsolationError

PROBES_AT_ONCE = 4

_WITHOUT = "isolation is 'none': the bots can do whatever you can, which is for bots that you trust"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A tier that works for every bot, and what people must know about it ("" for a sandbox)."""

    tier: str
    remark: str


def choose_tier(asked: str, bots: Sequence[BotSpec], hidden: Sequence[Path], so_far: str) -> Chosen:
    """The tier for these bots, which are built. `asked` may be "", `hidden` are folders that no bot may read.

    `so_far` is the tier of the games of this run that are stored, or "": a run is played under one. Raises
    IsolationError where the tier that was asked for, or the run's, does not work for a bot or is not the same.
    """
    if so_far and asked and asked != so_far:
        raise IsolationError(
            f"the run's games so far were played under isolation {so_far!r}, it cannot go on under {asked!r}; "
            "leave the isolation out, or take another name or seed"
        )
    wanted = asked or so_far
    if wanted:
        failure = _first_failure(wanted, bots, hidden)
        if failure:
            run = "" if asked else "the run's games so far were played under it: "
            raise IsolationError(f"isolation {wanted!r} does not work here, {run}{failure}; {_advice(wanted)}")
        return Chosen(wanted, _remark(wanted))
    why = _first_failure(SANDBOX, bots, hidden)
    if not why:
        return Chosen(SANDBOX, "")
    failure = _first_failure(LIMITS, bots, hidden)
    if failure:
        raise IsolationError(
            f"the bots can neither run in a sandbox here ({why}) nor under limits ({failure}); {_advice(SANDBOX)}"
        )
    return Chosen(
        LIMITS, f"the bots run under isolation 'limits', since a sandbox does not work here: {why}; {_advice(SANDBOX)}"
    )


def _first_failure(name: str, bots: Sequence[BotSpec], hidden: Sequence[Path]) -> str:
    """Why the tier does not work for the first of these bots for which it does not; "" if it works for all.

    Several are asked at once, and of bots that are started alike, as copies are, one.
    """
    tier = tier_named(name, hidden=hidden)
    different = list({_start_of(bot): bot for bot in reversed(bots)}.values())[::-1]
    with ThreadPoolExecutor(PROBES_AT_ONCE) as pool:
        for bot, reason in zip(different, pool.map(partial(probe, tier), different), strict=True):
            if reason:
                return f"for bot {bot.name!r}: {reason}"
    return ""


def _start_of(bot: BotSpec) -> tuple[object, ...]:
    """All that matters to its start."""
    return bot.command, bot.cwd, bot.source, bot.files, bot.read, tuple(sorted(bot.environment.items())), bot.remote


def _advice(name: str) -> str:
    """What to do where a tier does not work."""
    weaker = "limits" if name == SANDBOX else "none"
    return f"it needs {tier_named(name).needs}; --isolation {weaker} plays without, for bots that you trust"


def _remark(tier: str) -> str:
    return _WITHOUT if tier == NONE else ""
