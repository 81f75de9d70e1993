"""Files of other programs: the ending names the notation; an error says what a file with another ending is."""

from __future__ import annotations

from pathlib import Path

from bowerbird.harness.cli.shared.errors import InputError
from bowerbird.harness.extensions import offer, offered

_BEGINNING = 1 << 16


def check_ending(file: Path) -> None:
    """Raise InputError if a file is in a notation of other programs and its name does not end so.

    Raises StoreError, OSError if it cannot be read.
    """
    from bowerbird.harness.records.text.bounded_file import open_regular

    with open_regular(file, "record") as opened:
        beginning = opened.read(_BEGINNING)
    if not beginning.lstrip().startswith(b"{"):
        return
    for kind, what in (("match", "a match"), ("notation", "a game")):  # a match holds games, so it comes first
        for name in offered(kind):
            if offer(kind, name).begins(beginning):
                raise InputError(f"{file} is {what} in {name.upper()}: end its name in .{name}")
    raise InputError(f"{file} is JSON; a record that 'bowerbird import' reads is the TOML of 'bowerbird export'")
