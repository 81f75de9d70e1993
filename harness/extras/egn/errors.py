"""The error of games in EGN."""

from __future__ import annotations

from bowerbird.harness.records.notation import NotationError


class EgnError(NotationError):
    """A file that is not EGN, contradicts itself, or plays a game that does not fit. The text is one sentence."""
