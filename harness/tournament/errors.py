"""What can be wrong with a tournament before or while it runs. Each message is one sentence for people."""

from __future__ import annotations


class TournamentError(Exception):
    """Anything that stops a tournament and is the user's to mend; `args[0]` is the sentence."""


class ConfigError(TournamentError):
    """A file, a line of it, or an argument is not as CLI.md allows. Nothing has been played or written."""


class BuildError(TournamentError):
    """A bot's build command failed. `tail` is the end of its output."""

    def __init__(self, sentence: str, tail: str = "") -> None:
        """The message is the sentence, and the tail on the lines after it."""
        super().__init__(f"{sentence}\n{tail}" if tail else sentence)
        self.sentence = sentence
        self.tail = tail


class BotNotStartingError(TournamentError):
    """A bot did not get as far as Ready before the first game of a run. Nothing has been recorded."""


class RemoteBotError(TournamentError):
    """Remote bots cannot come in, or have not. Nothing that was recorded has changed."""


class HostingError(TournamentError):
    """An address, a name or a certificate under which no remote bot could reach the referee."""


class IsolationError(TournamentError):
    """An isolation tier that was asked for does not work here. Nothing has been played since."""


class RunConflictError(TournamentError):
    """A run of this name and seed is stored, and was made from another file or from other bots."""
