"""`bowerbird keys show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.options import debug_option, examples, json_option
from bowerbird.harness.cli.shared.output import Column, echo, output_width, print_json, print_lines, table

if TYPE_CHECKING:
    from bowerbird.harness.extras.signatures.known_keys import KeyEntry, KnownKeys


@click.command(
    "show", short_help="Show your key and the keys you know.", epilog=examples("keys show", "keys show --json")
)
@json_option
@debug_option
def command(*, as_json: bool) -> None:
    """Show this installation's key, and the keys it trusts or has revoked."""
    from bowerbird.harness.extras.signatures.key_files import KeyFiles

    files = KeyFiles()
    known = files.known()
    if as_json:
        print_json(_document(known))
        return
    if known.own is None:
        echo(f"This installation has no key yet; keys export makes one, in {files.folder}")
    else:
        echo(f"key of this installation: {known.own.fingerprint}")
        echo(known.own.text)
    entries = [(what, entry) for what, listed in _lists(known) for entry in listed]
    if not entries:
        echo("No other key is trusted or revoked.")
        return
    echo("")
    rows = [(what, entry.key.fingerprint, entry.name or "-", entry.since[:10]) for what, entry in entries]
    print_lines(table(_COLUMNS, rows, output_width()))


_COLUMNS = (Column("state"), Column("fingerprint"), Column("name", cut=True), Column("since", drop=1))


def _lists(known: KnownKeys) -> tuple[tuple[str, tuple[KeyEntry, ...]], ...]:
    return ("trusted", known.trusted), ("revoked", known.revoked)


def _document(known: KnownKeys) -> dict[str, object]:
    """Return the known keys for JSON."""
    own = None if known.own is None else {"fingerprint": known.own.fingerprint, "key": known.own.text}
    return {"own": own, **{what: [_entry_document(entry) for entry in listed] for what, listed in _lists(known)}}


def _entry_document(entry: KeyEntry) -> dict[str, object]:
    return {
        "fingerprint": entry.key.fingerprint,
        "key": entry.key.text,
        "name": entry.name,
        "since": entry.since,
    }
