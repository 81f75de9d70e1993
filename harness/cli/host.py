"""`bowerbird host FILE`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.options import isolation_option, playing, resume_option

if TYPE_CHECKING:
    from harness.tournament.hosting import Invitation

existing = click.Path(path_type=Path, dir_okay=False)


@click.command("host")
@click.argument("file", type=existing)
@click.option(
    "--listen", default="0.0.0.0:4711", show_default=True, metavar="ADDRESS:PORT", help="Where remote bots dial in."
)
@click.option(
    "--public-name",
    "names",
    multiple=True,
    metavar="NAME",
    help="The name or IP address that remote bots dial, if it is not that of this machine. Repeat for several.",
)
@click.option("--certificate", type=existing, metavar="PEM", help="Your own certificate chain, not a new one.")
@click.option("--key", type=existing, metavar="PEM", help="The key of your own certificate.")
@click.option("--ca", type=existing, metavar="PEM", help="What bots are to trust, if not the certificate itself.")
@click.option(
    "--wait",
    "wait_s",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait until all remote bots are there.",
)
@resume_option
@isolation_option
@playing
def command(
    *,
    file: Path,
    listen: str,
    names: tuple[str, ...],
    certificate: Path | None,
    key: Path | None,
    ca: Path | None,
    wait_s: float,
    resume: bool,
    isolation: str | None,
    db: Path,
    as_json: bool,
    quiet: bool,
) -> None:
    """Let the remote bots of the tournament FILE dial in, run it, and show its standings.

    A [[bot]] with 'remote = true' and a name is remote. Each gets a token; what to send to its author is written to
    files and printed. When all are there, the tournament is played as 'bowerbird tournament' plays it.
    """
    from harness.cli.errors import InputError
    from harness.cli.playing import commit, play
    from harness.cli.standings import show_standings
    from harness.cli.tournament import say_commitment
    from harness.records.store import Store
    from harness.tournament import hosting
    from harness.tournament.config import load_tournament

    described = load_tournament(file)
    if not any(bot.remote for bot in described.bots):
        raise InputError(f"{file}: no [[bot]] has 'remote = true', `bowerbird tournament` plays this file")
    with hosting.listen(listen) as listener, Store.create(db) as store:
        if described.beacon == "" and not resume:
            say_commitment(commit(described, store), as_json)
            return
        public = hosting.public_names(listener, names)
        identity = hosting.certificate_for(public, certificate, key, ca)
        hosted = hosting.Hosting(
            listener=listener,
            certificate=identity,
            address=hosting.dialled(public[0], listener),
            wait_s=wait_s,
            folder=db.parent / "invitations",
            announce=lambda invitations, trust: _announce(invitations, trust, identity.fingerprint),
        )
        run = play(described, store, resume=resume, quiet=quiet, hosting=hosted, isolation=isolation)
        show_standings(store, run, as_json=as_json)


def _announce(invitations: Sequence[Invitation], trust: Path, fingerprint: str) -> None:
    """Print what each author needs. It is no progress, and not left out with --quiet."""
    click.echo(f"certificate {trust}, SHA-256 {fingerprint}", err=True)
    for invitation in invitations:
        click.echo(f"bot {invitation.bot}: send its author {invitation.file} and {trust.name}", err=True)
        for line in invitation.environment:
            click.echo(f"  {line}", err=True)
