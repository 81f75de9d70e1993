"""`bowerbird keys export`."""

from __future__ import annotations

import click

from harness.cli.shared.options import debug_option, examples, json_option
from harness.cli.shared.output import echo, note, print_json


@click.command(
    "export",
    short_help="Print the public key of this installation.",
    epilog=examples("keys export", "keys export > anna.key"),
)
@json_option
@debug_option
def command(*, as_json: bool) -> None:
    """Print the public key of this installation, for others to trust. Makes the key if there is none."""
    from harness.records.signatures.key_files import KeyFiles

    key = KeyFiles().own()
    if as_json:
        print_json({"fingerprint": key.fingerprint, "key": key.text})
        return
    echo(key.text)
    note(f"fingerprint: {key.fingerprint}")
