"""`bowerbird test A B`: a sequential test of whether A is stronger than B (ratings.md, Sequential test)."""

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

if TYPE_CHECKING:
    from bowerbird.harness.tournament.executors.other_machines import OtherMachines

CHANCE = click.FloatRange(0, 0.5, min_open=True, max_open=True)


@click.command(
    "test",
    epilog=examples(
        "test greedy random --variant euchre",
        "test ./mybot greedy --variant buck --deals --elo1 20",
    ),
)
@click.argument("bots", metavar="A B", nargs=2, shell_complete=complete_bot)
@click.option(
    "--variant", type=VARIANT, default="euchre", show_default=True, metavar="NAME", help="The variant to play."
)
@variant_options
@number_option("--elo0", click.FLOAT, "H0: A is stronger by this much, in Elo.", metavar="ELO", default=0.0)
@number_option("--elo1", click.FLOAT, "H1: A is stronger by this much, in Elo.", metavar="ELO", default=10.0)
@number_option("--alpha", CHANCE, "The probability of accepting H1 if H0 is true.", metavar="P", default=0.05)
@number_option("--beta", CHANCE, "The probability of accepting H0 if H1 is true.", metavar="P", default=0.05)
@click.option(
    "--normalised", is_flag=True, help="Read --elo0 and --elo1 as normalised Elo, which luck doesn't compress."
)
@click.option("--deals", is_flag=True, help="Play single hands, not whole games.")
@click.option(
    "--points",
    is_flag=True,
    help="Test points instead of wins, which is the sharpest test. Needs --deals and --normalised.",
)
@number_option("--max-sets", click.IntRange(min=1), "Stop without a verdict after this many deal sets.", default=20_000)
@seed_option
@startup_option
@resume_option
@isolation_option
@jobs_option
@machine_options
@watch_option
@progress_options
def command(
    *,
    bots: tuple[str, str],
    variant: str,
    options: tuple[str, ...],
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    normalised: bool,
    deals: bool,
    points: bool,
    max_sets: int,
    seed: str,
    startup: float,
    resume: bool,
    isolation: str | None,
    watch: bool,
    jobs: int,
    machines: OtherMachines | None,
    db: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Test whether bot A is stronger than bot B, and stop at the first clear result.

    Plays deal sets until it accepts one of two hypotheses: H0, A is stronger by elo0, or H1, A is stronger by elo1. The
    probability of a wrong answer is at most alpha or beta. A and B are bots as in 'bowerbird match'. The games are
    recorded as an ordinary run, which you can verify and resume.
    """
    if points and not (deals and normalised):
        raise click.UsageError("--points needs --deals and --normalised: points belong to single hands and have no Elo")
    from bowerbird.harness.cli.display.sequential_test import LiveRatio, SprtSettings, print_verdict
    from bowerbird.harness.cli.shared.recording import recording_store
    from bowerbird.harness.cli.tournament_run import play_run
    from bowerbird.harness.ratings.pairs import RatingError
    from bowerbird.harness.ratings.sequential.set_values import POINTS, SCORE
    from bowerbird.harness.ratings.sequential.sprt import Hypotheses
    from bowerbird.harness.records.values.run import LONGEST_NAME
    from bowerbird.harness.tournament.config.bot_entries import entered_names
    from bowerbird.harness.tournament.config.bot_file import load_bot
    from bowerbird.harness.tournament.config.bot_paths import find_bot
    from bowerbird.harness.tournament.config.tournament_file import quick_match
    from bowerbird.harness.tournament.run_options import RunOptions

    try:
        hypotheses = Hypotheses(elo0, elo1, alpha, beta, normalised)
    except RatingError as error:
        raise click.UsageError(str(error)) from None
    found = [find_bot(bot) for bot in bots]
    one, other = entered_names([load_bot(bot) for bot in found])
    settings = SprtSettings((one, other), hypotheses, POINTS if points else SCORE)
    match = quick_match(
        found,
        {variant: checked_variant_options(variant, options)},
        sets=max_sets,
        unit="deals" if deals else "games",
        seed=seed,
        name=f"test-{variant}-{one}-{other}"[:LONGEST_NAME],
        settings={"stop": settings.stop_rule(deals)},
        startup_s=startup,
    )
    with recording_store(db, quiet=quiet) as store:
        live = LiveRatio(settings, match, store)
        run = play_run(
            match,
            store,
            RunOptions(workers=jobs, machines=machines, watch=watch),
            resume=resume,
            quiet=quiet,
            isolation=isolation,
            status=live.status,
        )
        print_verdict(settings, run, as_json=as_json)
