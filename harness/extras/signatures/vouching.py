"""Decides who vouches for a stored run and who may sign its archive, for the core (`records.vouching.Signatures`)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from bowerbird.harness.extras.signatures.key_files import KeyFiles, private_folders
from bowerbird.harness.extras.signatures.known_keys import NO_KEYS, KnownKeys, Standing
from bowerbird.harness.extras.signatures.public_key import PublicKey
from bowerbird.harness.extras.signatures.signature import Signature, check_members, read_signature
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.store.protection import could_read_seed
from bowerbird.harness.records.store.store import StoredRun
from bowerbird.harness.records.text.members import Digests, MemberDigests
from bowerbird.harness.records.values.run import Origin
from bowerbird.harness.records.vouching import UNSIGNED_LINE, NotSignedError, SignatureError, Signer, Vouching

__all__ = ["UserKeys", "known_keys", "no_keys", "own_signer", "private_folders", "signer_of", "why_unprotected"]

HOW_TO_SIGN = "play with --isolation sandbox, or as root, to sign"


class UserKeys:
    """Known keys in the core's terms (`records.vouching.Keys`)."""

    def __init__(self, known: KnownKeys) -> None:
        """Use these keys for all decisions."""
        self._known = known

    def check(self, text: str, members: MemberDigests) -> str:
        """Return the key that signed these members with this text.

        Raises SignatureError if the signature does not match.
        """
        signature = read_signature(text)
        check_members(members, signature.digests)
        return signature.key.hex

    def vouches(self, key: str) -> bool:
        """Return whether a run signed by this key counts here."""
        return self._known.vouches(_key(key))

    def why_refused(self, key: str) -> str:
        """Return why an archive signed by this key is refused, as part of a sentence, or "" if it is accepted."""
        return self._known.why_refused(PublicKey(key))

    def in_words(self, key: str) -> str:
        """Return the key that signed an archive, and the status of that key here."""
        whose = {
            Standing.OWN: "the key of this installation,",
            Standing.TRUSTED: "a key that you trust:",
            Standing.UNKNOWN: "a key that you do not trust:",
            Standing.REVOKED: "a key that is revoked:",
        }[self._known.standing(PublicKey(key))]
        return f"signed with {whose} {self._known.name(PublicKey(key))}"

    def how_to_trust(self, key: str) -> str:
        """Return the command that makes the runs of this key count."""
        return f"bowerbird keys trust {PublicKey(key).text}"

    def vouching_of(self, origins: Sequence[Origin]) -> Vouching:
        """Return who vouches for a run with these origins, of which there is at least one."""
        found = [_key(origin.key) for origin in origins]
        parts = [_part(key, self._known) for key in dict.fromkeys(found)]
        return Vouching(
            fingerprints=tuple(key.fingerprint for key in found if key is not None),
            unsigned=None in found,
            trusted=all(self._known.vouches(key) for key in found),
            line=f"imported: {', and '.join(parts)}",
        )


def known_keys(files: KeyFiles | None = None) -> UserKeys:
    """Return the keys in `files`, by default this user's files. Raises StoreError if they cannot be read."""
    return UserKeys((files or KeyFiles()).known())


def no_keys() -> UserKeys:
    """Return keys that check signatures and trust nobody."""
    return UserKeys(NO_KEYS)


def _key(text: str) -> PublicKey | None:
    """Return the key with these hex digits, or None if they are not a key.

    A stranger's database may have any text there.
    """
    try:
        return PublicKey(text)
    except ValueError:
        return None


def _part(key: PublicKey | None, keys: KnownKeys) -> str:
    if key is None:
        return UNSIGNED_LINE
    said = {
        Standing.OWN: "this installation vouches for it, with key",
        Standing.TRUSTED: "vouched for by a key that you trust:",
        Standing.UNKNOWN: "signed with a key that you do not trust:",
        Standing.REVOKED: "signed with a key that is revoked:",
    }
    return f"{said[keys.standing(key)]} {keys.name(key)}"


def signer_of(run: StoredRun, files: KeyFiles | None = None) -> Signer:
    """Return a signer for a run's archive: the key of this installation, or the signature that the run came with.

    `files` are the key files, by default this user's.

    Raises NotSignedError if there is neither: the bots could read the key, the run was imported unsigned or from
    several installations, or the key cannot be used.
    """
    files = files or KeyFiles()
    origins = run.origins()
    if origins:
        keys = _known(files)
        if keys.own is None or any(_key(origin.key) != keys.own for origin in origins):
            return _relay_of(run, origins)
    if why := why_unprotected(run):
        raise NotSignedError(f"{why}; {HOW_TO_SIGN}")
    return own_signer(files)


def own_signer(files: KeyFiles) -> Signer:
    """Return a signer with the key of this installation, making a key if there is none.

    Raises NotSignedError if the key cannot be used.
    """
    try:
        key = files.own()
    except StoreError as error:
        raise NotSignedError(str(error)) from error

    def sign(digests: Digests) -> str:
        from importlib.metadata import version  # this import takes as long as everything else

        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        return Signature(key, now, version("bowerbird"), digests, b"").signed_with(files.sign).text

    return Signer(sign, f"with the key of this installation, {key.fingerprint}")


def why_unprotected(run: StoredRun) -> str:
    """Return why bots of a run could read the key of this installation, as part of a sentence, or "" if none could."""
    if could_read_seed(run):
        return "its bots could read the key of this installation: they ran without a sandbox, as your own user"
    if run.row.games and run.conditions() is None:
        return "its records are damaged and do not say whether its bots could read the key of this installation"
    return ""


def _known(files: KeyFiles) -> KnownKeys:
    try:
        return files.known()
    except StoreError:
        return NO_KEYS  # signing reports what is wrong with the files


def _relay_of(run: StoredRun, origins: Sequence[Origin]) -> Signer:
    """Return a signer that puts a run's original signature into its archive, if it still matches."""
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
