"""`bowerbird match BOT BOT…`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.machine_options import machine_options
from bowerbird.harness.cli.shared.options import (
    VARIANT,
    checked_variant_options,
    complete_bot,
    examples,
    isolation_option,
    jobs_option,
    number_option,
    progress_options,
    resume_option,
    seed_option,
    startup_option,
    variant_options,
    watch_option,
)
from bowerbird.harness.cli.shared.serving import pages_beside, serve_option

if TYPE_CHECKING:
    from bowerbird.harness.tournament.executors.other_machines import OtherMachines


@click.command(
    "match",
    epilog=examples(
        "match greedy random --variant euchre", "match ./mybot greedy --variant buck --deals --sets 100 --jobs 2"
    ),
)
@click.argument("bots", metavar="BOT BOT...", nargs=-1, required=True, shell_complete=complete_bot)
@click.option(
    "--variant", type=VARIANT, default="euchre", show_default=True, metavar="NAME", help="The variant to play."
)
@variant_options
@number_option(
    "--sets",
    click.IntRange(min=1),
    "Deal sets per pairing. Each set is played once in every rotation of the seats.",
    default=10,
)
@click.option("--deals", is_flag=True, help="Play single hands, not whole games.")
@seed_option
@startup_option
@resume_option
@isolation_option
@jobs_option
@machine_options
@watch_option
@serve_option
@progress_options
def command(
    *,
    bots: tuple[str, ...],
    variant: str,
    options: tuple[str, ...],
    sets: int,
    deals: bool,
    seed: str,
    startup: float,
    resume: bool,
    isolation: str | None,
    watch: bool,
    jobs: int,
    machines: OtherMachines | None,
    serve: str | None,
    db: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Play bots against each other without a tournament file, and show the standings.

    BOT is a bundled bot (greedy, random, ...), a folder with a bot.toml, or a bot.toml. Name a bot twice to play it
    against a copy of itself, NAME-2.
    """
    if len(bots) < 2:
        raise click.UsageError(f"only one bot is named ({bots[0]}); a match needs at least two")
    chosen = checked_variant_options(variant, options)
    from bowerbird.harness.cli.shared.recording import recording_store
    from bowerbird.harness.cli.tournament_run import play_run
    from bowerbird.harness.tournament.config.bot_paths import find_bot
    from bowerbird.harness.tournament.config.tournament_file import quick_match
    from bowerbird.harness.tournament.run_options import RunOptions

    match = quick_match(
        [find_bot(bot) for bot in bots],
        {variant: chosen},
        sets=sets,
        unit="deals" if deals else "games",
        seed=seed,
        startup_s=startup,
    )
    with recording_store(db, quiet=quiet) as store, pages_beside(db, serve):
        run = play_run(
            match,
            store,
            RunOptions(workers=jobs, machines=machines, watch=watch),
            resume=resume,
            quiet=quiet,
            isolation=isolation,
        )
        from bowerbird.harness.cli.display.standings import print_standings  # no bot need wait for it

        print_standings(run, as_json=as_json)
