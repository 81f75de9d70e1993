"""Why the watch service refuses a call: raised in the service, raised again in its client."""

from __future__ import annotations


class WatchError(Exception):
    """The error for a call that the service refused; `str` is its sentence."""


class NotFoundError(WatchError):
    """The error for a run, table or game that is not there, or no longer there."""


class NotOpenError(WatchError):
    """The error for cards that may be dealt again; `str` says when they are shown."""


class TooManyError(WatchError):
    """The error for one spectator too many."""


class RunGoneError(WatchError):
    """The error for a run that is no longer played: it has ended, or its process was killed."""
