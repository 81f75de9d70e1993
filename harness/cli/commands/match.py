"""`bowerbird match BOT BOT…`."""

from __future__ import annotations

import click

from bowerbird.harness.cli.playing import Playing, note_equal_names, playing_options
from bowerbird.harness.cli.shared import options


@click.command(
    "match",
    epilog=options.examples(
        "match greedy random --variant euchre", "match ./mybot greedy --variant buck --deals --sets 100 --jobs 2"
    ),
)
@click.argument("bots", metavar="BOT BOT...", nargs=-1, required=True, shell_complete=options.complete_bot)
@options.variant_option
@options.number_option(
    "--sets",
    click.IntRange(min=1),
    "Deal sets per pairing. Each set is played once in every rotation of the seats.",
    default=10,
)
@options.deals_option
@options.seed_option
@options.startup_option
@playing_options()
def command(
    *,
    bots: tuple[str, ...],
    variant: str,
    set_options: tuple[str, ...],
    sets: int,
    deals: bool,
    seed: str,
    startup: float,
    playing: Playing,
) -> None:
    """Play bots against each other without a tournament file, and show the standings.

    BOT is a bundled bot (greedy, random, ...), a folder with a bot.toml, or a bot.toml. Name a bot twice to play it
    against a copy of itself, NAME-2.
    """
    if len(bots) < 2:
        raise click.UsageError(f"only one bot is named ({bots[0]}); a match needs at least two")
    chosen = options.checked_variant_options(variant, set_options)
    from bowerbird.harness.tournament.config.bot_paths import find_bot
    from bowerbird.harness.tournament.config.tournament_file import quick_match

    match = quick_match(
        [find_bot(bot) for bot in bots],
        {variant: chosen},
        sets=sets,
        unit="deals" if deals else "games",
        seed=seed,
        startup_s=startup,
    )
    if not playing.quiet:
        note_equal_names(bots)
    with playing.store() as store:
        run = playing.play(match, store)
        from bowerbird.harness.cli.display.standings import print_standings  # bots don't wait for this

        print_standings(run, as_json=playing.as_json)
