"""The seeds of environments: a whole number or 32 bytes, and the number of the game among the seed's games."""

from __future__ import annotations

import hashlib

from bowerbird.engine import SEED_BYTES, EngineError

Seed = int | bytes
"""The types that `reset` accepts as a seed."""


class SeedError(EngineError, ValueError):
    """A seed is neither a whole number from 0 up nor 32 bytes."""


def secret_of(seed: object) -> bytes:
    """Return the engine's seed: 32 bytes unchanged, or the SHA-256 of a number's text.

    >>> secret_of(42) == hashlib.sha256(b"42").digest()
    True

    Raises:
        SeedError: `seed` is neither a whole number from 0 up nor 32 bytes.
    """
    if isinstance(seed, bytes) and len(seed) == SEED_BYTES:
        return seed
    if isinstance(seed, bytes):
        raise SeedError(f"seed must be a whole number of at least 0 or {SEED_BYTES} bytes, not {len(seed)} bytes")
    try:
        number = None if isinstance(seed, bool) else seed.__index__()  # type: ignore[attr-defined]  # numpy's, too
    except AttributeError:
        number = None
    if number is None or number < 0:
        raise SeedError(f"seed must be a whole number of at least 0 or {SEED_BYTES} bytes, not {seed!r}")
    return hashlib.sha256(b"%d" % number).digest()
