"""The errors of a league. Each message is a sentence for people."""

from __future__ import annotations

from bowerbird.harness.tournament.errors import TournamentError


class LeagueError(TournamentError):
    """A league cannot carry out a request; `args[0]` says why. Nothing recorded has changed."""
