"""`bowerbird keys`: show, trust, revoke and export the keys that vouch for results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.harness.cli.shared.groups import CommandGroup
from bowerbird.harness.cli.shared.options import debug_option, examples, json_option, output_option
from bowerbird.harness.cli.shared.output import Column, echo, note, output_width, print_json, print_lines, table

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from bowerbird.harness.extras.signatures.known_keys import KeyEntry, KnownKeys


@click.group("keys", cls=CommandGroup, epilog=examples("keys show", "keys trust anna.key --name anna"))
def command() -> None:
    """Show, trust and revoke keys. A key vouches for one installation's runs.

    'bowerbird export' signs archives with this installation's key, which is made on first use. A signature says who
    vouches for a run, not that its bots played honestly.
    """


@command.command(
    "show", short_help="Show your key and the keys you know.", epilog=examples("keys show", "keys show --json")
)
@json_option
@debug_option
def show_keys(*, as_json: bool) -> None:
    """Show this installation's key, and the keys it trusts or has revoked."""
    from bowerbird.harness.extras.signatures.key_files import KeyFiles

    files = KeyFiles()
    known = files.known()
    if as_json:
        print_json(_document(known))
        return
    if known.own is None:
        echo(f"This installation has no key yet; 'bowerbird keys export' makes one in {files.folder}")
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


def _complete_file(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


@command.command(
    "trust",
    short_help="Count an installation's results.",
    epilog=examples("keys trust anna.key --name anna", "keys trust league.key --json"),
)
@click.argument("key", metavar="FILE_OR_KEY", shell_complete=_complete_file)
@click.option("--name", default="", metavar="NAME", help="Whose key it is. Only you see this name.")
@json_option
@debug_option
def trust_key(key: str, *, name: str, as_json: bool) -> None:
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
    echo(f"trusted: {known.name(found)}; compare this fingerprint with the key's owner")


def _complete_key(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the fingerprint of a trusted key.

    Its name is shown beside it unless a shell would interpret the name.
    """
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


@command.command(
    "revoke",
    short_help="Stop counting an installation's results.",
    epilog=examples("keys revoke anna", "keys revoke 1a2b-3c4d-5e6f-7a8b-9c0d-1e2f"),
)
@click.argument("key", metavar="FINGERPRINT", shell_complete=_complete_key)
@json_option
@debug_option
def revoke_key(key: str, *, as_json: bool) -> None:
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


@command.command(
    "export",
    short_help="Print this installation's public key.",
    epilog=examples("keys export", "keys export -o anna.key"),
)
@output_option("Write to this file instead of stdout.")
@json_option
@debug_option
def export_key(*, output: Path | None, as_json: bool) -> None:
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
