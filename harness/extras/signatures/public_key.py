"""Public keys: their text, and the short fingerprint that people compare."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

PREFIX = "bowerbird-ed25519:"
"""The beginning of a public key's text, before 64 hex digits."""

FINGERPRINT = re.compile("(?:[0-9a-f]{4}-){5}[0-9a-f]{4}")

_HEX = re.compile("[0-9a-f]{64}")
_SMALL_ORDER = frozenset(
    {
        "00" * 32,
        "01" + "00" * 31,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 30 + "7f",
    }
)
"""The points whose order divides 8, in all their forms, without the sign bit. Anyone can sign with such a key."""

_GROUP = 4
_FINGERPRINT_DIGITS = 24


@dataclass(frozen=True, slots=True, order=True)
class PublicKey:
    """An Ed25519 public key, as 64 lower-case hex digits."""

    hex: str

    def __post_init__(self) -> None:
        """Raise ValueError if `hex` is not a key, or is a key with which everyone can sign."""
        if not _HEX.fullmatch(self.hex):
            raise ValueError("a public key has 64 hex digits, in lower case")
        if f"{self.hex[:62]}{int(self.hex[62:], 16) & 0x7F:02x}" in _SMALL_ORDER:
            raise ValueError("this public key has small order: anyone can sign with it")

    @classmethod
    def parse(cls, text: str) -> PublicKey:
        """Parse the text of a key, `bowerbird-ed25519:` and 64 hex digits. Raises ValueError for anything else."""
        if not text.startswith(PREFIX):
            raise ValueError(f"a public key is written {PREFIX} and 64 hex digits")
        return cls(text.removeprefix(PREFIX))

    @property
    def text(self) -> str:
        """The text of the key, for people to pass on."""
        return f"{PREFIX}{self.hex}"

    @property
    def fingerprint(self) -> str:
        """The first 96 bits of the SHA-256 of the key's 32 bytes: six groups of four hex digits."""
        digits = hashlib.sha256(bytes.fromhex(self.hex)).hexdigest()[:_FINGERPRINT_DIGITS]
        return "-".join(digits[at : at + _GROUP] for at in range(0, len(digits), _GROUP))

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Return whether this key made the signature of this message."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.hex)).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True
