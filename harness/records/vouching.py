"""Finds who vouches for a stored run, if an optional part checks signatures (vouch-for-results.md).

A part offers a module with the members of `Signatures` (`harness.extensions`, kind "signatures"). Without it, archives
are written unsigned, and signatures of imported archives are neither checked nor counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bowerbird.harness.extensions import offers
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.text.members import Digests, MemberDigests
from bowerbird.harness.records.values.run import Origin

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun

SIGNATURE_FILE = "signature.toml"
MAX_SIGNATURE = 1 << 15
"""The largest signature to read, in bytes."""

UNSIGNED_LINE = "unsigned, so nobody vouches for it"

Sign = Callable[[Digests], str]
"""A function that returns the text of `signature.toml` for the members with these digests; "" for none."""


class NotSignedError(StoreError):
    """An archive cannot be signed. `args[0]` is one sentence with the reason."""


class SignatureError(StoreError):
    """A signature does not match. `member` is the name of the wrong file in the archive."""

    def __init__(self, member: str, sentence: str) -> None:
        """Store both parts."""
        self.member = member
        self.sentence = sentence
        super().__init__(f"{member}: {sentence}")


@dataclass(frozen=True, slots=True)
class Signer:
    """A signer of archives. `by` names the key, for people."""

    sign: Sign
    by: str


@dataclass(frozen=True, slots=True)
class Vouching:
    """The vouching for a run.

    fingerprints: the fingerprints of the keys that signed the archives it came from.
    unsigned: True if part of it came from an unsigned archive, or with a signature that was not checked.
    trusted: True if it counts, because each part was played here, or signed with this installation's key or a trusted
        one.
    line: a sentence for people; "" if it was played here.
    """

    fingerprints: tuple[str, ...]
    unsigned: bool
    trusted: bool
    line: str


HERE = Vouching((), False, True, "")
"""The vouching for a run that was played here."""


class Keys(Protocol):
    """The keys that somebody knows. A key is a string of 64 hex digits; "" stands for an unsigned archive.

    The methods here answer as in an installation that cannot check signatures (`NotChecked`).
    """

    def check(self, text: str, members: MemberDigests) -> str:
        """Return the key that signed these members with this text; "" if nothing here can check it.

        Raises SignatureError if the signature does not match.
        """
        return ""

    def vouches(self, key: str) -> bool:
        """Return True if a run signed by this key counts here."""
        return False

    def why_refused(self, key: str) -> str:
        """Return why an archive signed by this key is refused, as part of a sentence; "" if it is not."""
        return ""

    def in_words(self, key: str) -> str:
        """Return a phrase for people about an archive with this key's signature: "signed with …"."""

    def how_to_trust(self, key: str) -> str:
        """Return the command that makes this key's runs count; "" if there is none."""
        return ""

    def vouching_of(self, origins: Sequence[Origin]) -> Vouching:
        """Return who vouches for a run with these origins, of which there is at least one."""


class Signatures(Protocol):
    """The members of a module that checks and makes signatures."""

    def known_keys(self) -> Keys:
        """Return the keys that the user of this installation knows. Raises StoreError if they cannot be read."""

    def no_keys(self) -> Keys:
        """Return keys that check signatures and trust nobody."""

    def signer_of(self, run: StoredRun) -> Signer:
        """Return the signer for a run's archive. Raises NotSignedError if there is none."""

    def private_folders(self) -> tuple[Path, ...]:
        """Return the folders that no bot may read."""


class NotChecked(Keys):
    """The keys of an installation that cannot check signatures. See `Keys`."""

    def in_words(self, key: str) -> str:
        """Return that the signature is not checked."""
        return "signed, but its signature is not checked: this installation was built without signatures"

    def vouching_of(self, origins: Sequence[Origin]) -> Vouching:
        """Return that nobody vouches for the run."""
        return Vouching(
            fingerprints=(),
            unsigned=True,
            trusted=False,
            line="imported: whether somebody vouches for it is not checked, as this installation was built without "
            "signatures",
        )


def _part() -> Signatures | None:
    found: list[Signatures] = list(offers("signatures"))
    return found[0] if found else None


def known_keys() -> Keys:
    """Return the keys that the user of this installation knows. Raises StoreError if they cannot be read."""
    part = _part()
    return NotChecked() if part is None else part.known_keys()


def no_keys() -> Keys:
    """Return keys that check signatures if this installation can, and trust nobody."""
    part = _part()
    return NotChecked() if part is None else part.no_keys()


def signer_of(run: StoredRun) -> Signer:
    """Return the signer for a run's archive. Raises NotSignedError with the reason if there is none."""
    part = _part()
    if part is None:
        raise NotSignedError("this installation was built without signatures")
    return part.signer_of(run)


def private_folders() -> tuple[Path, ...]:
    """Return the folders that no bot may read."""
    part = _part()
    return () if part is None else part.private_folders()


class Vouchers:
    """Finds who vouches for stored runs. It reads the user's keys once, for the first imported run."""

    def __init__(self, keys: Keys | None = None) -> None:
        """Use `keys`, by default those of this user."""
        self._keys = keys

    def of(self, run: StoredRun) -> Vouching:
        """Return who vouches for a run. Raises StoreError if the files of keys cannot be read."""
        origins = run.origins()
        if not origins:
            return HERE
        if self._keys is None:
            self._keys = known_keys()
        return self._keys.vouching_of(origins)
