"""`bowerbird keys trust FILE_OR_KEY`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.options import debug_option, examples, json_option
from bowerbird.harness.cli.shared.output import echo, print_json

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def _complete_file(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


@click.command(
    "trust",
    short_help="Count an installation's results.",
    epilog=examples("keys trust anna.key --name anna", "keys trust league.key --json"),
)
@click.argument("key", metavar="FILE_OR_KEY", shell_complete=_complete_file)
@click.option("--name", default="", metavar="NAME", help="Whose key it is. Only you see this name.")
@json_option
@debug_option
def command(key: str, *, name: str, as_json: bool) -> None:
    """Trust a public key: runs it signed count in 'bowerbird standings --all', even those already imported.

    FILE_OR_KEY is the text that 'bowerbird keys export' prints, or a file with that text. Check the fingerprint with
    the owner over a different channel from the one the key came by.
    """
    from bowerbird.harness.extras.signatures.key_files import KeyFiles, read_public_key

    found = read_public_key(key)
    known = KeyFiles().trust(found, name)
    if as_json:
        print_json({"fingerprint": found.fingerprint, "key": found.text, "name": name})
        return
    echo(f"trusted: {known.name(found)}; compare this fingerprint with its owner")
