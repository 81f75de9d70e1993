"""`bowerbird transcript BOT -o FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared import options

if TYPE_CHECKING:
    from bowerbird.harness.extras.compliance.transcripts.recording import Recording

DEFAULT_VARIANT = "euchre"


@click.command(
    "transcript",
    epilog=options.examples(
        "transcript ./mybot -o game.jsonl", "transcript ./mybot --variant buck --seat 2 -o buck.jsonl"
    ),
)
@click.argument("bot", metavar="BOT", shell_complete=options.complete_bot)
@click.option(
    "--variant",
    metavar="NAME",
    type=options.VARIANT,
    help="The variant. By default euchre, or the first in the bot.toml if the bot doesn't play euchre.",
)
@options.number_option("--seat", click.IntRange(min=0), "The bot's seat.", default=0)
@options.number_option("--hands", click.IntRange(min=1), "Play at most this many hands.", default=2)
@click.option(
    "--seed",
    default="1",
    show_default=True,
    metavar="TEXT",
    help="The seed of the cards and of the other seats' choices.",
)
@options.startup_option
@options.output_option("The file to write.", required=True)
@options.isolation_option
@options.json_option
@options.debug_option
def command(
    bot: str,
    *,
    variant: str | None,
    seat: int,
    hands: int,
    seed: str,
    startup: float,
    output: Path,
    isolation: str | None,
    as_json: bool,
) -> None:
    """Play a short game, and write every message to and from the bot to a file.

    BOT takes one seat; the others play at random. The file has one line per message, as bytes and as text ('bowerbird
    docs write-a-client' describes it). 'bowerbird play-transcript' feeds it to a bot. Exits with 1 if the bot ends the
    game early; the file then ends there, too.
    """
    from bowerbird.engine import counted
    from bowerbird.harness.cli.shared.errors import ExitCode
    from bowerbird.harness.cli.shared.output import note, plain_fields, print_json
    from bowerbird.harness.extras.compliance.config import Timeouts, check_config
    from bowerbird.harness.extras.compliance.transcripts.recording import record
    from bowerbird.harness.extras.compliance.transcripts.transcript_file import write
    from bowerbird.harness.records.store.atomic_file import replacing

    config = check_config(bot, isolation, Timeouts(startup=startup))
    chosen = _variant(config.bot.variants, variant)
    _check_seat(chosen, seat)
    with replacing(output) as file:
        recording = record(config, variant=chosen, seat=seat, hands=hands, seed=seed)
        file.write(write(recording.transcript).encode())
    count = sum(1 for _ in recording.transcript.messages())
    if as_json:
        print_json(
            {
                "file": output,
                **plain_fields(recording.transcript.head),
                "messages": count,
                "failure": recording.failure,
                "evidence": recording.evidence,
            }
        )
    else:
        note(f"written: {output}, {counted(count, 'message')} of {config.bot.name} at {chosen}")
        _print_failure(recording)
    if recording.failure:
        raise click.exceptions.Exit(ExitCode.FAILED)


def _print_failure(recording: Recording) -> None:
    """Print why the game ended early, and the bot's last output. Print nothing if the game is complete."""
    from bowerbird.harness.cli.display.faults import printable, process_lines
    from bowerbird.harness.cli.shared.output import note

    if recording.failure:
        note(f"the game ended early: {printable(recording.failure)}")
        if recording.evidence is not None:
            for line in process_lines(recording.evidence.stderr, recording.evidence.ended):
                note(f"  {line}")


def _variant(declared: tuple[str, ...], wanted: str | None) -> str:
    """Return the variant to play. Raises InputError if no variant has this name or the bot does not play it."""
    from bowerbird.engine import variant_names
    from bowerbird.harness.cli.shared.errors import InputError

    played = [name for name in variant_names() if "*" in declared or name in declared]
    if wanted is None:
        return DEFAULT_VARIANT if DEFAULT_VARIANT in played else played[0]
    if wanted not in played:
        raise InputError(f"its bot.toml does not list {wanted}; it plays {', '.join(played)}")
    return wanted


def _check_seat(variant: str, seat: int) -> None:
    from bowerbird.engine import rules_of
    from bowerbird.harness.cli.shared.errors import InputError

    seats = rules_of(variant).seats()
    if seat >= seats:
        raise InputError(f"--seat {seat}: {variant} has {seats} seats, 0 to {seats - 1}")
