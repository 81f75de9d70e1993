"""Who vouches for a stored run, and who may sign its archive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.signatures.key_files import KeyFiles
from bowerbird.harness.records.signatures.known_keys import NO_KEYS, KnownKeys, Standing
from bowerbird.harness.records.signatures.public_key import PublicKey
from bowerbird.harness.records.signatures.signature import Sign, Signature, SignatureError, read_signature
from bowerbird.harness.records.store.protection import could_read_seed
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.text.members import Digests
from bowerbird.harness.records.values.origin import Origin

HOW_TO_SIGN = "play with --isolation sandbox, or as root, to sign"


class NotSignedError(StoreError):
    """An archive cannot be signed; `args[0]` is one sentence that says why."""


@dataclass(frozen=True, slots=True)
class Vouching:
    """Who vouches for a run.

    played_here: whether all of it was played here.
    signed_by: the keys that signed the archives that brought it.
    unsigned: whether a part of it came with an unsigned archive.
    trusted: whether it counts: each part was played here, or signed with this installation's or a trusted key.
    line: a sentence for people; "" if it was played here.
    """

    played_here: bool
    signed_by: tuple[PublicKey, ...]
    unsigned: bool
    trusted: bool
    line: str

    @property
    def fingerprints(self) -> list[str]:
        """The fingerprints of `signed_by`."""
        return [key.fingerprint for key in self.signed_by]


HERE = Vouching(True, (), False, True, "")
"""For a run that was played here."""


class Vouchers:
    """Says who vouches for stored runs. Reads the user's files of keys once, for the first imported run."""

    def __init__(self, files: KeyFiles | None = None) -> None:
        """Judge runs by the keys in `files`, by default those of this user."""
        self._files = files
        self._keys: KnownKeys | None = None

    def of(self, run: StoredRun) -> Vouching:
        """Return who vouches for a run. Raises StoreError if the files of keys cannot be read."""
        origins = run.origins()
        return vouching_of(origins, self.keys) if origins else HERE

    @property
    def keys(self) -> KnownKeys:
        """The keys that are known here."""
        if self._keys is None:
            self._keys = (self._files or KeyFiles()).known()
        return self._keys


def vouching_of(origins: Sequence[Origin], keys: KnownKeys) -> Vouching:
    """Return who vouches for a run with these origins."""
    if not origins:
        return HERE
    found = [_key_of(origin) for origin in origins]
    signed = tuple(key for key in found if key is not None)
    parts = [_part(key, keys) for key in dict.fromkeys(found)]
    return Vouching(
        played_here=False,
        signed_by=signed,
        unsigned=None in found,
        trusted=all(keys.vouches(key) for key in found),
        line=f"imported: {', and '.join(parts)}",
    )


def _key_of(origin: Origin) -> PublicKey | None:
    """Return the key of an origin; None if there is none. A stranger's database may hold any text there."""
    try:
        return PublicKey(origin.key)
    except ValueError:
        return None


def _part(key: PublicKey | None, keys: KnownKeys) -> str:
    if key is None:
        return "unsigned, nobody vouches for it"
    said = {
        Standing.OWN: "this installation vouches for it, with key",
        Standing.TRUSTED: "vouched for by a key that you trust:",
        Standing.UNKNOWN: "signed with a key that you do not trust:",
        Standing.REVOKED: "signed with a key that is revoked:",
    }
    return f"{said[keys.standing(key)]} {keys.name(key)}"


@dataclass(frozen=True, slots=True)
class Signer:
    """What signs an archive. `by` says for people with which key."""

    sign: Sign
    by: str


def signer_of(run: StoredRun, files: KeyFiles) -> Signer:
    """Return what signs the archive of a run: the key of this installation, or the signature that it came with.

    Raises NotSignedError if there is neither: its bots could read the key, it was imported unsigned or from several
    installations, or the key cannot be used.
    """
    origins = run.origins()
    if origins:
        keys = _known(files)
        if keys.own is None or any(_key_of(origin) != keys.own for origin in origins):
            return _relay_of(run, origins)
    if why := why_unprotected(run):
        raise NotSignedError(f"{why}; {HOW_TO_SIGN}")
    return own_signer(files)


def own_signer(files: KeyFiles) -> Signer:
    """Return what signs with the key of this installation, which is made if there is none.

    Raises NotSignedError if the key cannot be used.
    """
    try:
        key = files.own()
    except StoreError as error:
        raise NotSignedError(str(error)) from error

    def sign(digests: Digests) -> str:
        from importlib.metadata import version  # takes as long to import as all the rest

        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        return Signature(key, now, version("bowerbird"), digests, b"").signed_with(files.sign).text

    return Signer(sign, f"with the key of this installation, {key.fingerprint}")


def why_unprotected(run: StoredRun) -> str:
    """Return why bots of a run could read the key of this installation, as a part of a sentence; "" if none could."""
    if could_read_seed(run):
        return "its bots could read the key of this installation: they ran without a sandbox, as your own user"
    if run.row.games and run.conditions() is None:
        return "its records are damaged and do not say whether its bots could read the key of this installation"
    return ""


def _known(files: KeyFiles) -> KnownKeys:
    try:
        return files.known()
    except StoreError:
        return NO_KEYS  # signing says what is wrong with the files


def _relay_of(run: StoredRun, origins: Sequence[Origin]) -> Signer:
    """Return what puts the signature that a run came with into its archive, if it still fits."""
    if len(origins) > 1 or not origins[0].signature:
        how = "in parts that several installations vouch for" if len(origins) > 1 else "unsigned"
        raise NotSignedError(f"it was imported {how}; ask for an archive from where it was played")
    text = origins[0].signature

    def relay(digests: Digests) -> str:
        try:
            fits = read_signature(text).digests == digests
        except SignatureError:
            fits = False
        if not fits:
            raise NotSignedError(
                f"run {run.fingerprint} was changed after it was imported, so its original signature no longer "
                "fits; pass on the archive that you imported"
            )
        return text

    return Signer(relay, "with the signature that it was imported with")
