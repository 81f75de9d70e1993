"""The errors of a tournament. Each message is one sentence for people."""

from __future__ import annotations

from bowerbird.harness.records.quoting import bounded_sentence


class TournamentError(Exception):
    """A problem that stops a tournament and that the user can solve; `args[0]` is the message."""

    def __init__(self, sentence: str = "", *further: object) -> None:
        """Take the message. Long quotations in it are shortened."""
        super().__init__(bounded_sentence(sentence), *further)


class ConfigError(TournamentError):
    """A file or an argument breaks the rules of commands.md. Nothing has been played or written."""


class BotError(TournamentError):
    """The bot `bot` prevents a run from starting. Nothing has been recorded."""

    def __init__(self, sentence: str, bot: str) -> None:
        """Store the message and the name of the bot."""
        super().__init__(sentence)
        self.bot = bot


class BuildError(BotError):
    """A bot's build command failed. `tail` is the end of its output."""

    def __init__(self, sentence: str, tail: str = "", *, bot: str) -> None:
        """Store the message: the sentence, then the tail on separate lines."""
        super().__init__(f"{sentence}\n{tail}" if tail else sentence, bot)
        self.sentence = sentence
        self.tail = tail


class BotNotStartingError(BotError):
    """A bot did not become ready before the first game of a run."""


class RemoteBotError(TournamentError):
    """Remote bots cannot connect, or have not connected. Nothing recorded has changed."""


class MissingBotsError(RemoteBotError):
    """Remote bots have not connected in time. Nothing has been recorded. `missing` lists their names."""

    def __init__(self, sentence: str, missing: tuple[str, ...]) -> None:
        """Store the message and the missing names."""
        super().__init__(sentence)
        self.missing = missing


class HostingError(TournamentError):
    """Remote bots cannot reach the referee because of an address, a name or a certificate."""


class IsolationError(TournamentError):
    """A requested isolation tier does not work here. Nothing has been played."""


class NetworkError(TournamentError):
    """A bot cannot be given a network or a secret that it was granted. Nothing has been played."""


class RunConflictError(TournamentError):
    """A file does not fit the stored run of its name and seed, or its beacon is not valid for the run."""


class MachinesError(TournamentError):
    """Other machines cannot be reached, or none of them can play. Everything stored of the run stays."""


class CorrectionError(TournamentError):
    """A run cannot be corrected as asked. Nothing stored has changed."""
