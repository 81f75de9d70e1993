"""`bowerbird check-bot BOT`."""

from __future__ import annotations

import re
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared import options
from bowerbird.harness.cli.shared.output import echo, print_json, print_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bowerbird.harness.extras.compliance.requirements import Requirement
    from bowerbird.harness.extras.compliance.results import RequirementResult


@click.command("check-bot", epilog=options.examples("check-bot ./mybot", "check-bot ./mybot --only 14 --verbose"))
@click.argument("bot", metavar="BOT", shell_complete=options.complete_bot)
@options.startup_option
@click.option(
    "--only",
    type=int,
    multiple=True,
    metavar="NUMBER",
    help="Check this requirement and those it builds on. Repeatable.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show every failure in full, not just the first of each cause.")
@click.option(
    "--seed", default="", metavar="TEXT", help="Play the games of this seed again. By default the seed is random."
)
@options.isolation_option
@options.json_option
@options.quiet_option
@options.debug_option
def command(
    bot: str,
    startup: float,
    only: tuple[int, ...],
    *,
    verbose: bool,
    seed: str,
    isolation: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Check whether a bot follows the protocol, requirement by requirement.

    BOT is a folder with a bot.toml, a bot.toml, or a bundled bot. Each requirement passes, fails or is not reached. A
    failure comes with the messages sent and received and the bot's output. What doesn't fit on two screens goes to a
    log file; --verbose prints it. Exits with 1 if a requirement fails.
    """
    from bowerbird.harness.cli.shared.errors import ExitCode
    from bowerbird.harness.extras.compliance.check import check
    from bowerbird.harness.extras.compliance.check_results import CheckDisplay, full_stories, summary_text
    from bowerbird.harness.extras.compliance.config import Timeouts, check_config
    from bowerbird.harness.extras.compliance.requirements import requirements_for
    from bowerbird.harness.extras.compliance.results import Verdict
    from bowerbird.harness.tournament.config.bot_file import load_bot
    from bowerbird.harness.tournament.config.bot_paths import find_bot

    spec = load_bot(find_bot(bot))
    requirements = _chosen(requirements_for(spec), only)
    config = check_config(bot, isolation, Timeouts(startup=startup), seed)
    display = CheckDisplay(partial(echo, err=as_json), verbose=verbose)
    is_silent = as_json and quiet
    results = check(requirements, config, _ignore if is_silent else display.add)
    if not is_silent:
        display.finish()
    has_failed = any(result.verdict is Verdict.FAIL for result in results)
    if as_json:
        about = {"bot": spec.name, "version": spec.version, "isolation": config.isolation, "seed": config.seed}
        print_json({**about, "passed": not has_failed, "sentences": results})
    else:
        if verbose:
            print_lines(list(full_stories(results)))
        elif has_failed:
            display.explain()
            print_lines(["", _log(spec.name, list(full_stories(results)))])
        echo("")
        echo(f"{spec.name} {spec.version}, isolation {config.isolation}, seed {config.seed}")
        echo(summary_text(results))
    if has_failed:
        raise click.exceptions.Exit(ExitCode.FAILED)


def _ignore(result: RequirementResult) -> None:
    """Do nothing. Replaces `CheckDisplay.add` if no progress is shown."""


def _log(bot: str, lines: Sequence[str]) -> str:
    """Write lines to a new file. Return a line with its path, or with the reason it could not be written."""
    name = re.sub(r"[^\w.-]", "_", bot)
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix=f"bowerbird-check-{name}-", suffix=".log", delete=False, encoding="utf-8"
        ) as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        return f"all details: --verbose (no log can be written: {error.strerror})"
    return f"all details: {Path(file.name)}"


def _chosen(requirements: Sequence[Requirement], only: tuple[int, ...]) -> Sequence[Requirement]:
    """Return the requirements in `only` with those they need, or all. Raises InputError for an unknown number."""
    from bowerbird.harness.cli.shared.errors import InputError
    from bowerbird.harness.extras.compliance.requirements import with_needs

    known = {requirement.number for requirement in requirements}
    for number in only:
        if number not in known:
            raise InputError(f"--only {number}: must be one of this bot's requirements, 1 to {max(known)}")
    return with_needs(requirements, only) if only else requirements
