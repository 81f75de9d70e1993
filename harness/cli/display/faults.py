"""Faults of bots as lines for people. Text that comes from bots and their processes is first made printable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bowerbird.harness.cli.shared.output import recorded_command

if TYPE_CHECKING:
    from bowerbird.harness.records.values.query_results import FaultRow

LINE_LIMIT = 160
"""Longest printed line, in characters."""

LATEST_STORIES = 3
"""Number of stories below standings."""

FIRST_LINES = 6
"""Number of lines of stderr to show from the beginning, before the last ones."""

MANY_CHOICES = 12
"""The most legal actions that a story lists."""


def printable(text: str, limit: int | None = LINE_LIMIT) -> str:
    """Return untrusted text as `shown` shows it, with single spaces, cut to `limit` characters (None for no limit)."""
    from bowerbird.harness.records.quoting import shown

    return shown(" ".join(text.split()), limit)


def printable_indented(line: str) -> str:
    """Return a line of a program's output as `printable` does, but keep its indentation, which tracebacks need."""
    return f"{' ' * (len(line) - len(line.lstrip(' ')))}{printable(line)}"


def summary_lines(faults: Sequence[FaultRow], folder: Path) -> list[str]:
    """Return the faults of a run: a line for each bot and kind, then each bot's last line of stderr.

    Games that were not played because a bot had been withdrawn have their own line, because they have no fault.

    faults: in schedule order; the reason shown is that of the first of its kind. folder: the database's folder, to
        which the paths of logs are relative.
    """
    from bowerbird.engine import counted
    from bowerbird.harness.records.values.faults import WITHDRAWN_DETAIL
    from bowerbird.harness.records.values.outcome import WITHDRAWN

    games: dict[tuple[str, str], set[str]] = {}
    details: dict[tuple[str, str], str] = {}
    for fault in faults:
        is_played = not fault.detail.startswith(WITHDRAWN_DETAIL)
        what = fault.kind if is_played else WITHDRAWN
        games.setdefault((fault.bot, what), set()).add(fault.game)
        details.setdefault((fault.bot, what), fault.detail.removeprefix(WITHDRAWN_DETAIL))
    lines = []
    for (bot, what), where in games.items():
        detail = printable(details[bot, what])
        reason = f" ({detail})" if detail else ""
        number = counted(len(where), "game")
        happened = f"withdrawn, {number} not played" if what == WITHDRAWN else f"{what} in {number}"
        lines.append(f"bot {bot}: {happened}{reason}")
    for bot in dict.fromkeys(bot for bot, _ in games):
        lines += last_stderr_lines([fault for fault in faults if fault.bot == bot], folder)
    return lines


def last_stderr_lines(faults: Sequence[FaultRow], folder: Path) -> list[str]:
    """Return a line with a bot's last line of stderr, from its latest fault with any stderr, and the path of the log.

    `faults` are those of one bot, in schedule order. Returns [] if its processes wrote nothing.
    """
    from bowerbird.harness.records.quoting import shown
    from bowerbird.harness.records.values.faults import last_lines

    for fault in reversed(faults):
        if lines := last_lines(fault.stderr):
            where = f" ({shown(str(folder / fault.log))})" if fault.log else ""
            return [f"bot {fault.bot} wrote last{where}: {printable(lines[-1])}"]
    log = next((fault.log for fault in reversed(faults) if fault.log), "")
    return [f"bot {faults[0].bot} wrote {shown(str(folder / log))}"] if log else []


def story_lines(fault: FaultRow, folder: Path) -> list[str]:
    """Return everything known about a fault: kind, bot, place, clock and diagnostics. `folder` is the database's."""
    detail = f": {printable(fault.detail)}" if fault.detail else ""
    head = f"{fault.kind} of {printable(fault.bot)}, seat {fault.seat}, game {fault.game}{detail}"
    return [head, *(f"  {line}" for line in [_place(fault), *diagnostics_lines(fault, folder)])]


def stories(faults: Sequence[FaultRow], folder: Path) -> Iterator[list[str]]:
    """Yield the story of each fault as lines.

    If the end of one process lost several games, only one game gets the whole story.

    That is the first game in which the bot had been asked to decide, so that its own code was running. Each of the
    other games gets one line below it.

    faults: in schedule order.
    folder: the database's.
    """
    ends: dict[tuple[str, ...], list[FaultRow]] = {}
    for number, fault in enumerate(faults):
        ends.setdefault(_end_of_process(fault) or (str(number),), []).append(fault)
    for lost in ends.values():
        told = next((fault for fault in lost if fault.limit_ms), lost[0])
        head, *more = story_lines(told, folder)
        games = len({fault.game for fault in lost})
        if games > 1:
            more.insert(0, f"  the end of this process cost {games} games; one of them caused it")
        yield [
            head,
            *more,
            *(
                f"{fault.kind} of {printable(fault.bot)}, seat {fault.seat}, game {fault.game}: the same end of the "
                f"process as in game {told.game}"
                for fault in lost
                if fault is not told
            ),
        ]


def _end_of_process(fault: FaultRow) -> tuple[str, ...]:
    """Return a key that identifies the end of a process in a fault, based on its log; () if unknown."""
    from bowerbird.harness.records.values.faults import STILL_RUNNING

    if not fault.log or not fault.how_ended or fault.how_ended == STILL_RUNNING:
        return ()
    return (fault.log, fault.bot, fault.kind, fault.detail, fault.how_ended)


def _place(fault: FaultRow) -> str:
    from bowerbird.harness.records.values.faults import TIMEOUT

    clock = f", after {fault.elapsed_ms} ms of {fault.limit_ms} ms" if fault.limit_ms or fault.elapsed_ms else ""
    shares = " (the time for a decision, the rest of the bank, and a grace)" if clock and fault.kind == TIMEOUT else ""
    return f"hand {fault.hand}, action {fault.action}{clock}{shares}"


def diagnostics_lines(fault: FaultRow, folder: Path) -> list[str]:
    """Return the part of a fault's story that a record lacks: legal actions, exit status, stderr, path of the log."""
    from bowerbird.harness.records.quoting import shown
    from bowerbird.harness.records.values.faults import last_lines

    lines = []
    if fault.legal:
        more = len(fault.legal) - MANY_CHOICES
        lines.append(
            "to decide: " + shown(", ".join(fault.legal[:MANY_CHOICES])) + (f", and {more} more" if more > 0 else "")
        )
    if fault.how_ended:
        lines.append(f"process: {printable(fault.how_ended)}")
    stderr = last_lines(fault.stderr)
    if stderr:
        lines += ["stderr ended:", *(f"  {printable_indented(line)}" for line in stderr)]
    if fault.log or fault.no_log:
        lines.append(f"full log: {shown(str(folder / fault.log)) if fault.log else fault.no_log}")
    return lines


def process_lines(stderr: str, ended: str) -> list[str]:
    """Return the output of a process, and how it ended: "exit status 3", "still running".

    Long output is cut to its first lines, where some languages report the error, and its last ones.
    """
    from bowerbird.harness.records.values.faults import LAST_LINES

    written = [f"  {printable_indented(line)}" for line in stderr.splitlines() if printable(line)]
    left_out = len(written) - FIRST_LINES - LAST_LINES
    if left_out > 1:
        written[FIRST_LINES:-LAST_LINES] = [f"  … {left_out} lines …"]
    return ["stderr:" if written else "stderr: nothing", *written, f"process: {printable(ended)}"]


def latest_story_lines(faults: Sequence[FaultRow], db: Path, run: str) -> list[str]:
    """Return the stories of a run's latest faults, at most one per bot, kind and detail, and the command for all.

    faults: in schedule order.
    db: the database.
    """
    latest: dict[tuple[str, str, str], FaultRow] = {}
    for fault in reversed(faults):
        latest.setdefault((fault.bot, fault.kind, fault.detail), fault)
    if not latest:
        return []
    chosen = list(latest.values())[:LATEST_STORIES]
    lines = [line for fault in chosen for line in story_lines(fault, db.parent)]
    every = recorded_command(db, "matches", run, "--faults")
    return ["", f"the latest of {len(faults)} faults (all: {every})", *lines]
