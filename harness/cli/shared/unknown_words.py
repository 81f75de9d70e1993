"""The answers to an unknown command or option: our word for it, or the nearest match."""

from __future__ import annotations

import click

from bowerbird.engine import did_you_mean, known_are

FEW = 8
"""The most commands that an answer lists."""

TYPO = 0.7
"""The least similarity between a typo and the intended word (0 to 1, as difflib measures it)."""

MEANINGS = {
    "resume, continue": "'bowerbird runs resume RUN' continues a run",
    "pause, stop": "Ctrl-C pauses a run, and 'bowerbird runs resume RUN' continues it",
    "list, ls, runs list": "'bowerbird runs' lists the runs",
    "delete, remove, rm, runs remove": "'bowerbird runs delete RUN' deletes a run",
    "rename": "'bowerbird runs rename RUN NAME' renames a run",
    "results, ratings, leaderboard": "'bowerbird standings' shows the results of a run",
    "watch": "'bowerbird serve' shows runs in the browser while they are played",
    "run": "'bowerbird tournament FILE' runs a tournament file",
    "init, new, create": "'bowerbird new-bot' starts a bot, and 'bowerbird new-tournament' a tournament file",
    "match --games, match --rounds": "--sets sets how many deal sets each pairing plays",
    "test --games, test --rounds, test --sets": "--max-sets limits the deal sets of the test",
    "tournament --games, tournament --rounds, tournament --sets": "the key 'sets' in the file sets how much is played",
}
"""The meaning here of words that other programs use, as typed after `bowerbird`."""


def unknown_command(path: str, word: str, shown: list[str]) -> str:
    """Return the sentence for an unknown command.

    path: the group, such as `bowerbird runs`. word: the word typed there.
    shown: the commands of the group that are not hidden.
    """
    listed = known_are(shown) if len(shown) <= FEW else f"; '{path} --help' lists all {len(shown)}"
    return _sentence("command", path, word, did_you_mean(word, shown, TYPO) or listed)


def unknown_option(ctx: click.Context, word: str) -> str:
    """Return the sentence for an unknown option `word` of the command of `ctx`."""
    options = [
        option
        for each in ctx.command.get_params(ctx)
        if isinstance(each, click.Option) and not each.hidden
        for option in (*each.opts, *each.secondary_opts)
    ]
    listed = f"; '{ctx.command_path} --help' lists the options"
    return _sentence("option", ctx.command_path, word, did_you_mean(word, options, TYPO) or listed)


def _sentence(what: str, path: str, word: str, otherwise: str) -> str:
    typed = f"{path.partition(' ')[2]} {word}".strip()
    meaning = next((meaning for words, meaning in MEANINGS.items() if typed in words.split(", ")), None)
    return f"unknown {what} {word!r}{otherwise if meaning is None else f': {meaning}'}"
