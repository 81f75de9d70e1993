"""The error for games in EGN."""

from __future__ import annotations

from bowerbird.harness.records.notation import NotationError


class EgnError(NotationError):
    """A file is not EGN, contradicts itself, or has a game that Bowerbird cannot play. The text is a sentence."""
