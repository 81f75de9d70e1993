"""The corrections of a run, as lines of text and as JSON (faults.md, Corrections)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.cli.shared.correcting import added_line, back_line, listed
from bowerbird.harness.cli.shared.output import echo, plain_fields, print_json, print_lines, recorded_command
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.values.corrections import (
    REINSTATE,
    WITHDRAW,
    CorrectedSets,
    Correction,
    correction_lines,
)

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.records.values.run import SetKey
    from bowerbird.harness.tournament.corrections import Corrected


BRIEF = 225
"""The most characters of the latest correction on the first screen of standings: three lines, with no word broken."""

BRIEF_NAME, LEAST_WHY = 24, 24
"""A name longer than this is cut to this many characters. At least this many characters of the reason are shown."""


def correction_head(run: StoredRun, *, full: bool) -> list[str]:
    """Return the lines about corrections above the standings of a run; [] if it has none.

    full: show each correction whole. Otherwise show the latest in `BRIEF` characters, and how many there are. Show
        nothing if the only correction is a withdrawal still in force, which has its own line (`values.withdrawals`).
    """
    corrections = run.corrections()
    if not corrections or (not full and len(corrections) == 1 and corrections[0].kind == WITHDRAW):
        return []
    lines = correction_lines(corrections, run.stored_sets())
    if full or (len(lines) == 1 and len(lines[0]) <= BRIEF):
        return lines
    every = recorded_command(run.store.path, "standings", run.fingerprint, "--full")
    return [_brief(lines[-1], corrections[-1]), f"{counted(len(lines), 'correction')} in all: {every}"]


def _brief(line: str, correction: Correction) -> str:
    """Return the line of a correction, with the reason and a long name shortened, but never the commitment."""
    if len(line) <= BRIEF:
        return line
    line = line.replace(correction.by, shown(correction.by, BRIEF_NAME), 1)
    room = max(LEAST_WHY, len(correction.why) - (len(line) - BRIEF))
    return line.replace(correction.why, shown(correction.why, room), 1)


def correction_count(corrections: int) -> str:
    """Return `2 corrections`; "" for none."""
    return counted(corrections, "correction") if corrections else ""


def corrections_document(run: StoredRun) -> list[dict[str, object]]:
    """Return the corrections of a run for JSON, in order of time."""
    corrections = run.corrections()
    stored = dict(run.sets()) if corrections else {}
    return [correction_document(one, corrections, stored) for one in corrections]


def correction_document(
    correction: Correction, corrections: Sequence[Correction], stored: Mapping[SetKey, int]
) -> dict[str, object]:
    """Return a correction for JSON, with the number of deal sets and games played again.

    corrections: all corrections of the run. stored: the number of games in each stored deal set.
    """
    again = CorrectedSets(corrections, stored).played_again(correction)
    return {
        **plain_fields(correction),
        "sets": [str(key) for key in correction.sets],
        "sets_played_again": len(again),
        "games_played_again": sum(stored[key] for key in again),
    }


def voided_line(correction: Correction) -> str:
    """Return the line to show above a game that a correction took out of the results."""
    what = {REINSTATE: f"reinstated bot {correction.bot}", WITHDRAW: f"annulled the games of bot {correction.bot}"}.get(
        correction.kind, "voided it"
    )
    return (
        f"this game does not count: correction {correction.number}, {correction.saved[:10]}, "
        f"by {correction.by}, {what}: {correction.why}"
    )


def print_corrected(run: StoredRun, corrected: Corrected, *, as_json: bool) -> None:
    """Print a correction after it is made: its number, deal sets, games and commitment, and how to resume the run."""
    from bowerbird.harness.records.values.corrections import WITHDRAW

    one = corrected.correction
    resume = _resume_command(run)
    if as_json:
        print_json(
            {
                "run": run.fingerprint,
                "name": run.row.name,
                "correction": correction_document(one, [one], {}),
                "added": [str(key) for key in corrected.added],
                "counting_again": [str(key) for key in corrected.back],
                "resume": resume,
            }
        )
        return
    lines = [
        f"correction {one.number} of run {run.fingerprint} ({run.row.name}), recorded as decided by {one.by}: {one.why}"
    ]
    if one.kind == WITHDRAW:
        lines.append(f"bot {one.bot} is out of the run: it misses all games that are not played yet")
    elif one.bot:
        lines.append(f"bot {one.bot} is back in the run, and none of its failures so far counts against its limits")
    if not one.sets:
        lines.append("no deal set is taken out of the results")
    else:
        lines.append(
            f"{counted(len(one.sets), 'deal set')} with {counted(one.games, 'game')} "
            f"no longer {'counts' if len(one.sets) == 1 else 'count'}: {listed(one.sets)}"
        )
        lines += [added_line(run, corrected.added)] if corrected.added else []
        if one.commitment:
            lines += ["now publish the commitment to the seed of the new deals:", f"  {one.commitment}"]
        else:
            lines.append("they are annulled: nothing is played again, and they count again if the bot is reinstated")
    lines += [back_line(corrected.back)] if corrected.back else []
    file = " with its tournament file FILE" if _has_remote_bots(run) else ""
    print_lines([*lines, f"{_what_is_left(run)}{file}:"])
    echo(f"  {resume}")


def _what_is_left(run: StoredRun) -> str:
    """Return the reason for resuming a run that was corrected."""
    from bowerbird.harness.tournament.played_so_far import nothing_left

    if nothing_left(run.store[run.fingerprint]):  # read again, as it is after the correction
        return "no game is left to play; to complete the run again, with the places and digest that follow, resume it"
    return "the run is unfinished; resume it"


def _resume_command(run: StoredRun) -> str:
    if _has_remote_bots(run):
        return recorded_command(run.store.path, "host", "FILE", "--resume")
    return recorded_command(run.store.path, "runs", "resume", run.fingerprint)


def _has_remote_bots(run: StoredRun) -> bool:
    from bowerbird.harness.records.values.game_record import REMOTE

    return any(bot.fingerprint == REMOTE for bot in run.bots())
