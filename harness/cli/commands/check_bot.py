"""`bowerbird check-bot BOT`."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import click

from harness.cli.display.faults import printable, printable_indented
from harness.cli.shared.options import complete_bot, debug_option, isolation_option, json_option, quiet_option
from harness.cli.shared.output import print_json, print_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.compliance.results import Evidence, SentenceResult
    from harness.compliance.sentences import Sentence

OUTPUT_LINES = 15
"""Number of lines of stdout and of stderr that a failure shows."""

MESSAGE_LIMIT = 2000
"""Number of characters of a message that a failure shows; the JSON has all of it."""


@click.command("check-bot")
@click.argument("bot", metavar="BOT", shell_complete=complete_bot)
@click.option(
    "--startup",
    type=click.FloatRange(min=0.1, max=3600),
    default=20.0,
    show_default=True,
    metavar="SECONDS",
    help="How long it may take to be ready, as [time] startup in a tournament file.",
)
@click.option(
    "--only", type=int, multiple=True, metavar="NUMBER", help="Try this sentence and what it needs; may be repeated."
)
@isolation_option
@json_option
@quiet_option
@debug_option
def command(
    bot: str, startup: float, only: tuple[int, ...], *, isolation: str | None, as_json: bool, quiet: bool
) -> None:
    """Check whether a bot keeps to the protocol, sentence by sentence.

    BOT is a folder with a bot.toml, a bot.toml, or the name of a bundled bot. Each sentence passes, fails, or is not
    reached; for a failure you see what was sent, what came back, and what the bot wrote. Exits with 1 if one fails.
    """
    from harness.cli.shared.bots import find_bot
    from harness.cli.shared.errors import ExitCode
    from harness.compliance.check import check
    from harness.compliance.config import CheckConfig, Timeouts
    from harness.compliance.results import SentenceVerdict
    from harness.compliance.sentences import sentences_for
    from harness.tournament.config.bot_file import load_bot
    from harness.tournament.preparation.build import prepare
    from harness.tournament.preparation.isolation import choose_tier

    spec = load_bot(find_bot(bot))
    sentences = _chosen(sentences_for(spec), only)
    ready = prepare(spec, lambda name: click.echo(f"building bot {name} …", err=True))
    tier = choose_tier(isolation or "", [ready], (), "")
    if tier.remark:
        click.echo(tier.remark, err=True)
    config = CheckConfig(ready, tier.tier, Timeouts(startup=startup))
    verdicts = check(sentences, config, _ignore if as_json and quiet else partial(_print_verdict, err=as_json))
    failed = [verdict for verdict in verdicts if verdict.verdict is SentenceVerdict.FAIL]
    if as_json:
        about = {"bot": spec.name, "version": spec.version, "isolation": tier.tier, "passed": not failed}
        print_json({**about, "sentences": verdicts})
    else:
        for verdict in failed:
            _print_failure(verdict)
        click.echo(f"\n{spec.name} {spec.version}, isolation {tier.tier}: {_summary(verdicts)}")
    if failed:
        raise click.exceptions.Exit(ExitCode.FAILED)


def _ignore(verdict: SentenceResult) -> None:
    """Do nothing; replaces `_print_verdict` if no progress is shown."""


def _print_verdict(verdict: SentenceResult, err: bool) -> None:
    detail = f"  ({printable(verdict.detail)})" if verdict.detail else ""
    click.echo(f"{verdict.number:>2}  {verdict.verdict:<11}  {verdict.sentence}{detail}", err=err)


def _chosen(sentences: Sequence[Sentence], only: tuple[int, ...]) -> Sequence[Sentence]:
    """Return the sentences of `only` and those they need, or all. Raises InputError for an unknown number."""
    from harness.cli.shared.errors import InputError
    from harness.compliance.sentences import with_needs

    known = {sentence.number for sentence in sentences}
    for number in only:
        if number not in known:
            raise InputError(f"--only {number}: there is no such sentence for this bot, there are 1 to {max(known)}")
    return with_needs(sentences, only) if only else sentences


def _summary(verdicts: Sequence[SentenceResult]) -> str:
    from harness.compliance.results import SentenceVerdict

    count = Counter(result.verdict for result in verdicts)
    passed, failed, not_reached = (count[verdict] for verdict in SentenceVerdict)
    return f"{passed} passed, {failed} failed, {not_reached} not reached"


def _print_failure(verdict: SentenceResult) -> None:
    print_lines(
        ["", f"{verdict.number}  {verdict.sentence}", f"    failed: {printable(verdict.detail, MESSAGE_LIMIT)}"]
    )
    if verdict.evidence is not None:
        print_lines([f"    {line}" for line in _evidence_lines(verdict.evidence)])


def _evidence_lines(evidence: Evidence) -> list[str]:
    lines = ["said last (-> to the bot, <- by the bot):"]
    lines += [f"  {printable(message, MESSAGE_LIMIT)}" for message in evidence.messages]
    for name, text in (("stdout", evidence.stdout), ("stderr", evidence.stderr)):
        written = text.splitlines()
        more = f", the last {OUTPUT_LINES} lines" if len(written) > OUTPUT_LINES else ""
        lines.append(f"{name}{more}:" if written else f"{name}: nothing")
        lines += [f"  {printable_indented(line)}" for line in written[-OUTPUT_LINES:]]
    return [*lines, f"process: {evidence.ended}"]
