"""`bowerbird league invite`, `withdraw`, `readmit`, `pause`, `resume` and `season-end`: what an organiser decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from bowerbird.harness.cli.shared.options import VARIANT, examples, number_option, result_options
from bowerbird.harness.cli.shared.output import echo, print_json

league_option = click.option("--league", "league", metavar="NAME", help="Which league, if the database has several.")


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    decorated: Callable[..., Any] = league_option(result_options(command))
    return decorated


@click.command("invite", epilog=examples("league invite ada --author 'Ada Example'", "league invite ada --tables 64"))
@click.argument("bot")
@click.option("--author", default="", metavar="NAME", help="The bot's author, shown in standings.")
@click.option(
    "--variant",
    "variants",
    metavar="NAME",
    multiple=True,
    type=VARIANT,
    help="A variant that the bot plays. By default all. Repeatable.",
)
@number_option("--tables", click.IntRange(1, 1024), "How many tables each of its processes plays at once.", default=1)
@_options
def invite(
    *, bot: str, author: str, variants: tuple[str, ...], tables: int, league: str | None, db: Path, as_json: bool
) -> None:
    """Invite the remote BOT for the season.

    Writes the invitation to a file, for you to send to its author. The league must have been started with --listen.
    """
    from bowerbird.harness.extras.league import members
    from bowerbird.harness.tournament.preparation.hosting import TRUST_FILE

    name = _named(db, league)
    written = members.invite(db, name, bot, author=author, variants=variants or ("*",), tables=tables)
    said = [f"bot {written.bot}: send its author {written.file} and {TRUST_FILE}, which lies beside it"]
    _show(said, as_json=as_json)


@click.command("withdraw", epilog=examples("league withdraw mybot", "league withdraw mybot-2"))
@click.argument("bot")
@_options
def withdraw(*, bot: str, league: str | None, db: Path, as_json: bool) -> None:
    """Take BOT out of all later epochs.

    BOT is a bot with all its versions, or one version such as mybot-2.
    """
    from bowerbird.harness.extras.league import members

    _show(members.withdraw(db, _named(db, league), bot), as_json=as_json)


@click.command("readmit", epilog=examples("league readmit mybot", "league readmit mybot --league autumn"))
@click.argument("bot")
@_options
def readmit(*, bot: str, league: str | None, db: Path, as_json: bool) -> None:
    """Let a withdrawn or suspended BOT play again."""
    from bowerbird.harness.extras.league import members

    _show(members.readmit(db, _named(db, league), bot), as_json=as_json)


@click.command("pause", epilog=examples("league pause", "league pause --league autumn"))
@_options
def pause(*, league: str | None, db: Path, as_json: bool) -> None:
    """Pause the league after the current epoch."""
    from bowerbird.harness.extras.league import members

    _show([members.pause(db, _named(db, league))], as_json=as_json)


@click.command("resume", epilog=examples("league resume", "league resume --league autumn"))
@_options
def resume(*, league: str | None, db: Path, as_json: bool) -> None:
    """Resume a paused league."""
    from bowerbird.harness.extras.league import members

    _show([members.resume(db, _named(db, league))], as_json=as_json)


@click.command("season-end", epilog=examples("league season-end", "league season-end --league autumn"))
@_options
def season_end(*, league: str | None, db: Path, as_json: bool) -> None:
    """End the season after the current epoch. Every bot starts the next season afresh."""
    from bowerbird.harness.extras.league import members

    _show([members.end_season(db, _named(db, league))], as_json=as_json)


def _show(said: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        print_json({"done": list(said)})
        return
    for line in said:
        echo(line)


COMMANDS = (invite, withdraw, readmit, pause, resume, season_end)


def _named(db: Path, league: str | None) -> str:
    from bowerbird.harness.records.store.league import the_league
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        return the_league(store, league)
