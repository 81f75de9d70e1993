"""The errors of a league. Each message is one sentence for people."""

from __future__ import annotations

from bowerbird.harness.tournament.errors import TournamentError


class LeagueError(TournamentError):
    """A league cannot do what is asked; `args[0]` is the sentence. Nothing recorded has changed."""
