"""The tokens with which remote bots connect to every run of a season."""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bowerbird.harness.records.quoting import utf8
from bowerbird.harness.records.text.bounded_json import load_json
from bowerbird.harness.referee.remote.admission import FoundToken
from bowerbird.harness.tournament.errors import HostingError
from bowerbird.harness.tournament.preparation.private_file import write_private

FILE = "tokens.json"
VERSION = 1

TOKENS = 4
"""How many tokens an invitation has: one for each process of the bot."""


_ASK = "ask the organiser for a new one"


@dataclass(frozen=True, slots=True)
class _Entry:
    """The tokens given to one bot: the valid ones, and the ones no longer valid."""

    tokens: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()


class SeasonTokens:
    """The tokens of a season, in a file that only its owner can read.

    One process writes it at a time; any number may read it. The file is replaced as a whole, and read again when it has
    changed. So a run in play sees new and revoked invitations at once. `find` may be called from any thread. All
    methods raise HostingError if the file is damaged, OSError if it cannot be read or written.
    """

    def __init__(self, folder: Path, earlier: Sequence[SeasonTokens] = ()) -> None:
        """Keep the tokens in `folder`, which is created with private access at the first invitation.

        earlier: the tokens of earlier seasons, which are no longer valid.
        """
        self.path = folder / FILE
        self._earlier = tuple(earlier)
        self._read: tuple[tuple[int, int, int], Mapping[str, _Entry]] | None = None

    def invite(self, name: str) -> tuple[str, ...]:
        """Return the tokens of a bot. Draw new tokens if it has none, for example after `revoke`."""
        entries = dict(self._entries())
        entry = entries.get(name, _Entry())
        if entry.tokens:
            return entry.tokens
        entries[name] = replace(entry, tokens=tuple(secrets.token_urlsafe(24) for _ in range(TOKENS)))
        self._write(entries)
        return entries[name].tokens

    def revoke(self, name: str) -> bool:
        """Make the tokens of a bot invalid. Return whether it had any."""
        entries = dict(self._entries())
        entry = entries.get(name, _Entry())
        if not entry.tokens:
            return False
        entries[name] = _Entry(revoked=(*entry.revoked, *entry.tokens))
        self._write(entries)
        return True

    def tokens(self, name: str) -> tuple[str, ...]:
        """Return the valid tokens of a bot; none if it is not invited."""
        return self._entries().get(name, _Entry()).tokens

    def find(self, token: str) -> FoundToken | None:
        """Return the bot to which this token belongs, or None.

        Every token is compared, in constant time.
        """
        found = None
        for one, known in self._known():
            if hmac.compare_digest(utf8(known), utf8(token)):
                found = one
        for season in self._earlier:
            if found is None and (before := season.find(token)) is not None:
                found = FoundToken(before.name, f"the season of this invitation has ended; {_ASK}")
        return found

    def _known(self) -> Iterator[tuple[FoundToken, str]]:
        for name, entry in self._entries().items():
            for token in entry.tokens:
                yield FoundToken(name), token
            for token in entry.revoked:
                yield FoundToken(name, f"the invitation of bot {name} was revoked; {_ASK}"), token

    def _entries(self) -> Mapping[str, _Entry]:
        """Return the entries of the file; none if it does not exist."""
        try:
            with self.path.open(encoding="utf-8") as file:
                status = os.fstat(file.fileno())
                stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
                read = self._read
                if read is None or read[0] != stamp:
                    read = self._read = stamp, _parsed(file.read(), self.path)
        except FileNotFoundError:
            return {}
        return read[1]

    def _write(self, entries: Mapping[str, _Entry]) -> None:
        bots = {name: {"tokens": entry.tokens, "revoked": entry.revoked} for name, entry in entries.items()}
        write_private(self.path, json.dumps({"version": VERSION, "bots": bots}, indent=1) + "\n")


def _parsed(text: str, path: Path) -> Mapping[str, _Entry]:
    try:
        held = load_json(text)
        version = held["version"]
        bots = {
            str(name): _Entry(tuple(map(str, bot["tokens"])), tuple(map(str, bot["revoked"])))
            for name, bot in held["bots"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise HostingError(f"{path}: not a file of season tokens; restore it, or invite all bots again") from error
    if version != VERSION:
        raise HostingError(f"{path}: got version {version!r}; must be version {VERSION}")
    return bots
