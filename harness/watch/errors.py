"""The refusals of the watch service, raised in the service and raised again in its client."""

from __future__ import annotations


class WatchError(Exception):
    """A call that the service refused; `str` is its sentence."""


class NotFoundError(WatchError):
    """A run, table or game that does not exist, or no longer does."""


class NotOpenError(WatchError):
    """Cards that may be dealt again; `str` says when they will be shown."""


class TooManyError(WatchError):
    """One spectator too many."""


class RunGoneError(WatchError):
    """A run that is no longer being played: it has ended, or its process was killed."""
