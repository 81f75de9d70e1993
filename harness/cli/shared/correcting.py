"""What `void`, `withdraw` and `reinstate` share: their options, and the question that confirms a correction."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bowerbird.engine import counted
from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.cli.shared.output import note

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import Store, StoredRun
    from bowerbird.harness.records.values.run import SetKey
    from bowerbird.harness.tournament.corrections import CorrectionPlan

Command = TypeVar("Command", bound=Callable[..., Any])

LISTED = 6
"""The most deal sets that are named."""


def correction_options(command: Command) -> Command:
    """Add --why, --by and --yes to a command that corrects a run."""
    why = click.option(
        "--why", required=True, metavar="TEXT", help="The reason, in one sentence. Everyone can read it."
    )
    by = click.option("--by", metavar="NAME", help="Who decided. By default your login name. Everyone can read it.")
    yes = click.option("--yes", is_flag=True, help="Don't ask for confirmation. Required without a terminal.")
    return why(by(yes(command)))


def decided_by(why: str, by: str | None) -> str:
    """Return the name under which a correction is recorded: `by`, or the login name.

    Raises InputError if the name or the reason `why` cannot be recorded.
    """
    from bowerbird.harness.records.values.corrections import LONGEST_BY, LONGEST_WHY, wrong_sentence

    if wrong := wrong_sentence(why, LONGEST_WHY):
        raise InputError(f"--why: {wrong}")
    name = _login_name() if by is None else by
    if wrong := wrong_sentence(name, LONGEST_BY):
        raise InputError(
            f"--by: {wrong}" if by is not None else f"your login name: {wrong}; give another with --by NAME"
        )
    return name


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # KeyError before Python 3.13
        raise InputError("your login name is not known here; add --by NAME") from None


def correctable_run(store: Store, ref: str) -> StoredRun:
    """Return the only run that `ref` can mean. Raises InputError if several match, or if it was not played here."""
    from bowerbird.harness.cli.shared.runs import the_run
    from bowerbird.harness.records.store.corrections import imported_sentence

    run = the_run(store, ref)
    if run.origins():
        raise InputError(imported_sentence(store.path, run.fingerprint))
    return run


def is_confirmed(
    run: StoredRun, plan: CorrectionPlan, what: str, *, why: str, by: str, yes: bool, annuls: bool = False
) -> bool:
    """Print what a correction will do, and return True if the user agrees. With `yes`, print and ask nothing.

    what: the decision in words, printed before its consequences; "" to leave it out.
    annuls: True if the deal sets are annulled, so that they are not played again.

    Raises InputError if there is no terminal to ask on.
    """
    if yes:
        return True
    lines = _plan_lines(run, plan, what, annuls=annuls)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(f"{'; '.join(lines)}; add --yes to do so, since there is no terminal to ask on")
    note("\n".join([*lines, f"recorded for everyone to read, as decided by {by}: {why}"]))
    return click.confirm("Correct the run?", err=True)


def _plan_lines(run: StoredRun, plan: CorrectionPlan, what: str, *, annuls: bool) -> list[str]:
    """Return what a correction will do, with the decision `what` first.

    `annuls`: its deal sets are not played again.
    """
    where = f"run {run.fingerprint} ({run.row.name}): {f'{what}; ' if what else ''}"
    back = [back_line(plan.back)] if plan.back else []
    if not plan.chosen and not plan.added:
        return [f"{where}no deal set is taken out of the results", *back]
    sets = counted(len(plan.chosen) + len(plan.added), "deal set")
    fate = ", and nothing is played instead" if annuls else " and be played again with new deals"
    lines = [
        f"{where}{sets} with {counted(plan.games, 'game')} will no longer count{fate}: "
        f"{listed(sorted([*plan.chosen, *plan.added]))}"
    ]
    return [*lines, *([added_line(run, plan.added)] if plan.added else []), *back]


def back_line(sets: Sequence[SetKey]) -> str:
    """Return the annulled deal sets that count again."""
    count = "counts" if len(sets) == 1 else "count"
    return f"{counted(len(sets), 'annulled deal set')} {count} again, as played: {listed(sets)}"


def added_line(run: StoredRun, added: Sequence[SetKey]) -> str:
    """Return the deal sets that go because their pairs depend on results that no longer count."""
    from bowerbird.harness.tournament.corrections import later_rounds

    rounds = [str(number) for number in later_rounds(run, added)]
    where = f"round {rounds[0]}" if len(rounds) == 1 else f"rounds {', '.join(rounds[:-1])} and {rounds[-1]}"
    return (
        f"{counted(len(added), 'deal set')} of these {'follows' if len(added) == 1 else 'follow'} from the results of "
        f"the others, in {where}: {listed(added)}"
    )


def listed(sets: Sequence[SetKey]) -> str:
    """Return the first deal sets, and the number of the others."""
    more = f" and {len(sets) - LISTED} more" if len(sets) > LISTED else ""
    return f"{', '.join(map(str, sets[:LISTED]))}{more}"
