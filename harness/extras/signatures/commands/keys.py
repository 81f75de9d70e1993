"""`bowerbird keys`, the group of commands for the keys that vouch for results."""

from __future__ import annotations

import click

from bowerbird.harness.cli.shared.groups import CommandGroup
from bowerbird.harness.cli.shared.options import examples
from bowerbird.harness.extras.signatures.commands import keys_export, keys_revoke, keys_show, keys_trust


@click.group("keys", cls=CommandGroup, epilog=examples("keys show", "keys trust anna.key --name anna"))
def command() -> None:
    """Show, trust and revoke keys. A key vouches for one installation's runs.

    'bowerbird export' signs archives with this installation's key, which is made on first use. A signature says who
    vouches for a run, not that its bots played honestly.
    """


command.add_command(keys_show.command)
command.add_command(keys_trust.command)
command.add_command(keys_revoke.command)
command.add_command(keys_export.command)
