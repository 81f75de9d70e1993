"""`bowerbird host FILE`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.playing import Playing, playing_options
from bowerbird.harness.cli.shared.options import examples, public_name_option
from bowerbird.harness.cli.shared.output import note

if TYPE_CHECKING:
    from bowerbird.harness.tournament.preparation.hosting import InvitationFile

file_path = click.Path(path_type=Path, dir_okay=False)


@click.command(
    "host",
    epilog=examples(
        "host open.toml --public-name referee.example.org", "host open.toml --listen 0.0.0.0:4711 --wait 1800"
    ),
)
@click.argument("file", type=file_path)
@click.option(
    "--listen",
    default="0.0.0.0:4711",
    show_default=True,
    metavar="ADDRESS:PORT",
    help="The address to listen on for remote bots.",
)
@public_name_option
@click.option(
    "--certificate", type=file_path, metavar="PEM", help="Use this certificate chain instead of making a certificate."
)
@click.option("--key", type=file_path, metavar="PEM", help="The certificate's private key.")
@click.option(
    "--ca",
    type=file_path,
    metavar="PEM",
    help="The certificate that bots should trust. By default the referee's own.",
)
@click.option(
    "--wait",
    "wait_s",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for remote bots to connect.",
)
@click.option(
    "--allow-readable-seed",
    is_flag=True,
    help="Play even if bots on this machine could read the secret seed, as they can without a sandbox.",
)
@playing_options()
def command(
    *,
    file: Path,
    listen: str,
    names: tuple[str, ...],
    certificate: Path | None,
    key: Path | None,
    ca: Path | None,
    wait_s: float,
    allow_readable_seed: bool,
    playing: Playing,
) -> None:
    """Run the tournament FILE with remote bots, and show the standings.

    A [[bot]] with 'remote = true' is remote; it needs a name. Each remote bot gets an invitation with a token, which is
    printed and written to a file for you to send to its author. The tournament starts once all remote bots are
    connected. With --jobs or --cluster, one process on this machine plays the tables with remote bots; the others play
    the rest.
    """
    from bowerbird.harness.cli.commands.tournament import print_commitment
    from bowerbird.harness.cli.display.standings import print_standings
    from bowerbird.harness.cli.shared.errors import InputError
    from bowerbird.harness.cli.shared.on_end import run_on_end
    from bowerbird.harness.cli.shared.recording import recording_store
    from bowerbird.harness.cli.tournament_run import entered_file, note_namesake, store_commitment
    from bowerbird.harness.tournament.preparation import hosting

    tournament = entered_file(file, playing.db, resume=playing.resume)
    if not any(bot.remote for bot in tournament.bots):
        raise InputError(f"{file}: no [[bot]] has 'remote = true'; play this file with bowerbird tournament")
    if tournament.beacon == "" and not playing.resume:
        with recording_store(playing.db, quiet=playing.quiet) as store:
            print_commitment(store_commitment(tournament, store), playing.as_json)
        return
    with ExitStack() as opened:
        listener = opened.enter_context(hosting.listen(listen))
        public = hosting.public_names(listener, names)
        identity = hosting.certificate_for(public, certificate, key, ca)
        store = opened.enter_context(playing.store())
        if not (playing.resume or playing.quiet):
            note_namesake(tournament, store)
        hosted = hosting.Hosting(
            listener=listener,
            certificate=identity,
            address=hosting.address_of(public[0], listener),
            wait_s=wait_s,
            folder=playing.db.parent / "invitations",
            announce=lambda invitations, trust, commitment: _announce(
                invitations, trust, identity.fingerprint, commitment, wait_s=wait_s, quiet=playing.quiet
            ),
        )
        run = playing.play(tournament, store, hosting=hosted, refuse_readable_seed=not allow_readable_seed)
        print_standings(run, as_json=playing.as_json)
        run_on_end(tournament.on_end, tournament.folder, run)


def _announce(
    invitations: Sequence[InvitationFile],
    trust: Path,
    fingerprint: str,
    commitment: str,
    *,
    wait_s: float,
    quiet: bool,
) -> None:
    """Print each author's invitation, and how long the bots have to connect.

    With `quiet`, also print the files and the commitment to the seed, which the progress would otherwise show later.
    """
    note(f"certificate {trust}, SHA-256 {fingerprint}")
    for invitation in invitations:
        note(f"bot {invitation.bot}: send its author {invitation.file} and {trust.name}")
        if not quiet:
            note("\n".join(f"  {line}" for line in invitation.environment))
    if quiet:
        note("commitment to its seed:")
        note(f"  {commitment}")
    elif invitations:
        note(f"waiting up to {wait_s:g} s for {', '.join(invitation.bot for invitation in invitations)}")
