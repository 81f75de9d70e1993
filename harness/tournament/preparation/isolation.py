"""Chooses the isolation tier of a run: the requested one, or the best that works for every bot.

A tier is never weakened silently (faults.md, Isolation). If a requested tier does not work, the command ends with a
message about what to install. A tier chosen for lack of a sandbox comes with a remark.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bowerbird.engine import counted
from bowerbird.harness.records.values.game_record import LIMITS, OWN_USER, SANDBOX, Conditions
from bowerbird.harness.referee.isolation.sandbox import Sandbox
from bowerbird.harness.referee.isolation.tiers import probe, tier_named
from bowerbird.harness.referee.process.cgroups import CgroupFactory
from bowerbird.harness.referee.process.task_times import tells_waits
from bowerbird.harness.referee.spec import BotSpec
from bowerbird.harness.tournament.errors import IsolationError

PROBES_AT_ONCE = 4

_OTHERS = stat.S_IRWXO

_NO_SHARES = "no control group shares the processors fairly between the bots here, so "
_UNSHARED = (
    f"{_NO_SHARES}the clock of a bot that waits for a processor does not run, and a bot whose many threads take them "
    "is at fault"
)
_UNSHARED_UNTOLD = (
    f"{_NO_SHARES}a bot is charged for waiting for one, since this system does not report waits (schedstat); "
    "slots = 1 lets one bot think at a time"
)

_WITHOUT = "isolation is 'none': bots can do everything that you can; use it only for bots that you trust"


@dataclass(frozen=True, slots=True)
class TierChoice:
    """A tier that works for every bot, with its measures and a remark for people.

    measures: the members of `game_record.MEASURES` that are in use.
    remark: "" for a sandbox.
    shared_files: a sentence about bots whose processes share files in a sandbox; "" if there are none.
    bots_can_read_seed: whether a bot on this machine could read the secret seed.
    """

    tier: str
    remark: str
    measures: tuple[str, ...] = ()
    bots_can_read_seed: bool = False
    shared_files: str = ""


def choose_tier(asked: str, bots: Sequence[BotSpec], hidden: Sequence[Path], stored: Conditions | None) -> TierChoice:
    """Return the tier for these bots. Raises IsolationError if it does not work for all of them.

    A run is played under one tier, so `asked` must equal the stored tier; the same holds for its measures. The tier
    `none` is used only on request.

    asked: the requested tier; "" for the best.
    bots: the bots, already built.
    hidden: folders that no bot may read.
    stored: the conditions of the run's stored games; None if there are none.
    """
    if stored is not None and asked and asked != stored.isolation:
        raise IsolationError(
            f"the run's games so far were played under isolation {stored.isolation!r}; it cannot continue under "
            f"{asked!r}; omit the isolation, or use another name or seed"
        )
    wanted = asked or (stored.isolation if stored is not None else "")
    if wanted:
        run = "" if asked else "the run's games so far were played under it: "
        return _choose_wanted(wanted, bots, hidden, stored, run)
    why = _first_failure(SANDBOX, bots, hidden)
    if not why:
        return TierChoice(SANDBOX, "", shared_files=_shared_files(bots, hidden))
    measures, own_user_failure = _measures(LIMITS, bots, hidden, None)
    failure = "" if measures else _first_failure(LIMITS, bots, hidden)
    if failure:
        raise IsolationError(
            f"here the bots can run neither in a sandbox ({why}) nor under limits ({failure}); {_advice(SANDBOX)}"
        )
    chosen = (
        f"the bots run under isolation 'limits', since a sandbox does not work here: {why}\n"
        f"a sandbox needs {tier_named(SANDBOX).needs}"
    )
    return _limited(bots, measures, own_user_failure, chosen)


def refuse_unlike(here: TierChoice, elsewhere: TierChoice) -> None:
    """Raise IsolationError unless bots are isolated on this machine in the same way as on the workers of a cluster.

    A run shared by both has one isolation.
    """
    if (here.tier, here.measures) != (elsewhere.tier, elsewhere.measures):
        raise IsolationError(
            f"bots are isolated by {_named(elsewhere)} on the workers of the cluster and by {_named(here)} on this "
            "machine, which plays the tables with remote bots; use --isolation sandbox, or play without --cluster"
        )


def _named(choice: TierChoice) -> str:
    return " with ".join((f"{choice.tier!r}", *choice.measures))


def _choose_wanted(
    wanted: str, bots: Sequence[BotSpec], hidden: Sequence[Path], stored: Conditions | None, run: str
) -> TierChoice:
    """Return the choice of the tier `wanted`. Raises IsolationError, beginning with `run`, if it does not work."""
    measures, own_user_failure = _measures(wanted, bots, hidden, stored)
    failure = "" if measures else _first_failure(wanted, bots, hidden)
    if stored is not None and OWN_USER in stored.measures and own_user_failure:
        failure = f"the bots cannot run as separate users, as they did before: {own_user_failure}"
    if failure:
        raise IsolationError(f"isolation {wanted!r} does not work here: {run}{failure}; {_advice(wanted)}")
    if wanted == SANDBOX:
        return TierChoice(SANDBOX, "", shared_files=_shared_files(bots, hidden))
    if wanted == LIMITS:
        return _limited(bots, measures, own_user_failure, "")
    return TierChoice(wanted, _WITHOUT, (), _has_local(bots))


def _limited(bots: Sequence[BotSpec], measures: tuple[str, ...], own_user_failure: str, remark: str) -> TierChoice:
    """Return the choice of `limits`. Its remark says whether bots can read the seed, and why."""
    can_read = _has_local(bots) and not measures
    why = f" (they cannot run as another user: {own_user_failure})" if own_user_failure else ""
    seed = f"under isolation 'limits' bots run as your own user and could read the seed: play only bots you trust{why}"
    return TierChoice(LIMITS, "\n".join(filter(None, (remark, seed if can_read else ""))), measures, can_read)


def _measures(
    tier: str, bots: Sequence[BotSpec], hidden: Sequence[Path], stored: Conditions | None
) -> tuple[tuple[str, ...], str]:
    """Return the measures that work for every bot under a tier, and why others do not; or those of `stored`."""
    if tier != LIMITS or not _has_local(bots) or (stored is not None and OWN_USER not in stored.measures):
        return (), ""
    if os.geteuid() != 0:
        return (), "only root can start them as others" if stored is not None else ""
    failure = _first_failure(LIMITS, bots, hidden, (OWN_USER,))
    return ((), failure) if failure else ((OWN_USER,), "")


def _has_local(bots: Sequence[BotSpec]) -> bool:
    return any(not bot.remote for bot in bots)


def _shared_files(bots: Sequence[BotSpec], hidden: Sequence[Path]) -> str:
    """Return a sentence about bots whose processes could communicate through shared files in a sandbox; else ""."""
    sandbox = Sandbox(hidden)
    found = [(bot.name, why) for bot in bots if not bot.remote for why in sandbox.shared_files(bot)[:1]]
    if not found:
        return ""
    name, why = found[0]
    others = f" (so it is for {counted(len(found) - 1, 'other bot')})" if len(found) > 1 else ""
    return f"processes of bot {name!r} share files, through which they could communicate: {why}{others}"


def unshared_processors() -> str:
    """Return a sentence for people if processors are not shared fairly between isolated bots here; else ""."""
    groups = CgroupFactory.detect()
    if groups is not None and groups.shares_processors:
        return ""
    return _UNSHARED if tells_waits() else _UNSHARED_UNTOLD


def close_to_others(database: Path, logs: Path) -> None:
    """Remove other users' access to a database, the files beside it, and all logs. Raises OSError.

    logs: the folder of a run's logs, in the folder of all logs.
    """
    logs.mkdir(parents=True, exist_ok=True)
    for path in (*database.parent.glob(f"{glob.escape(database.name)}*"), logs.parent, logs):
        # Another run of this database may end meanwhile and remove its files. Nobody can read files that are gone.
        with suppress(FileNotFoundError):
            if not path.is_symlink():
                path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_OTHERS)


def readable_seed_refusal(tier: str) -> str:
    """Return the message that refuses a run in which bots could read the seed."""
    return (
        f"under isolation {tier!r} the local bots of this file could read the secret seed and the tokens of others; "
        f"install {tier_named(SANDBOX).needs}, or allow it with --allow-readable-seed"
    )


def _first_failure(name: str, bots: Sequence[BotSpec], hidden: Sequence[Path], measures: Sequence[str] = ()) -> str:
    """Return the first bot that cannot run under a tier with these measures, and why; "" if all can.

    Several bots are probed at the same time. Of bots that start in the same way, as copies do, only one is probed.
    """
    tier = tier_named(name, hidden=hidden, measures=measures)
    different = list({_start_of(bot): bot for bot in reversed(bots)}.values())[::-1]
    with ThreadPoolExecutor(PROBES_AT_ONCE) as pool:
        for bot, reason in zip(different, pool.map(partial(probe, tier), different), strict=True):
            if reason:
                return f"for bot {bot.name!r}: {reason}"
    return ""


def _start_of(bot: BotSpec) -> tuple[object, ...]:
    """Return all values on which a bot's start depends."""
    return bot.command, bot.cwd, bot.source, bot.files, bot.read, tuple(sorted(bot.environment.items())), bot.remote


def _advice(name: str) -> str:
    """Return advice for a tier that does not work."""
    weaker = "limits" if name == SANDBOX else "none"
    return f"it needs {tier_named(name).needs}; --isolation {weaker} plays without it, for bots that you trust"
