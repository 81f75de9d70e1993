"""`bowerbird keys export`."""

from __future__ import annotations

from pathlib import Path

import click

from bowerbird.harness.cli.shared.options import check_output, debug_option, examples, json_option
from bowerbird.harness.cli.shared.output import echo, note, print_json


@click.command(
    "export",
    short_help="Print this installation's public key.",
    epilog=examples("keys export", "keys export -o anna.key"),
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=check_output,
    help="Write to this file instead of stdout.",
)
@json_option
@debug_option
def command(*, output: Path | None, as_json: bool) -> None:
    """Print this installation's public key, for others to trust. Makes one if there is none."""
    from bowerbird.harness.extras.signatures.key_files import KeyFiles

    key = KeyFiles().own()
    if output is not None:
        from bowerbird.harness.records.store.atomic_file import replacing

        with replacing(output) as file:
            file.write(f"{key.text}\n".encode())
    if as_json:
        print_json({"fingerprint": key.fingerprint, "key": key.text})
        return
    if output is None:
        echo(key.text)
    note(f"fingerprint: {key.fingerprint}")
