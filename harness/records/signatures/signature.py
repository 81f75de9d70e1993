"""The signature of an archive: what is signed, and `signature.toml` as text (notation.md, Signature of an archive)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest
from typing import Any

from harness.records.errors import StoreError
from harness.records.quoting import quote, shown
from harness.records.signatures.public_key import PublicKey
from harness.records.text.bounded_toml import load_toml

SIGNATURE_FILE = "signature.toml"
SIGNATURE_FORMAT = "bowerbird-signature/1"
ALGORITHM = "ed25519"

MEMBERS_DOMAIN = b"bowerbird-archive-members/1\n"
SIGNED_DOMAIN = b"bowerbird-archive-signature/1\n"
"""What the two digests begin with, so that neither is that of another kind of text."""

MOST_BLOCKS = 256
"""Blocks of a signature: enough to name the member that differs in most archives, and at most 17 KiB."""

MAX_CHARACTERS = 1 << 15

_HEX_DIGEST = re.compile("[0-9a-f]{64}")
_HEX_SIGNATURE = re.compile("[0-9a-f]{128}")
_LONGEST_VERSION = 60
_MOST = 10**18


class SignatureError(StoreError):
    """A signature does not fit. `member` names the file of the archive that is wrong."""

    def __init__(self, member: str, sentence: str) -> None:
        """Keep both parts."""
        self.member = member
        self.sentence = sentence
        super().__init__(f"{member}: {sentence}")


@dataclass(frozen=True, slots=True)
class Digests:
    """The digests of an archive's members but the signature, in the order of the archive.

    members: how many there are.
    whole: SHA-256, in hex, over MEMBERS_DOMAIN and a line `SHA256  NAME` for each member.
    block_size: how many members after the first two make a block.
    blocks: the SHA-256 over the lines of each block, the first two members being a block each.
    """

    members: int
    whole: str
    block_size: int
    blocks: tuple[str, ...]


class MemberDigests:
    """Computes `Digests` member by member. Memory does not grow with the archive."""

    def __init__(self) -> None:
        """Begin an archive."""
        self._whole = hashlib.sha256(MEMBERS_DOMAIN)
        self._members = 0
        self._size = 1
        self._blocks: list[Any] = []  # hashlib names no type for its objects
        self._names: list[tuple[str, str]] = []

    def expect(self, games: int) -> None:
        """Set the size of blocks, before the first game: the least power of two that needs no more than MOST_BLOCKS.

        games: the number of games in the archive, each of which has one or two members.
        """
        while 2 * games > self._size * MOST_BLOCKS:
            self._size *= 2

    def add(self, name: str, data: bytes) -> None:
        """Add the next member."""
        line = f"{hashlib.sha256(data).hexdigest()}  {name}\n".encode()
        self._whole.update(line)
        if (self._members < 2 or (self._members - 2) % self._size == 0) and len(self._blocks) < MOST_BLOCKS + 2:
            self._blocks.append(hashlib.sha256())
            self._names.append((name, name))
        self._blocks[-1].update(line)
        self._names[-1] = (self._names[-1][0], name)
        self._members += 1

    def digests(self) -> Digests:
        """Return the digests of all members added."""
        blocks = tuple(block.hexdigest() for block in self._blocks)
        return Digests(self._members, self._whole.hexdigest(), self._size, blocks)

    def check(self, signed: Digests) -> None:
        """Raise SignatureError, which names a member that differs, unless these are the signed members."""
        found = self.digests()
        if found == signed:
            return
        blocks = zip_longest(found.blocks, signed.blocks)
        place = next((place for place, (mine, theirs) in enumerate(blocks) if mine != theirs), 0)
        first, last = self._names[min(place, len(self._names) - 1)]
        where = first if first == last else f"{first} to {last}"
        what = "it" if first == last else "one of them, or their number,"
        if found.members < signed.members and place >= len(found.blocks):
            raise SignatureError(where, f"files that were signed are missing after it ({signed.members} were signed)")
        raise SignatureError(where, f"{what} was changed, added or removed after the archive was signed")


Sign = Callable[[Digests], str]
"""Returns the text of `signature.toml` for the members with these digests; "" for none."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The content of `signature.toml`.

    key: the public key of the installation that signed.
    signed: when, UTC, ISO 8601.
    by: the version of Bowerbird that signed.
    signature: 64 bytes over SIGNED_DOMAIN and the text before the line of the signature.
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
        """Return a copy whose signature is what `sign` makes of the message."""
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
    """Read the text of `signature.toml` and check that its key made its signature. Raises SignatureError."""
    try:
        found = _signature(load_toml(text, MAX_CHARACTERS))
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
            f"its format is {shown(str(table['format']), 40)!r} with {shown(str(table['algorithm']), 40)!r}, this "
            f"Bowerbird reads {SIGNATURE_FORMAT!r} with {ALGORITHM!r}"
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
        raise TypeError(f"{shown(str(value), 40)} is no text")
    return value


def _version(value: object) -> str:
    if len(text := _text(value)) > _LONGEST_VERSION:
        raise ValueError(f"a version has at most {_LONGEST_VERSION} characters")
    return text


def _count(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value <= _MOST:
        raise ValueError(f"{shown(str(value), 40)} is no number of members")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list) or len(value) > MOST_BLOCKS + 2:
        raise ValueError(f"blocks is a list of at most {MOST_BLOCKS + 2} digests")
    return value


def _hex(value: object, pattern: re.Pattern[str]) -> str:
    if not pattern.fullmatch(text := _text(value)):
        raise ValueError(f"{shown(text, 40)!r} is no digest or signature in hex")
    return text
