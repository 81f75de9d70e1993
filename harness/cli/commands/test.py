"""`bowerbird test A B`: a sequential test of whether A is stronger than B (ratings.md, Sequential test)."""

from __future__ import annotations

import click

from bowerbird.harness.cli.playing import Playing, note_equal_names, playing_options
from bowerbird.harness.cli.shared import options

CHANCE = click.FloatRange(0, 0.5, min_open=True, max_open=True)


@click.command(
    "test",
    epilog=options.examples(
        "test greedy random --variant euchre",
        "test ./mybot greedy --variant buck --deals --elo1 20",
    ),
)
@click.argument("bots", metavar="A B", nargs=2, shell_complete=options.complete_bot)
@options.variant_option
@options.number_option("--elo0", click.FLOAT, "H0: A is stronger by this much, in Elo.", metavar="ELO", default=0.0)
@options.number_option("--elo1", click.FLOAT, "H1: A is stronger by this much, in Elo.", metavar="ELO", default=10.0)
@options.number_option("--alpha", CHANCE, "The probability of accepting H1 if H0 is true.", metavar="P", default=0.05)
@options.number_option("--beta", CHANCE, "The probability of accepting H0 if H1 is true.", metavar="P", default=0.05)
@click.option(
    "--normalised", is_flag=True, help="Read --elo0 and --elo1 as normalised Elo, which luck doesn't compress."
)
@options.deals_option
@click.option(
    "--points",
    is_flag=True,
    help="Test points instead of wins, which is the sharpest test. Needs --deals and --normalised.",
)
@options.number_option(
    "--max-sets", click.IntRange(min=1), "Stop without a verdict after this many deal sets.", default=20_000
)
@options.seed_option
@options.startup_option
@playing_options(serve=False)
def command(
    *,
    bots: tuple[str, str],
    variant: str,
    set_options: tuple[str, ...],
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
    playing: Playing,
) -> None:
    """Test whether bot A is stronger than bot B, and stop at the first clear result.

    Plays deal sets until it accepts one of two hypotheses: H0, A is stronger by elo0, or H1, A is stronger by elo1. The
    probability of a wrong answer is at most alpha or beta. A and B are bots as in 'bowerbird match'. The games are
    recorded as an ordinary run, which you can verify and resume.
    """
    if points and not (deals and normalised):
        raise click.UsageError("--points needs --deals and --normalised: points belong to single hands and have no Elo")
    from bowerbird.harness.cli.display.sequential_test import LiveRatio, SprtSettings, print_verdict
    from bowerbird.harness.ratings.pairs import RatingError
    from bowerbird.harness.ratings.sequential.set_values import POINTS, SCORE
    from bowerbird.harness.ratings.sequential.sprt import Hypotheses
    from bowerbird.harness.records.values.run import LONGEST_NAME
    from bowerbird.harness.tournament.config.bot_entries import entered_names
    from bowerbird.harness.tournament.config.bot_file import load_bot
    from bowerbird.harness.tournament.config.bot_paths import find_bot
    from bowerbird.harness.tournament.config.tournament_file import quick_match

    try:
        hypotheses = Hypotheses(elo0, elo1, alpha, beta, normalised)
    except RatingError as error:
        raise click.UsageError(str(error)) from None
    found = [find_bot(bot) for bot in bots]
    one, other = entered_names([load_bot(bot) for bot in found])
    settings = SprtSettings((one, other), hypotheses, POINTS if points else SCORE)
    match = quick_match(
        found,
        {variant: options.checked_variant_options(variant, set_options)},
        sets=max_sets,
        unit="deals" if deals else "games",
        seed=seed,
        name=f"test-{variant}-{one}-{other}"[:LONGEST_NAME],
        settings={"stop": settings.stop_rule(deals)},
        startup_s=startup,
    )
    if not playing.quiet:
        note_equal_names(bots)
    with playing.store() as store:
        run = playing.play(match, store, status=LiveRatio(settings, match, store).status)
        print_verdict(settings, run, as_json=playing.as_json)
