"""Who vouches for a stored run, where an optional part checks signatures (vouch-for-results.md).

A part offers a module that has what `Signatures` says (`harness.extensions`, kind "signatures"). Without it an archive
is written unsigned, and the signature of one that is read counts for nothing: it is not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bowerbird.harness.extensions import offers
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.text.members import Digests, MemberDigests
from bowerbird.harness.records.values.origin import Origin

if TYPE_CHECKING:
    from bowerbird.harness.records.store.store import StoredRun

SIGNATURE_FILE = "signature.toml"
MAX_SIGNATURE = 1 << 15
"""Bytes of the largest signature that is read."""

UNSIGNED_LINE = "unsigned, nobody vouches for it"

Sign = Callable[[Digests], str]
"""Returns the text of `signature.toml` for the members with these digests; "" for none."""


class NotSignedError(StoreError):
    """An archive cannot be signed; `args[0]` is one sentence that says why."""


class SignatureError(StoreError):
    """A signature does not fit. `member` names the file of the archive that is wrong."""

    def __init__(self, member: str, sentence: str) -> None:
        """Keep both parts."""
        self.member = member
        self.sentence = sentence
        super().__init__(f"{member}: {sentence}")


@dataclass(frozen=True, slots=True)
class Signer:
    """What signs an archive. `by` says for people with which key."""

    sign: Sign
    by: str


@dataclass(frozen=True, slots=True)
class Vouching:
    """Who vouches for a run.

    played_here: whether all of it was played here.
    fingerprints: of the keys that signed the archives that brought it.
    unsigned: whether a part of it came with an unsigned archive, or with a signature that was not checked.
    trusted: whether it counts: each part was played here, or signed with this installation's or a trusted key.
    line: a sentence for people; "" if it was played here.
    """

    played_here: bool
    fingerprints: tuple[str, ...]
    unsigned: bool
    trusted: bool
    line: str


HERE = Vouching(True, (), False, True, "")
"""For a run that was played here."""


class Keys(Protocol):
    """The keys that somebody knows. A key is its 64 hex digits; "" stands for that of an unsigned archive."""

    def check(self, text: str, members: MemberDigests) -> str:
        """Return the key that signed these members with this text; "" if nothing here can check it.

        Raises SignatureError if the signature does not fit.
        """

    def vouches(self, key: str) -> bool:
        """Return whether a run that this key signed counts here."""

    def why_refused(self, key: str) -> str:
        """Return why an archive that this key signed is refused, as a part of a sentence; "" if it is not."""

    def in_words(self, key: str) -> str:
        """Return with what an archive with a signature of this key is signed, for people: "signed with …"."""

    def how_to_trust(self, key: str) -> str:
        """Return the command that lets the runs of this key count; "" if there is none."""

    def vouching_of(self, origins: Sequence[Origin]) -> Vouching:
        """Return who vouches for a run that came from these origins, at least one."""


class Signatures(Protocol):
    """What a module that checks and makes signatures has."""

    def known_keys(self) -> Keys:
        """Return the keys that the user of this installation knows. Raises StoreError if they cannot be read."""

    def no_keys(self) -> Keys:
        """Return what checks signatures and trusts nobody."""

    def signer_of(self, run: StoredRun) -> Signer:
        """Return what signs the archive of a run. Raises NotSignedError if nothing can."""

    def private_folders(self) -> tuple[Path, ...]:
        """Return the folders that no bot may read."""


class NotChecked:
    """The keys of an installation that cannot check signatures. See `Keys`."""

    def check(self, text: str, members: MemberDigests) -> str:
        """Check nothing."""
        return ""

    def vouches(self, key: str) -> bool:
        """Return False."""
        return False

    def why_refused(self, key: str) -> str:
        """Return ""."""
        return ""

    def in_words(self, key: str) -> str:
        """Say that the signature is not checked."""
        return "signed, but its signature is not checked: this installation was built without signatures"

    def how_to_trust(self, key: str) -> str:
        """Return ""."""
        return ""

    def vouching_of(self, origins: Sequence[Origin]) -> Vouching:
        """Return that nobody vouches."""
        return Vouching(
            played_here=False,
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
    """Return what checks signatures as far as this installation can, and trusts nobody."""
    part = _part()
    return NotChecked() if part is None else part.no_keys()


def signer_of(run: StoredRun) -> Signer:
    """Return what signs the archive of a run. Raises NotSignedError with the reason if nothing can."""
    part = _part()
    if part is None:
        raise NotSignedError("this installation was built without signatures")
    return part.signer_of(run)


def private_folders() -> tuple[Path, ...]:
    """Return the folders that no bot may read."""
    part = _part()
    return () if part is None else part.private_folders()


class Vouchers:
    """Says who vouches for stored runs. Reads the user's keys once, for the first imported run."""

    def __init__(self, keys: Keys | None = None) -> None:
        """Judge runs by `keys`, by default those of this user."""
        self._keys = keys

    def of(self, run: StoredRun) -> Vouching:
        """Return who vouches for a run. Raises StoreError if the files of keys cannot be read."""
        origins = run.origins()
        if not origins:
            return HERE
        if self._keys is None:
            self._keys = known_keys()
        return self._keys.vouching_of(origins)
