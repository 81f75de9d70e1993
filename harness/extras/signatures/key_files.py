"""The key files in the user's configuration folder, which no other user and no sandboxed bot may read.

`installation.key` is the private key of this installation, made on first use.

`keys.toml` lists the trusted and the revoked keys. A file or folder that another user owns, can read or can write is
refused.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bowerbird.engine import unknown
from bowerbird.harness.extras.signatures.known_keys import KeyEntry, KnownKeys, wrong_key_name
from bowerbird.harness.extras.signatures.public_key import PREFIX, PublicKey
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.quoting import shown
from bowerbird.harness.records.store.atomic_file import sync_folder
from bowerbird.harness.records.text.bounded_file import read_bounded
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.text.canonical import toml_lines

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEYS_FORMAT = "bowerbird-keys/1"
LONGEST_FILE = 1 << 20
"""The maximum size of a key file, in bytes."""

_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700
_FILE_KEYS = ("format", "trusted", "revoked")
_ENTRY_KEYS = ("key", "name", "since")


def keys_folder() -> Path:
    """Return the folder of the keys, in $XDG_CONFIG_HOME if that is an absolute path and otherwise in ~/.config.

    Raises StoreError if the user has no home folder.
    """
    base = os.environ.get("XDG_CONFIG_HOME", "")
    try:
        return (Path(base) if os.path.isabs(base) else Path.home() / ".config") / "bowerbird" / "keys"
    except RuntimeError:
        raise StoreError("there is no home folder for keys; set XDG_CONFIG_HOME to a folder of yours") from None


def private_folders() -> tuple[Path, ...]:
    """Return the folders that no bot may read: the keys' folder, if the user has a home folder."""
    try:
        return (keys_folder(),)
    except StoreError:
        return ()


class KeyFiles:
    """The key files in a folder, which need not exist yet.

    Every method raises StoreError with a sentence if a file cannot be read or written or is open to other users.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Store the folder; None for this user's folder. Reads and writes nothing."""
        self.folder = keys_folder() if folder is None else folder
        self.private = self.folder / "installation.key"
        self.list = self.folder / "keys.toml"

    def known(self) -> KnownKeys:
        """Return the keys known here, without making one."""
        with _file_errors(self.folder):
            listed = self._listed()
            if not os.path.lexists(self.private):
                return listed
            return replace(listed, own=_public(self._load()))

    def own(self) -> PublicKey:
        """Return the public key of this installation, making a key if there is none."""
        with _file_errors(self.folder):
            return _public(self._load_or_make())

    def sign(self, message: bytes) -> bytes:
        """Sign a message with the key of this installation, making a key if there is none."""
        with _file_errors(self.folder):
            return self._load_or_make().sign(message)

    def trust(self, key: PublicKey, name: str = "") -> KnownKeys:
        """Trust a key, and return all keys afterwards. Raises StoreError for a revoked key or a wrong name."""
        if name and (wrong := wrong_key_name(name)):
            raise StoreError(f"the name of a key {wrong}")
        with self._changing() as known:
            if any(entry.key == key for entry in known.revoked):
                raise StoreError(
                    f"key {key.fingerprint} is revoked; to trust it again, remove its entry from {self.list}"
                )
            changed = known.with_trusted(KeyEntry(key, name, _now()))
            self._write_list(changed)
        return self.known()

    def revoke(self, ref: str) -> PublicKey:
        """Revoke a known key by its fingerprint or name, or any key by its text, and return it.

        If it is this installation's own key, its private part is deleted, and the next use makes another. Raises
        StoreError, with the nearest match, if there is no key `ref`.
        """
        with self._changing() as listed:
            known = replace(listed, own=_public(self._load())) if os.path.lexists(self.private) else listed
            key = parsed_key(ref) if ref.startswith(PREFIX) else known.find(ref)
            name = next((entry.name for entry in known.trusted if entry.key == key), "")
            if not any(entry.key == key for entry in known.revoked):
                self._write_list(known.with_revoked(KeyEntry(key, name, _now())))
            if key == known.own:
                self.private.unlink()
        return key

    # The private key

    def _load_or_make(self) -> Ed25519PrivateKey:
        if not os.path.lexists(self.private):
            self._make()
        return self._load()

    def _load(self) -> Ed25519PrivateKey:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        try:
            key = load_pem_private_key(self._read(self.private), None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PrivateKey):
            raise StoreError(
                f"{self.private}: must be an Ed25519 key without a password; restore it, or move it away and the next "
                "use makes another"
            )
        return key

    def _make(self) -> None:
        """Make a key, unless another process does so at the same time."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        self._make_folder()
        pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        fresh = self._write_fresh(pem)
        try:
            with suppress(FileExistsError):
                os.link(fresh, self.private)
        finally:
            fresh.unlink()
        sync_folder(self.folder)

    # The list of keys

    def _listed(self) -> KnownKeys:
        if not os.path.lexists(self.list):
            return KnownKeys()
        try:
            return _read_list(self._read(self.list).decode())
        except (KeyError, TypeError, ValueError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise StoreError(f"{self.list}: {shown(reason, 200)}; correct the file") from None

    @contextmanager
    def _changing(self) -> Iterator[KnownKeys]:
        """Hold the lock of the list in the `with` block, and yield its content."""
        with _file_errors(self.folder):
            self._make_folder()
            lock = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield self._listed()
            finally:
                os.close(lock)

    def _write_list(self, known: KnownKeys) -> None:
        fresh = self._write_fresh(list_text(known).encode())
        os.replace(fresh, self.list)
        sync_folder(self.folder)

    # Private files

    def _make_folder(self) -> None:
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            self.folder.mkdir(mode=_PRIVATE_FOLDER)
        _refuse_open(self.folder, os.stat(self.folder), _PRIVATE_FOLDER)

    def _read(self, path: Path) -> bytes:
        """Return the content of a private file in the folder, which must be private itself."""
        _refuse_open(self.folder, os.stat(self.folder), _PRIVATE_FOLDER)
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode):
            raise StoreError(f"{path}: is not a regular file, as a key file must be; move it away")
        _refuse_open(path, found, _PRIVATE_FILE)
        return read_bounded(path, LONGEST_FILE, "file of keys")

    def _write_fresh(self, data: bytes) -> Path:
        """Write a new private file in the folder. It is on disk when this returns."""
        fresh = self.folder / f".{secrets.token_hex(8)}.new"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _PRIVATE_FILE)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            fresh.unlink()
            raise
        return fresh


def parsed_key(text: str) -> PublicKey:
    """Return the public key in a string. Raises StoreError."""
    try:
        return PublicKey.parse(text)
    except ValueError as error:
        raise StoreError(f"{shown(text, 100)!r} is not a key: {error}") from None


def read_public_key(ref: str) -> PublicKey:
    """Return the public key in `ref`, which is its text or a file that contains it. Raises StoreError."""
    if ref.startswith(PREFIX):
        return parsed_key(ref)
    path = Path(ref)
    if not path.exists():
        raise StoreError(f"{ref!r} is neither a public key ({PREFIX}…) nor a file with one; see bowerbird keys export")
    with _file_errors(path):
        data = read_bounded(path, LONGEST_FILE, "key file")
    try:
        lines = [line.strip() for line in data.decode().splitlines()]
    except UnicodeDecodeError:
        lines = []
    keys = [line for line in lines if line and not line.startswith("#")]
    if len(keys) != 1:
        raise StoreError(f"{ref}: a public key's file has one line, {PREFIX} and 64 hex digits")
    return parsed_key(keys[0])


def list_text(known: KnownKeys) -> str:
    """Return the text of `keys.toml`."""
    trusted, revoked = (
        [{"key": entry.key.text, "name": entry.name or None, "since": entry.since} for entry in entries]
        for entries in (known.trusted, known.revoked)
    )
    return "\n".join(toml_lines({"format": KEYS_FORMAT, "trusted": trusted, "revoked": revoked})) + "\n"


def _read_list(text: str) -> KnownKeys:
    """Parse the text of `keys.toml`. Raises KeyError, TypeError or ValueError."""
    table = load_toml(text)
    _refuse_unknown(table, _FILE_KEYS)
    if table["format"] != KEYS_FORMAT:
        raise ValueError(f"got format {table['format']!r}; must be {KEYS_FORMAT!r}")
    trusted, revoked = (tuple(map(_entry, table.get(name, []))) for name in ("trusted", "revoked"))
    keys = [entry.key for entry in (*trusted, *revoked)]
    if len(set(keys)) < len(keys):
        raise ValueError("it lists a key twice")
    return KnownKeys(None, trusted, revoked)


def _entry(table: object) -> KeyEntry:
    if not isinstance(table, dict):
        raise TypeError("trusted and revoked are lists of tables")
    _refuse_unknown(table, _ENTRY_KEYS)
    values = {name: table.get(name, "") for name in _ENTRY_KEYS}
    if not all(isinstance(value, str) for value in values.values()):
        raise TypeError("key, name and since are texts")
    if values["name"] and (wrong := wrong_key_name(values["name"])):
        raise ValueError(f"the name of a key {wrong}")
    return KeyEntry(PublicKey.parse(values["key"]), values["name"], values["since"])


def _refuse_unknown(table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in table:
        if name not in known:
            raise ValueError(unknown("key", shown(name, 40), list(known)))


def _refuse_open(path: Path, found: os.stat_result, mode: int) -> None:
    """Raise StoreError if a file or folder belongs to another user or is open to one."""
    if found.st_uid != os.geteuid():
        raise StoreError(f"{path}: belongs to another user, so the keys in it are not used; move it away")
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise StoreError(
            f"{path}: other users may read it (mode {stat.S_IMODE(found.st_mode):04o}), so the keys in it are not "
            f"used; close it with chmod {mode:o}, and revoke the key if somebody may have read it"
        )


def _public(key: Ed25519PrivateKey) -> PublicKey:
    return PublicKey(key.public_key().public_bytes_raw().hex())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Turn operating system errors into StoreError."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise StoreError(f"signatures need the library {error.name!r}: pip install cryptography") from error
    except OSError as error:
        raise StoreError(f"{error.filename or path}: {error.strerror or error}, so keys cannot be used") from error
