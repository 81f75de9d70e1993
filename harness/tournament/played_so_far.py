"""Reports how much of each variant an unfinished run has played, out of how much its file requires.

Input: a stored run. Output: sentences for people. Only the database is read, so the bots may be gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bowerbird.engine import EngineError, resolve_options, rules_of, variant_names
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.values.corrections import WITHDRAW, annulled_sets
from bowerbird.harness.records.values.run import SetKey
from bowerbird.harness.records.values.voids import left_out_of

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun

Progress = tuple[Mapping[str, int], Mapping[str, int], str]
"""The stored and the wanted deal sets by variant, and "at most " as `planned_sets` returns it."""

NAMED = 6
"""The most variants, and the most waiting bots, that are listed.

Of more variants, only the least and the most advanced are listed.
"""


def played_so_far(run: StoredRun) -> str:
    """Return `played so far: buck 30 of 30, euchre 60 of 180 deal sets`; "" for a complete run, or if it is unknown.

    Annulled and left-out deal sets are not counted as wanted, since they will not be played. If nothing is left to
    play, the sentence says that instead.
    """
    if run.row.ended is not None:
        return ""
    played, planned, at_most = progress = _progress(run)
    if _is_played(run, progress):
        return "nothing is left to play: resume the run to complete it"
    if not planned:
        return ""
    parts = {name: f"{name} {played[name]} of {at_most}{number}" for name, number in planned.items()}
    if len(parts) > NAMED:
        least, *_, most = sorted(parts, key=lambda name: played[name] / max(1, planned[name]))
        return f"played so far: {len(parts)} variants, from {parts[least]} to {parts[most]} deal sets"
    return f"played so far: {', '.join(parts.values())} deal sets"


def nothing_left(run: StoredRun) -> bool:
    """Return whether an unfinished run has no game left to play, so that resuming it only completes it.

    This is the case after a complete run's games were annulled. Returns False if the database does not show it.
    """
    return run.row.ended is None and _is_played(run, _progress(run))


def _is_played(run: StoredRun, progress: Progress) -> bool:
    """Return whether an unfinished run with this progress has no game left to play."""
    played, planned, at_most = progress
    if planned and not at_most:
        return all(played[name] >= number for name, number in planned.items())
    corrections = run.corrections()  # results decide how much is played, and annulled games still decide it
    was_complete = run.row.seed is not None and not run.row.sets_after_seed
    return bool(corrections) and was_complete and all(one.kind == WITHDRAW for one in corrections)


def _progress(run: StoredRun) -> Progress:
    """Return the progress of a run from the database."""
    planned, at_most = planned_sets(run.row.config, [bot.name for bot in run.bots()])
    played = Counter(_variant(key) for key in run.stored_sets())
    dropped = Counter(map(_variant, {*annulled_sets(run.corrections()), *left_out_of(run.voids())}))
    return played, {name: max(played[name], number - dropped[name]) for name, number in planned.items()}, at_most


def without_a_game(run: StoredRun) -> str:
    """Return a text such as `no game yet: pimc, mybot and 2 more`, with the bots that standings cannot show yet."""
    if run.row.ended is not None:
        return ""
    playing = {line.bot for line in run.standings()}
    waiting = [bot.name for bot in run.bots() if bot.name not in playing]
    more = f" and {len(waiting) - NAMED} more" if len(waiting) > NAMED else ""
    return f"no game yet: {', '.join(waiting[:NAMED])}{more}" if waiting else ""


def _variant(key: SetKey) -> str:
    return key.entry.rpartition("-")[0]


def planned_sets(config: str, bots: Sequence[str]) -> tuple[Mapping[str, int], str]:
    """Return a run's number of deal sets by variant, and "at most " if it may stop earlier; {} if unknown.

    The number is unknown if results decide it (a knockout, an adaptive run) or if another program made the run.

    config: the resolved copy of the tournament file that is stored with the run.
    bots: their names, in the order of the file.
    """
    try:
        return _planned(load_toml(config), tuple(bots))
    except (ValueError, TypeError, KeyError, AttributeError, EngineError):  # another program wrote the copy
        return {}, ""


def _planned(data: Mapping[str, object], bots: tuple[str, ...]) -> tuple[Mapping[str, int], str]:
    # The schema of tournament files takes a quarter of the time of a command that only lists runs.
    from bowerbird.harness.tournament.config.schema import GAUNTLET, ROUND_ROBIN, SWISS
    from bowerbird.harness.tournament.lineups import MeetingRules, default_kind, lineups

    main, entries = data["tournament"], data["variant"]
    if not isinstance(main, dict) or not isinstance(entries, list):
        return {}, ""
    form, sets = main["format"], int(main["sets"])
    if form not in (ROUND_ROBIN, GAUNTLET, SWISS):
        return {}, ""
    challengers = tuple(main["challengers"]) if form == GAUNTLET else ()
    meetings = MeetingRules(bots, challengers, copies=bool(main.get("copies", True)))
    planned: Counter[str] = Counter()
    for entry in entries:
        name = str(entry["name"])
        if name not in variant_names():
            return {}, ""
        if form == SWISS:
            planned[name] += sets * int(main["rounds"]) * (len(bots) // 2)
            continue
        rules, options = rules_of(name), resolve_options(name, entry["options"])
        sides = rules.teams(options)
        kind = entry["lineup"] or default_kind(sides)
        planned[name] += sets * len(lineups(kind, meetings, rules.seats(options), sides))
    return planned, "at most " if "stop" in main else ""
