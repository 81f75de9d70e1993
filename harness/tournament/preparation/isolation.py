"""Chooses the isolation tier of a run: the requested one, or the best that works for every bot.

A tier is never weakened silently (faults.md, Isolation): a requested tier that does not work ends the command and
says what to install; a tier chosen for lack of a sandbox comes with a remark.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from harness.records.values.game_record import LIMITS, NO_ISOLATION, SANDBOX
from harness.referee.process.tiers import probe, tier_named
from harness.referee.spec import BotSpec
from harness.tournament.errors import IsolationError

PROBES_AT_ONCE = 4

_WITHOUT = "isolation is 'none': bots can do everything that you can; use it only for bots that you trust"


@dataclass(frozen=True, slots=True)
class TierChoice:
    """A tier that works for every bot, and a remark on it for people ("" for a sandbox)."""

    tier: str
    remark: str


def choose_tier(asked: str, bots: Sequence[BotSpec], hidden: Sequence[Path], stored: str) -> TierChoice:
    """Return the tier for these bots. Raises IsolationError if it does not work for all of them.

    A run is played under one tier, so `asked` must not differ from `stored`. The tier `none` is used only if asked for.

    asked: the requested tier; "" for the best.
    bots: built.
    hidden: folders that no bot may read.
    stored: the tier of the run's stored games; "" if there are none.
    """
    if stored and asked and asked != stored:
        raise IsolationError(
            f"the run's games so far were played under isolation {stored!r}, it cannot continue under {asked!r}; "
            "omit the isolation, or use another name or seed"
        )
    wanted = asked or stored
    if wanted:
        failure = _first_failure(wanted, bots, hidden)
        if failure:
            run = "" if asked else "the run's games so far were played under it: "
            raise IsolationError(f"isolation {wanted!r} does not work here, {run}{failure}; {_advice(wanted)}")
        return TierChoice(wanted, _remark(wanted))
    why = _first_failure(SANDBOX, bots, hidden)
    if not why:
        return TierChoice(SANDBOX, "")
    failure = _first_failure(LIMITS, bots, hidden)
    if failure:
        raise IsolationError(
            f"the bots can neither run in a sandbox here ({why}) nor under limits ({failure}); {_advice(SANDBOX)}"
        )
    return TierChoice(
        LIMITS, f"the bots run under isolation 'limits', since a sandbox does not work here: {why}; {_advice(SANDBOX)}"
    )


def _first_failure(name: str, bots: Sequence[BotSpec], hidden: Sequence[Path]) -> str:
    """Return the first bot that cannot run under a tier, and why; "" if all can.

    Probes several bots at the same time. Of bots that start in the same way, such as copies, it probes one.
    """
    tier = tier_named(name, hidden=hidden)
    different = list({_start_of(bot): bot for bot in reversed(bots)}.values())[::-1]
    with ThreadPoolExecutor(PROBES_AT_ONCE) as pool:
        for bot, reason in zip(different, pool.map(partial(probe, tier), different), strict=True):
            if reason:
                return f"for bot {bot.name!r}: {reason}"
    return ""


def _start_of(bot: BotSpec) -> tuple[object, ...]:
    """Return everything that the start of a bot depends on."""
    return bot.command, bot.cwd, bot.source, bot.files, bot.read, tuple(sorted(bot.environment.items())), bot.remote


def _advice(name: str) -> str:
    """Return what to do if a tier does not work."""
    weaker = "limits" if name == SANDBOX else "none"
    return f"it needs {tier_named(name).needs}; --isolation {weaker} plays without it, for bots that you trust"


def _remark(tier: str) -> str:
    return _WITHOUT if tier == NO_ISOLATION else ""
