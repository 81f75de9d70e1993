"""What `void`, `withdraw` and `reinstate` print after a correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bowerbird.engine import counted
from bowerbird.harness.cli.display.corrections import correction_document
from bowerbird.harness.cli.shared.correcting import added_line, back_line, listed
from bowerbird.harness.cli.shared.output import echo, print_json, print_lines, recorded_command

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun
    from bowerbird.harness.tournament.corrections import Corrected


def print_corrected(run: StoredRun, corrected: Corrected, *, as_json: bool) -> None:
    """Print a correction that was made: number, deal sets, games, commitment, and how the run is resumed."""
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
    print_lines([*lines, f"the run is unfinished; resume it{file}:"])
    echo(f"  {resume}")


def _resume_command(run: StoredRun) -> str:
    if _has_remote_bots(run):
        return recorded_command(run.store.path, "host", "FILE", "--resume")
    return recorded_command(run.store.path, "runs", "resume", run.fingerprint)


def _has_remote_bots(run: StoredRun) -> bool:
    from bowerbird.harness.records.values.game_record import REMOTE

    return any(bot.fingerprint == REMOTE for bot in run.bots())
