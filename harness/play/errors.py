"""Errors of the person's game that the person can correct."""

from __future__ import annotations


class PlayError(Exception):
    """A game that cannot be begun or went wrong; `args[0]` is one sentence."""
