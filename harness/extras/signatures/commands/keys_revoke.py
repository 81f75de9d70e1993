"""`bowerbird keys revoke FINGERPRINT`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.options import debug_option, examples, json_option
from bowerbird.harness.cli.shared.output import echo, print_json

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def _complete_key(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the fingerprint of a trusted key. Its name is shown beside it, if a shell does not interpret it."""
    from click.shell_completion import CompletionItem

    from bowerbird.harness.extras.signatures.key_files import KeyFiles
    from bowerbird.harness.records.errors import StoreError

    try:
        entries = KeyFiles().known().trusted
    except StoreError:
        return []
    return [
        CompletionItem(entry.key.fingerprint, help=entry.name if entry.name.isalnum() else None)
        for entry in entries
        if entry.key.fingerprint.startswith(incomplete)
    ]


@click.command(
    "revoke",
    short_help="Stop counting an installation's results.",
    epilog=examples("keys revoke anna", "keys revoke 1a2b-3c4d-5e6f-7a8b-9c0d-1e2f"),
)
@click.argument("key", metavar="FINGERPRINT", shell_complete=_complete_key)
@json_option
@debug_option
def command(key: str, *, as_json: bool) -> None:
    """Revoke a key: refuse its archives, and no longer count the runs it signed.

    FINGERPRINT is a trusted key's fingerprint or name, or the whole public key. Revoking this installation's own key
    deletes the private key; the next signature makes a new one.
    """
    from bowerbird.harness.extras.signatures.key_files import KeyFiles

    files = KeyFiles()
    found = files.revoke(key)
    if as_json:
        print_json({"fingerprint": found.fingerprint, "key": found.text})
        return
    echo(f"revoked: {files.known().name(found)}")
