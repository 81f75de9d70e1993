"""Where a stored run came from, if it was not played here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """An archive from which a run, or part of it, was imported.

    key: the public key that signed it, 64 hex digits; "" if it was unsigned.
    signature: the text of its `signature.toml`; "" if it was unsigned.
    imported: when, UTC, ISO 8601.
    """

    key: str
    signature: str
    imported: str
