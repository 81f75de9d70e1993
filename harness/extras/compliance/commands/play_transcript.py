"""`bowerbird play-transcript FILE BOT`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.display.faults import printable, process_lines
from bowerbird.harness.cli.shared import options
from bowerbird.harness.cli.shared.output import echo, plain_fields, print_json, print_lines

if TYPE_CHECKING:
    from bowerbird.harness.extras.compliance.transcripts.playing import ComparedAnswer, Playback


@click.command(
    "play-transcript",
    epilog=options.examples("play-transcript game.jsonl ./mybot", "play-transcript game.jsonl ./mybot --exact"),
)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.argument("bot", metavar="BOT", shell_complete=options.complete_bot)
@click.option("--exact", is_flag=True, help="Also fail if a legal answer differs from the recorded one.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1, max=3600),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="The time limit for each answer. There is no other clock.",
)
@options.startup_option
@options.isolation_option
@options.json_option
@options.quiet_option
@options.debug_option
def command(
    file: Path,
    bot: str,
    *,
    exact: bool,
    timeout: float,
    startup: float,
    isolation: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Feed a transcript to a bot, and compare its answers with the recorded ones.

    FILE is a transcript from 'bowerbird transcript'. BOT gets the referee's messages in the same order regardless of
    its answers. Exits with 0 if every answer is legal; with --exact, only if all are the recorded ones.
    """
    from bowerbird.harness.cli.shared.errors import ExitCode, InputError
    from bowerbird.harness.extras.compliance.config import Timeouts, check_config
    from bowerbird.harness.extras.compliance.transcripts.playing import play
    from bowerbird.harness.extras.compliance.transcripts.transcript_file import MAX_FILE, TranscriptError, read
    from bowerbird.harness.records.text.bounded_file import read_bounded

    try:
        transcript = read(read_bounded(file, MAX_FILE, "transcript"))
    except TranscriptError as error:
        raise InputError(f"{file}, {printable(str(error))}") from None
    config = check_config(bot, isolation, Timeouts(startup=startup, answer=timeout))
    playback = play(config, transcript)
    passed = playback.is_exact if exact else playback.is_legal
    if as_json:
        print_json({"bot": config.bot.name, "version": config.bot.version, "passed": passed, **plain_fields(playback)})
    else:
        if not quiet:
            print_lines(_lines(playback))
            print_lines([f"ignored: {printable(remark)}" for remark in playback.remarks])
        if playback.failure:
            echo(f"the bot failed before the end: {printable(playback.failure)}")
            if playback.evidence is not None:
                print_lines([f"  {line}" for line in process_lines(playback.evidence.stderr, playback.evidence.ended)])
        print_lines([f"{config.bot.name} {config.bot.version}: {_summary(playback)}"])
    if not passed:
        raise click.exceptions.Exit(ExitCode.FAILED)


def _lines(playback: Playback) -> list[str]:
    """Return a line for each decision. If the bot failed, the decisions it did not reach share the last two lines."""
    from bowerbird.harness.extras.compliance.transcripts.playing import Comparison

    missing = [answer for answer in playback.answers if answer.comparison is Comparison.MISSING]
    unreached = missing[1:] if playback.failure else []
    lines = [_line(answer) for answer in playback.answers if answer not in unreached]
    if unreached:
        lines.append(f"and {len(unreached)} more {'is' if len(unreached) == 1 else 'are'} missing")
    return lines


def _line(answer: ComparedAnswer) -> str:
    where = f"{printable(answer.table_id)}, decision {answer.decision_id}"
    said = f": {printable(answer.answer)}" if answer.answer else ""
    recorded = printable(answer.recorded) or "nothing"
    return f"{where}  {answer.comparison}{said}" + (
        "" if answer.answer == answer.recorded else f" (recorded: {recorded})"
    )


def _summary(playback: Playback) -> str:
    from bowerbird.harness.extras.compliance.transcripts.playing import Comparison

    count = Counter(answer.comparison for answer in playback.answers)
    same, other, illegal, missing = (count[one] for one in Comparison)
    total = len(playback.answers)
    decisions = f"{total} decision" if total == 1 else f"{total} decisions"
    return f"{decisions}: {same} as recorded, {other} with another legal action, {illegal} illegal, {missing} missing"
