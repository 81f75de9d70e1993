"""`bowerbird demo`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.options import DEFAULT_DB, examples, isolation_option, progress_options, resume_option
from bowerbird.harness.cli.shared.output import echo, note
from bowerbird.harness.cli.shared.serving import pages_beside, serve_option

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun

PYTHON_BOTS = ("greedy", "random")
NODE_BOT = "node-random"
NODE_TOOLS = ("node", "npm")
VARIANTS = ("euchre", "buck", "two-handed", "cut-throat", "five-handed", "cornish", "seven-handed")
"""Two to seven seats, with and without teams."""

SETS = 2
SUGGESTION_LINES = 6
"""Number of fault stories below the standings."""

REPLAYS = 60
"""Number of games that get a replay beside the report."""


@click.command("demo", epilog=examples("demo", "demo --db demo/bowerbird.db"))
@resume_option
@isolation_option
@serve_option
@progress_options
def command(db: Path, *, resume: bool, isolation: str | None, serve: str | None, as_json: bool, quiet: bool) -> None:
    """Play a small tournament between the bundled bots, verify it and show the standings.

    Takes less than a minute. Each demo is a new run with new cards.
    """
    from bowerbird.harness.cli.commands.report import save_report
    from bowerbird.harness.cli.commands.verify import verify_stored
    from bowerbird.harness.cli.display.standings import print_standings
    from bowerbird.harness.cli.display.summary import SCREEN_LINES
    from bowerbird.harness.cli.shared.errors import ExitCode
    from bowerbird.harness.cli.shared.recording import recording_store
    from bowerbird.harness.cli.tournament_run import play_run
    from bowerbird.harness.tournament.config.bot_paths import find_bot
    from bowerbird.harness.tournament.config.tournament_file import quick_match
    from bowerbird.harness.tournament.run_options import RunOptions

    bots, remark = _bots(quiet=quiet)
    if remark:
        note(remark)
    demo = quick_match(
        [find_bot(bot) for bot in bots],
        {variant: {} for variant in VARIANTS},
        sets=SETS,
        name="demo",
        settings={"packs": "own"},  # lets line-ups share processes, because most of the time goes into starting them
    )
    with recording_store(db, quiet=quiet) as store, pages_beside(db, serve):
        run = play_run(demo, store, RunOptions(watch=True), resume=resume, quiet=quiet, isolation=isolation)
        print_standings(run, as_json=as_json, lines=SCREEN_LINES - (0 if quiet else SUGGESTION_LINES))
        differences = verify_stored(run, quiet=quiet)
        for difference in differences:
            note(str(difference))
        if differences:
            raise click.exceptions.Exit(ExitCode.FAILED)
        report = db.parent / "report.html"
        save_report(run, report, replays=REPLAYS, quiet=quiet)
        if not quiet:
            _print_suggestions(run, db, report, as_json=as_json)


def _bots(*, quiet: bool) -> tuple[tuple[str, ...], str]:
    """Return the bots that can play on this machine, and a sentence about any bot that cannot ("" if all can)."""
    from bowerbird.harness.cli.display.progress import show_progress
    from bowerbird.harness.tournament.config.bot_file import load_bot
    from bowerbird.harness.tournament.config.bot_paths import find_bot
    from bowerbird.harness.tournament.errors import BuildError
    from bowerbird.harness.tournament.events import Building, BuildSays
    from bowerbird.harness.tournament.preparation.build import TIMEOUT_S, prepare

    missing = [tool for tool in NODE_TOOLS if shutil.which(tool) is None]
    if missing:
        why = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed"
    else:
        try:
            with show_progress(quiet) as tell:
                prepare(
                    load_bot(find_bot(NODE_BOT)),
                    lambda bot: tell(Building(bot, TIMEOUT_S)),
                    lambda line: tell(BuildSays(line)),
                )
        except BuildError as error:
            why = error.sentence
        else:
            return (*PYTHON_BOTS, NODE_BOT), ""
    return PYTHON_BOTS, (
        f"{why}, so the demo leaves out the bot {NODE_BOT} and plays the Python bots {' and '.join(PYTHON_BOTS)}."
    )


def _print_suggestions(run: StoredRun, db: Path, report: Path, *, as_json: bool) -> None:
    """Print commands to try next on this run, on stderr if stdout is JSON."""
    from bowerbird.harness.cli.shared.output import command_line

    games = {game.variant: game for game in reversed(run.games())}
    where = [] if db == DEFAULT_DB else ["--db", str(db)]
    suggestions = (
        ["replay", games["buck"].id, "--hand", "0", *where],
        ["match", "greedy", "random", "--variant", "buck", *where],
        ["variants", "buck"],
        ["serve", *where],
    )
    for line in (
        f"All {run.row.games} games were played again from their records and agree. The report: {report}",
        "Try next:",
        *(f"  {command_line(arguments)}" for arguments in suggestions),
    ):
        echo(line, err=as_json)
