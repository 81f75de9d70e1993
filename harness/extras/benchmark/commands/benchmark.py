"""`bowerbird benchmark AGENT`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared import options

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import Store, StoredRun


@click.command(
    "benchmark",
    epilog=options.examples("benchmark ./mybot", "benchmark ./mybot --secret", "benchmark --run benchmark-1-agent"),
)
@click.argument("agent", metavar="[AGENT]", required=False, shell_complete=options.complete_bot)
@click.option("--run", "stored", metavar="RUN", help="Show the result of an earlier run.")
@click.option("--name", metavar="NAME", help="The agent's name in the result. By default the bot's own name.")
@click.option(
    "--secret",
    is_flag=True,
    help="Draw a secret seed, so that you can claim the result: its commitment is printed before the first card, "
    "the seed after the last.",
)
@options.number_option("--sets", click.IntRange(min=1), "Play fewer deal sets, as a trial. The result can't be cited.")
@options.output_option(
    "Write the result to this page, with its JSON beside it. By default NAME.html beside the database.", metavar="FILE"
)
@options.jobs_option
@options.isolation_option
@options.progress_options
def command(
    *,
    agent: str | None,
    stored: str | None,
    name: str | None,
    secret: bool,
    sets: int | None,
    output: Path | None,
    jobs: int,
    isolation: str | None,
    db: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure AGENT on fixed deals against random, greedy, pimc and champion.

    AGENT is a bundled bot, a folder with a bot.toml, or a bot.toml. The result is a page and a JSON file. Run the same
    command again to resume an interrupted benchmark. An agent over MCP plays it through 'bowerbird mcp --benchmark',
    and --run shows its result.
    """
    from bowerbird.harness.cli.shared.recording import recording_store

    if (agent is None) == (stored is None):
        raise click.UsageError("give an AGENT to measure, or --run with a run to show")
    if stored is not None and (secret or sets or name):
        raise click.UsageError("--run shows an earlier run; leave out the options for a new one")
    with recording_store(db, quiet=quiet) as store:
        if agent is None:
            _show(store.run(stored), output, as_json=as_json, quiet=quiet)
            return
        run = _played(store, agent, name, secret=secret, sets=sets, jobs=jobs, isolation=isolation, quiet=quiet)
        _show(run, output, as_json=as_json, quiet=quiet)


def _played(
    store: Store,
    agent: str,
    name: str | None,
    *,
    secret: bool,
    sets: int | None,
    jobs: int,
    isolation: str | None,
    quiet: bool,
) -> StoredRun:
    """Play the benchmark, or the rest of it, to its end."""
    from bowerbird.harness.cli.tournament_run import play_run
    from bowerbird.harness.extras.benchmark.terms import VERSION, benchmark_file, parsed, run_name
    from bowerbird.harness.tournament.config.bot_file import load_bot
    from bowerbird.harness.tournament.config.bot_paths import find_bot
    from bowerbird.harness.tournament.run_options import RunOptions

    path = find_bot(agent)
    entered = name or load_bot(path).name
    if entered in VERSION.ladder:
        entered = f"{entered}-again"
    file = parsed(benchmark_file(path, entered, secret=secret, sets=sets))
    newest = next((run for run in store.runs() if run.row.original_name == run_name(entered)), None)
    resume = secret and newest is not None and newest.row.ended is None and not newest.row.practice
    return play_run(file, store, RunOptions(workers=jobs), resume=resume, quiet=quiet, isolation=isolation)


def _show(run: StoredRun, output: Path | None, *, as_json: bool, quiet: bool) -> None:
    """Write the page and the JSON of a result, and print it."""
    import json

    from bowerbird.harness.cli.commands.report import save_report
    from bowerbird.harness.cli.shared.errors import InputError
    from bowerbird.harness.cli.shared.output import echo, print_json
    from bowerbird.harness.extras.benchmark.result import NoBenchmarkError, result_document, result_lines

    try:
        document = result_document(run)
    except NoBenchmarkError as error:
        raise InputError(str(error)) from None
    page = output or run.store.path.parent / f"{run.row.name}.html"
    save_report(run, page, replays=0, quiet=quiet)
    beside = page.with_suffix(".json")
    beside.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if as_json:
        print_json(document)
        return
    for line in (*result_lines(document), f"written: {page} and {beside}"):
        echo(line)
