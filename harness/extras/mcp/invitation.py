"""Reads an organiser's invitation for a remote bot: a file of NAME=value lines, and a PEM file beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bowerbird.harness.records.quoting import shown
from bowerbird.harness.tournament.errors import ConfigError

ADDRESS, TOKEN, CA = "BOWERBIRD_ADDRESS", "BOWERBIRD_TOKEN", "BOWERBIRD_CA"
ALLOWED = (ADDRESS, TOKEN, CA, "BOWERBIRD_PROTOCOLS")

LONGEST_FILE = 1 << 16

NO_TEXT = "it is not text"


def read_invitation(path: Path) -> Mapping[str, str]:
    """Return the variables of an invitation, with the path of the PEM file made absolute.

    Raises ConfigError, which never contains a value, since one of them is the token.
    """
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST_FILE + 1).decode()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else NO_TEXT
        raise ConfigError(f"{shown(str(path))}: the invitation cannot be read: {why}") from None
    if "\0" in text:
        raise ConfigError(f"{shown(str(path))}: the invitation cannot be read: {NO_TEXT}")
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, value = line.strip().partition("=")
        if not equals or name not in ALLOWED:
            raise ConfigError(
                f"{shown(str(path))}, line {number}: must be NAME=value, with a name from {', '.join(ALLOWED)}"
            )
        found[name] = value
    for name in (ADDRESS, TOKEN):
        if not found.get(name):
            raise ConfigError(f"{shown(str(path))}: {name} is missing; use the file from the organiser")
    if found.get(CA):
        trust = path.absolute().parent / found[CA]
        if not trust.is_file():
            raise ConfigError(f"{shown(str(path))}: put the organiser's file {shown(found[CA])} beside it")
        found[CA] = str(trust)
    return found
