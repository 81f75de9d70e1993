"""Errors of the person's game that the person can correct."""

from __future__ import annotations

from bowerbird.harness.tournament.errors import TournamentError


class PlayError(TournamentError):
    """A game that cannot be begun or went wrong; `args[0]` is one sentence."""
