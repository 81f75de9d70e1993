"""The signature of an archive: signed bytes, and the text of `signature.toml` (notation.md, Signature of an
archive)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from bowerbird.harness.extras.signatures.public_key import PublicKey
from bowerbird.harness.records.quoting import quote, shown
from bowerbird.harness.records.text.bounded_toml import load_toml
from bowerbird.harness.records.text.members import MOST_BLOCKS, Digests, MemberDigests
from bowerbird.harness.records.vouching import MAX_SIGNATURE, SIGNATURE_FILE, SignatureError

SIGNATURE_FORMAT = "bowerbird-signature/1"
ALGORITHM = "ed25519"

SIGNED_DOMAIN = b"bowerbird-archive-signature/1\n"
"""The beginning of the signed bytes, so that no other kind of text has the same bytes."""

_HEX_DIGEST = re.compile("[0-9a-f]{64}")
_HEX_SIGNATURE = re.compile("[0-9a-f]{128}")
_LONGEST_VERSION = 60
_MOST = 10**18


def check_members(found: MemberDigests, signed: Digests) -> None:
    """Raise SignatureError, with a member that differs, unless these are the signed members."""
    if found.digests() == signed:
        return
    place, where = found.differing(signed)
    what = "one of them, or their number," if " to " in where else "it"
    if found.digests().members < signed.members and place >= len(found.digests().blocks):
        raise SignatureError(where, f"files that were signed are missing after it ({signed.members} were signed)")
    raise SignatureError(where, f"{what} was changed, added or removed after the archive was signed")


@dataclass(frozen=True, slots=True)
class Signature:
    """The content of `signature.toml`.

    key: the public key of the installation that signed.
    signed: the time of signing, UTC, ISO 8601.
    by: the version of Bowerbird that signed.
    signature: 64 bytes over SIGNED_DOMAIN and the text before the signature's line.
    """

    key: PublicKey
    signed: str
    by: str
    digests: Digests
    signature: bytes

    @property
    def text(self) -> str:
        """The text of `signature.toml`."""
        return f'{self._body()}signature = "{self.signature.hex()}"\n'

    @property
    def message(self) -> bytes:
        """The bytes that are signed."""
        return SIGNED_DOMAIN + self._body().encode()

    def signed_with(self, sign: Callable[[bytes], bytes]) -> Signature:
        """Return a copy with the signature that `sign` makes for the message."""
        return replace(self, signature=sign(self.message))

    def _body(self) -> str:
        found = self.digests
        lines = (
            f"format = {quote(SIGNATURE_FORMAT)}",
            f"algorithm = {quote(ALGORITHM)}",
            f"key = {quote(self.key.text)}",
            f"signed = {quote(self.signed)}",
            f"by = {quote(self.by)}",
            f"members = {found.members}",
            f"sha256 = {quote(found.whole)}",
            f"block_size = {found.block_size}",
            "blocks = [",
            *(f"    {quote(block)}," for block in found.blocks),
            "]",
        )
        return "\n".join(lines) + "\n"


def read_signature(text: str) -> Signature:
    """Parse the text of `signature.toml`, and check that its key made its signature. Raises SignatureError."""
    try:
        found = _signature(load_toml(text, MAX_SIGNATURE))
    except KeyError as error:
        raise SignatureError(SIGNATURE_FILE, f"{error} is missing") from None
    except (TypeError, ValueError) as error:
        raise SignatureError(SIGNATURE_FILE, f"a value is wrong: {error}") from None
    if found.text != text:
        raise SignatureError(SIGNATURE_FILE, "the text was changed after it was written")
    if not found.key.verifies(found.signature, found.message):
        raise SignatureError(
            SIGNATURE_FILE, f"the signature was not made with key {found.key.fingerprint}, or not for this text"
        )
    return found


def _signature(table: dict[str, Any]) -> Signature:
    if (table["format"], table["algorithm"]) != (SIGNATURE_FORMAT, ALGORITHM):
        raise ValueError(
            f"got format {shown(str(table['format']), 40)!r} with {shown(str(table['algorithm']), 40)!r}; must be "
            f"{SIGNATURE_FORMAT!r} with {ALGORITHM!r}"
        )
    return Signature(
        key=PublicKey.parse(_text(table["key"])),
        signed=datetime.fromisoformat(_text(table["signed"])).isoformat(timespec="milliseconds"),
        by=_version(table["by"]),
        digests=Digests(
            members=_count(table["members"]),
            whole=_hex(table["sha256"], _HEX_DIGEST),
            block_size=_count(table["block_size"]),
            blocks=tuple(_hex(block, _HEX_DIGEST) for block in _list(table["blocks"])),
        ),
        signature=bytes.fromhex(_hex(table["signature"], _HEX_SIGNATURE)),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{shown(str(value), 40)} is not a text")
    return value


def _version(value: object) -> str:
    if len(text := _text(value)) > _LONGEST_VERSION:
        raise ValueError(f"a version has at most {_LONGEST_VERSION} characters")
    return text


def _count(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value <= _MOST:
        raise ValueError(f"{shown(str(value), 40)} is not a number of members")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list) or len(value) > MOST_BLOCKS + 2:
        raise ValueError(f"blocks is a list of at most {MOST_BLOCKS + 2} digests")
    return value


def _hex(value: object, pattern: re.Pattern[str]) -> str:
    if not pattern.fullmatch(text := _text(value)):
        raise ValueError(f"{shown(text, 40)!r} is not a digest or a signature in hex")
    return text
