"""The keys that an installation knows: its own, trusted keys, and revoked keys. A pure value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from bowerbird.engine import unknown
from bowerbird.harness.extras.signatures.public_key import PublicKey
from bowerbird.harness.records.errors import StoreError

LONGEST_NAME = 60


class Standing(StrEnum):
    """The status of a key for this installation."""

    OWN = "own"
    TRUSTED = "trusted"
    UNKNOWN = "unknown"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """A key with the name that the user gave it ("" for none), and the time since which it is trusted or revoked."""

    key: PublicKey
    name: str
    since: str


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """The keys known here. `own` is None before the first signature. No key is both trusted and revoked."""

    own: PublicKey | None = None
    trusted: tuple[KeyEntry, ...] = ()
    revoked: tuple[KeyEntry, ...] = ()

    def standing(self, key: PublicKey) -> Standing:
        """Return the status of a key here."""
        if any(entry.key == key for entry in self.revoked):
            return Standing.REVOKED
        if key == self.own:
            return Standing.OWN
        return Standing.TRUSTED if any(entry.key == key for entry in self.trusted) else Standing.UNKNOWN

    def vouches(self, key: PublicKey | None) -> bool:
        """Return whether a run signed by this key counts here; None stands for an unsigned run."""
        return key is not None and self.standing(key) in (Standing.OWN, Standing.TRUSTED)

    def why_refused(self, key: PublicKey) -> str:
        """Return why an archive signed by this key is refused, as part of a sentence, or "" if it is accepted."""
        if self.standing(key) is not Standing.REVOKED:
            return ""
        return (
            f"is signed with key {self.name(key)}, which is revoked; ask whoever played the run for an archive signed "
            "with another key"
        )

    def name(self, key: PublicKey) -> str:
        """Return the fingerprint of a key with its name, if it has one: `1a2b-… (anna)`."""
        names = [entry.name for entry in (*self.trusted, *self.revoked) if entry.key == key and entry.name]
        return f"{key.fingerprint} ({names[0]})" if names else key.fingerprint

    def find(self, ref: str) -> PublicKey:
        """Return the known key with this fingerprint, name or text. Raises StoreError, with the nearest match."""
        entries = [*self.trusted, *self.revoked]
        known = [*([KeyEntry(self.own, "", "")] if self.own is not None else []), *entries]
        found = {each.key for each in known if ref in (each.key.fingerprint, each.key.text)} or {
            each.key for each in known if ref and ref == each.name
        }
        if len(found) == 1:
            return found.pop()
        if found:
            raise StoreError(f"{ref!r} is the name of {len(found)} keys; use a fingerprint")
        names = [name for each in known for name in (each.key.fingerprint, each.name) if name]
        raise StoreError(f"{unknown('key', ref, names)}; bowerbird keys show lists them")

    def with_trusted(self, entry: KeyEntry) -> KnownKeys:
        """Return these keys plus a trusted one, which replaces an entry with the same key."""
        return replace(self, trusted=(*_without(self.trusted, entry.key), entry))

    def with_revoked(self, entry: KeyEntry) -> KnownKeys:
        """Return these keys plus a revoked one, which is therefore no longer trusted."""
        return replace(
            self,
            own=None if self.own == entry.key else self.own,
            trusted=_without(self.trusted, entry.key),
            revoked=(*_without(self.revoked, entry.key), entry),
        )


NO_KEYS = KnownKeys()
"""No known keys, for imports that trust nobody."""


def _without(entries: Iterable[KeyEntry], key: PublicKey) -> tuple[KeyEntry, ...]:
    return tuple(entry for entry in entries if entry.key != key)


def wrong_key_name(name: str) -> str:
    """Return what is wrong with the name of a key, as part of a sentence, or "" if it is valid."""
    if not name.strip() or len(name) > LONGEST_NAME:
        return f"must have 1 to {LONGEST_NAME} characters"
    return "" if name.isprintable() else "has a character that cannot be printed"
