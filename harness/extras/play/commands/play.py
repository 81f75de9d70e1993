"""`bowerbird play VARIANT`: a person at a seat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.playing import note_equal_names
from bowerbird.harness.cli.shared import options

if TYPE_CHECKING:
    from collections.abc import Callable

    from bowerbird.harness.extras.compliance.config import CheckConfig
    from bowerbird.harness.extras.play.lobby import Lobby
    from bowerbird.harness.extras.play.setup import Setup


@click.command(
    "play",
    epilog=options.examples(
        "play euchre", "play buck --with greedy,pimc --hint ismcts", "play euchre --partner ./mybot", "play --browser"
    ),
)
@click.argument("variant", metavar="[VARIANT]", required=False, type=options.VARIANT)
@options.opponents_option
@click.option(
    "--partner", metavar="BOT", shell_complete=options.complete_bot, help="The bot in the other seats of your side."
)
@options.number_option("--seat", click.IntRange(0, 9), "Your seat.", default=0)
@options.variant_options
@options.seed_option
@click.option(
    "--hint",
    metavar="BOT",
    default="greedy",
    show_default=True,
    shell_complete=options.complete_bot,
    help="The bot that gives hints for '?'.",
)
@options.number_option(
    "--think",
    click.FloatRange(min=0.01, max=600),
    "The bots' time for a decision. You have another 23 hours for each game.",
    metavar="SECONDS",
    default=1.0,
)
@click.option("--browser", is_flag=True, help="Play in the browser: prints an address to open.")
@click.option("--with-parent", is_flag=True, hidden=True, help="Stop when stdin ends.")
@click.option("--pages", default="", hidden=True, help="The address of the pages for this database.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="N",
    default=0,
    show_default="a free one",
    help="With --browser: the port.",
)
@click.option("--plain", is_flag=True, help="Write plain sentences, for screen readers.")
@options.isolation_option
@options.db_option
@options.debug_option
def command(
    *,
    variant: str | None,
    opponents: str,
    partner: str | None,
    seat: int,
    set_options: tuple[str, ...],
    seed: str,
    hint: str,
    think: float,
    browser: bool,
    with_parent: bool,
    pages: str,
    port: int,
    plain: bool,
    isolation: str | None,
    db: Path,
) -> None:
    """Play VARIANT against bots yourself, in this terminal or the browser.

    Type the number of a choice, or a card such as Jc. 'h' lists the other keys, '?' asks a bot for a hint, 'q' quits.
    At the end all hands are shown, and 'a' plays the same deal again. With --browser and no VARIANT, a page lets you
    choose the game and who sits where.

    The game is recorded as a run play-VARIANT, with you as the bot 'human'. You can replay and verify it; it isn't
    rated. If you leave with Ctrl-C, nothing is recorded.
    """
    from bowerbird.harness.cli.shared.errors import InputError
    from bowerbird.harness.cli.shared.recording import recording_store, removed_if_empty

    others = [bot for bot in opponents.split(",") if bot] or ["greedy"]
    think_ms = round(think * 1000)
    if variant is None and not browser:
        raise InputError("give a variant, such as: bowerbird play euchre; or add --browser to choose one on a page")
    setup = None
    if variant is not None:
        from bowerbird.harness.extras.play.setup import new_setup, plan_of

        setup = new_setup(
            variant,
            options.checked_variant_options(variant, set_options),
            opponents=others,
            partner=partner or "",
            seat=seat,
            seed=seed,
            isolation=isolation or "",
            think_ms=think_ms,
        )
        note_equal_names(setup.bots)
        plan_of(setup)  # errors of the variant, the options or a bot come before anything is made

    def adviser() -> CheckConfig:
        from bowerbird.harness.extras.compliance.config import Timeouts, check_config

        return check_config(hint, isolation, Timeouts())

    named = tuple(others if partner is None else (*others, partner))

    def lobby() -> Lobby:
        from bowerbird.harness.extras.play.lobby import Lobby

        return Lobby.with_bots(named, isolation or "", think_ms)

    with removed_if_empty(db):  # the processes that play open it themselves
        with recording_store(db, quiet=False):
            pass
        if not browser:
            assert setup is not None  # there is a variant
            raise click.exceptions.Exit(_play_here(setup, db, adviser, plain=plain))
        _play_in_browser(setup, lobby, db, port, adviser, pages=pages, with_parent=with_parent)


def _play_here(setup: Setup, db: Path, adviser: Callable[[], CheckConfig], *, plain: bool) -> int:
    """Play in this terminal, and return the exit code."""
    from bowerbird.engine import rules_of
    from bowerbird.harness.cli.shared.output import command_line, output_width, recorded_command, rejoined
    from bowerbird.harness.extras.play.terminal import TerminalFace, play_in_terminal

    face = TerminalFace(
        plain=plain,
        hint=adviser,
        rules=lambda: rejoined(rules_of(setup.variant).describe.splitlines(), output_width()),
        command=lambda *words: recorded_command(db, *words) if words else command_line(()),
    )
    return play_in_terminal(setup, db, face)


def _play_in_browser(
    setup: Setup | None,
    lobby: Callable[[], Lobby],
    db: Path,
    port: int,
    adviser: Callable[[], CheckConfig],
    *,
    pages: str,
    with_parent: bool,
) -> None:
    """Play in the browser until the command is interrupted."""
    from bowerbird.harness.cli.shared.errors import InputError
    from bowerbird.harness.cli.shared.output import echo

    try:
        from bowerbird.harness.extras.play.browser import ADDRESS, play_in_browser
        from bowerbird.harness.extras.play.browser_table import BrowserFace
        from bowerbird.harness.extras.serve.server import bound
    except ModuleNotFoundError as error:
        raise InputError(
            f"--browser needs the extra bowerbird[serve] ({error.name} is missing); leave it out to play in the "
            "terminal"
        ) from None
    try:
        listening = bound(ADDRESS, port)
    except OSError as error:
        raise InputError(f"port {port} of this machine cannot be used: {error.strerror}") from None
    with listening:
        play_in_browser(
            BrowserFace(setup, lobby(), db, adviser, pages),
            listening,
            lambda address: echo(f"play at {address} (only you know this address; Ctrl-C ends)"),
            until_stdin_ends=with_parent,
        )
