"""`bowerbird test A B`: is A stronger than B? As few deal sets as it takes (RATINGS.md, Sequential test)."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.options import (
    chosen_options,
    complete_bot,
    complete_variant,
    isolation_option,
    jobs_option,
    playing,
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
@playing
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
    played is an ordinary run, recorded and verifiable; --resume goes on with it.
    """
    if elo0 >= elo1:
        raise click.UsageError(f"--elo0 {elo0:g} must be less than --elo1 {elo1:g}")
    if points and not (deals and normalised):
        raise click.UsageError("--points needs --deals and --normalised: points are of single hands, and have no Elo")
    from harness.cli.bundled import find_bot
    from harness.cli.playing import play
    from harness.cli.verdict import LiveTest, Trial, show_verdict
    from harness.ratings.measures import POINTS, SCORE
    from harness.ratings.sequential import Hypotheses
    from harness.records.names import LONGEST_NAME
    from harness.records.store import Store
    from harness.tournament.config import entered_names, quick_match

    found = [find_bot(bot) for bot in bots]
    one, other = entered_names(found)
    trial = Trial((one, other), Hypotheses(elo0, elo1, alpha, beta, normalised), POINTS if points else SCORE)
    match = quick_match(
        found,
        {variant: chosen_options(options)},
        sets=max_sets,
        unit="deals" if deals else "games",
        seed=seed,
        name=f"test-{variant}-{one}-{other}"[:LONGEST_NAME],
        settings={"stop": trial.stop(deals)},
    )
    with Store.create(db) as store:
        live = LiveTest(trial, match, store)
        run = play(match, store, resume=resume, quiet=quiet, isolation=isolation, jobs=jobs, status=live.line)
        show_verdict(trial, store, run, as_json=as_json)
