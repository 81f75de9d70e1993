"""`bowerbird check-bot BOT`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from harness.cli.faults import indented, printable
from harness.cli.options import complete_bot, debug_option, isolation_option, json_option, quiet_option
from harness.cli.output import print_json, print_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.compliance.sentences import Sentence
    from harness.compliance.verdict import Evidence, Verdict

OUTPUT_LINES = 15
"""How many lines of stdout and stderr are shown of a failure."""

LONGEST = 2000
"""How many characters of a message are shown; all of it is in the JSON."""


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
    from harness.cli.bundled import find_bot
    from harness.cli.errors import Ending
    from harness.compliance.check import check
    from harness.compliance.sentences import sentences_for
    from harness.compliance.verdict import Outcome, Patience
    from harness.compliance.yard import Trial
    from harness.tournament.bot_file import load_bot
    from harness.tournament.build import prepare
    from harness.tournament.isolation import choose_tier

    spec = load_bot(find_bot(bot))
    sentences = _chosen(sentences_for(spec), only)
    ready = prepare(spec, lambda name: click.echo(f"building bot {name} …", err=True))
    tier = choose_tier(isolation or "", [ready], (), "")
    if tier.remark:
        click.echo(tier.remark, err=True)
    trial = Trial(ready, tier.tier, Patience(startup=startup))
    verdicts = check(sentences, trial, _silent if as_json and quiet else partial(_show, err=as_json))
    failed = [verdict for verdict in verdicts if verdict.verdict is Outcome.FAIL]
    if as_json:
        about = {"bot": spec.name, "version": spec.version, "isolation": tier.tier, "passed": not failed}
        print_json({**about, "sentences": verdicts})
    else:
        for verdict in failed:
            _show_failure(verdict)
        click.echo(f"\n{spec.name} {spec.version}, isolation {tier.tier}: {_summary(verdicts)}")
    if failed:
        raise click.exceptions.Exit(Ending.DIFFERS)


def _silent(verdict: Verdict) -> None:
    """Show nothing as it goes."""


def _show(verdict: Verdict, err: bool) -> None:
    """One sentence and how it stands, in columns."""
    detail = f"  ({printable(verdict.detail)})" if verdict.detail else ""
    click.echo(f"{verdict.number:>2}  {verdict.verdict:<11}  {verdict.sentence}{detail}", err=err)


def _chosen(sentences: Sequence[Sentence], only: tuple[int, ...]) -> Sequence[Sentence]:
    """All of them, or some with what they need. Raises InputError for a number that there is not."""
    from harness.cli.errors import InputError
    from harness.compliance.sentences import with_needs

    known = {sentence.number for sentence in sentences}
    for number in only:
        if number not in known:
            raise InputError(f"--only {number}: there is no such sentence for this bot, there are 1 to {max(known)}")
    return with_needs(sentences, only) if only else sentences


def _summary(verdicts: Sequence[Verdict]) -> str:
    from harness.compliance.verdict import Outcome

    counted = {outcome: sum(verdict.verdict is outcome for verdict in verdicts) for outcome in Outcome}
    return f"{counted[Outcome.PASS]} passed, {counted[Outcome.FAIL]} failed, {counted[Outcome.NOT_REACHED]} not reached"


def _show_failure(verdict: Verdict) -> None:
    """All that helps to find out why, under the sentence."""
    print_lines(["", f"{verdict.number}  {verdict.sentence}", f"    failed: {printable(verdict.detail, LONGEST)}"])
    if verdict.evidence is not None:
        print_lines([f"    {line}" for line in _told(verdict.evidence)])


def _told(evidence: Evidence) -> list[str]:
    """What was said last, what the process wrote last, and how it ended."""
    lines = ["said last (-> to the bot, <- by the bot):"]
    lines += [f"  {printable(message, LONGEST)}" for message in evidence.messages]
    for name, text in (("stdout", evidence.stdout), ("stderr", evidence.stderr)):
        written = text.splitlines()
        more = f", the last {OUTPUT_LINES} lines" if len(written) > OUTPUT_LINES else ""
        lines.append(f"{name}{more}:" if written else f"{name}: nothing")
        lines += [f"  {indented(line)}" for line in written[-OUTPUT_LINES:]]
    return [*lines, f"process: {evidence.ended}"]
