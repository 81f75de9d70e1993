"""`bowerbird test A B`: a sequential test whether A is stronger than B (ratings.md, Sequential test)."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.shared.options import (
    complete_bot,
    complete_variant,
    isolation_option,
    jobs_option,
    parse_variant_options,
    progress_options,
    resume_option,
    seed_option,
    variant_options,
)

CHANCE = click.FloatRange(0, 0.5, min_open=True, max_open=True)


@click.command("test")
@click.argument("bots", metavar="A B", nargs=2, shell_complete=complete_bot)
@click.option("--variant", required=True, shell_complete=complete_variant, help="What is played.")
@variant_options
@click.option("--elo0", type=float, default=0.0, show_default=True, help="H0: A is stronger by this much.")
@click.option("--elo1", type=float, default=10.0, show_default=True, help="H1: A is stronger by this much.")
@click.option("--alpha", type=CHANCE, default=0.05, show_default=True, help="Chance to accept H1 where H0 is true.")
@click.option("--beta", type=CHANCE, default=0.05, show_default=True, help="Chance to accept H0 where H1 is true.")
@click.option("--normalised", is_flag=True, help="elo0 and elo1 are normalised Elo: luck does not compress it.")
@click.option("--deals", is_flag=True, help="Play single hands, not whole games.")
@click.option("--points", is_flag=True, help="Test points, not wins; with --deals and --normalised. The sharpest test.")
@click.option(
    "--max-sets",
    type=click.IntRange(min=1),
    default=20_000,
    show_default=True,
    help="Deal sets after which to give up.",
)
@seed_option
@resume_option
@isolation_option
@jobs_option
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
    resume: bool,
    isolation: str | None,
    jobs: int,
    db: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Test whether bot A is stronger than bot B, and stop as soon as that is known.

    Deal sets are played until one of two hypotheses is accepted: H0, A is stronger by elo0, or H1, by elo1. The
    chances to accept the wrong one are at most alpha and beta. A and B are bots as in `bowerbird match`. What is
    played is an ordinary run, recorded and verifiable; --resume continues it.
    """
    if elo0 >= elo1:
        raise click.UsageError(f"--elo0 {elo0:g} must be less than --elo1 {elo1:g}")
    if points and not (deals and normalised):
        raise click.UsageError("--points needs --deals and --normalised: points are of single hands, and have no Elo")
    from harness.cli.display.sequential_test import LiveRatio, SprtSettings, print_verdict
    from harness.cli.tournament_run import play_run
    from harness.ratings.sequential.set_values import POINTS, SCORE
    from harness.ratings.sequential.sprt import Hypotheses
    from harness.records.store.store import Store
    from harness.records.values.run import LONGEST_NAME
    from harness.tournament.config.bot_paths import find_bot
    from harness.tournament.config.tournament_file import entered_names, quick_match

    found = [find_bot(bot) for bot in bots]
    one, other = entered_names(found)
    settings = SprtSettings((one, other), Hypotheses(elo0, elo1, alpha, beta, normalised), POINTS if points else SCORE)
    match = quick_match(
        found,
        {variant: parse_variant_options(options)},
        sets=max_sets,
        unit="deals" if deals else "games",
        seed=seed,
        name=f"test-{variant}-{one}-{other}"[:LONGEST_NAME],
        settings={"stop": settings.stop_rule(deals)},
    )
    with Store.create(db) as store:
        live = LiveRatio(settings, match, store)
        run = play_run(match, store, resume=resume, quiet=quiet, isolation=isolation, jobs=jobs, status=live.status)
        print_verdict(settings, store, run, as_json=as_json)
