"""`bowerbird league FILE`, and the other commands for a league: `list`, and the organiser's decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bowerbird.engine import counted
from bowerbird.harness.cli.shared import options
from bowerbird.harness.cli.shared.groups import CommandGroup
from bowerbird.harness.cli.shared.machine_options import machine_options
from bowerbird.harness.cli.shared.output import (
    Column,
    echo,
    note,
    output_width,
    plain_fields,
    print_json,
    print_lines,
    table,
)
from bowerbird.harness.cli.shared.serving import own_command, pages_beside, require_extra, serve_option
from bowerbird.harness.extras.league.commands import league_epoch

if TYPE_CHECKING:
    from bowerbird.harness.extras.league.remote import Listening
    from bowerbird.harness.extras.league.season_ratings import Prior
    from bowerbird.harness.records.values.league import LeagueBot, LeagueEvent, Season


RUN = "run"

league_option = click.option("--league", "league", metavar="NAME", help="Which league, if the database has several.")


class LeagueGroup(CommandGroup):
    """A group in which `league FILE` is short for `league run FILE`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command at the start of `args`, or `run` if there is a file instead."""
        if args and args[0] not in self.commands and (args[0].endswith(".toml") or Path(args[0]).is_file()):
            args = [RUN, *args]
        return super().resolve_command(ctx, args)


@click.group(
    "league",
    cls=LeagueGroup,
    epilog=options.examples("league league.toml --serve", "league list", "league withdraw mybot"),
    subcommand_metavar="FILE | COMMAND [ARGS]...",
)
def command() -> None:
    """Run a league that never ends: bots join, change and leave while it plays.

    'bowerbird league FILE' is short for 'bowerbird league run FILE'.
    """


@command.command(RUN, epilog=options.examples("league run league.toml", "league run league.toml --jobs 2 --serve"))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--listen", metavar="ADDRESS:PORT", help="Listen on this address for remote bots.")
@options.public_name_option
@league_epoch.remote_options
@options.isolation_option
@options.jobs_option
@machine_options
@serve_option
@options.db_option
@options.quiet_option
@options.debug_option
@click.pass_context
def run(
    ctx: click.Context,
    /,
    *,
    file: Path,
    listen: str | None,
    names: tuple[str, ...],
    serve: str | None,
    db: Path,
    quiet: bool,
    **others: object,
) -> None:
    """Play the league FILE, epoch after epoch, until Ctrl-C.

    Start it again to continue, even after a crash. The other league commands work while it runs.
    """
    from bowerbird.harness.cli.shared.recording import recording_store
    from bowerbird.harness.extras.league.accepted_file import accepted_file
    from bowerbird.harness.extras.league.epoch_loop import EpochLoop
    from bowerbird.harness.extras.league.league_file import load_league
    from bowerbird.harness.records.store.sidecar import LeagueLock
    from bowerbird.harness.tournament.errors import ConfigError

    if serve is not None:
        require_extra()
    with recording_store(db, quiet=quiet) as store:
        league = accepted_file(file, store, note)

    def pause_s() -> float:
        try:
            return load_league(file).pause_ms / 1000
        except ConfigError:
            return 0.0  # the next epoch reports the error

    arguments = ["league", league_epoch.EPOCH, "--with-parent", *_typed(ctx)]
    with LeagueLock(db, league.name), ExitStack() as opened:
        inherited: tuple[int, ...] = ()
        if listen is not None:
            listening = opened.enter_context(_listening(listen, names, db, league.name))
            inherited = (listening.listener.fileno(),)
            arguments += ["--listen-fd", str(inherited[0])]
            for name in listening.names:
                arguments += ["--public-name", name]
            note(f"remote bots connect to {listening.address}; to invite one: bowerbird league invite BOT")
        opened.enter_context(pages_beside(db, serve))
        if not quiet:
            note(f"league {league.name}: Ctrl-C stops it, and the same command continues it")
        EpochLoop(own_command(arguments), note, pause_s=pause_s, inherited=inherited).run()
        note(f"league {league.name} has stopped; the same command continues it")


@contextmanager
def _listening(listen: str, names: Sequence[str], db: Path, league: str) -> Iterator[Listening]:
    """Listen for remote bots during the block, and store the address for invitations."""
    from bowerbird.harness.extras.league.remote import Listening, keep_address
    from bowerbird.harness.tournament.preparation import hosting

    with hosting.listen(listen) as listener:
        listening = Listening(listener, hosting.public_names(listener, names), 0.0)
        keep_address(listening, db, league)
        yield listening


def _typed(ctx: click.Context) -> list[str]:
    """Return the arguments of this command that the process of an epoch needs too."""
    parameters = {one.name for one in league_epoch.command.params} - {"names"}
    words: list[str] = []
    for one in ctx.command.params:
        value = ctx.params.get(one.name or "")
        source = ctx.get_parameter_source(one.name or "")
        if isinstance(one, click.Argument):
            words.append(str(value))
        elif one.name in parameters and source is click.core.ParameterSource.COMMANDLINE:
            words += [one.opts[0]] if value is True else [one.opts[0], str(value)]
    return words


EVENTS = 10
"""How many of the latest events to show."""


@command.command(
    "list",
    short_help="Show bots, ratings and events.",
    epilog=options.examples("league list", "league list --season 1"),
)
@league_option
@options.number_option("--season", click.IntRange(min=1), "Show an earlier season.", name="number")
@options.result_options
def list_league(*, league: str | None, number: int | None, db: Path, as_json: bool) -> None:
    """Show a league's bots, their ratings this season, and the latest events."""
    from bowerbird.harness.extras.league.season_ratings import rated
    from bowerbird.harness.records.store.league import season_number, season_runs, the_league
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        name = the_league(store, league)
        season = store.season(name, number)
        assert season is not None  # `the_league` found it
        shown = season_number(season.league, number)
        ratings = rated(season_runs(store, season))
        events = store.league_events(name, EVENTS)
    if as_json:
        bots = [{**plain_fields(bot), **_rating_fields(ratings.get(bot.name))} for bot in season.bots]
        document = {"league": season.league, "season": shown, "bots": bots, "epochs": season.epochs, "events": events}
        print_json(document)
        return
    print_lines(_lines(season, shown, ratings, events))


def _rating_fields(rating: Prior | None) -> dict[str, object]:
    if rating is None:
        return {"rating": None, "deviation": None}
    return {"rating": rating.rating, "deviation": rating.deviation}


_COLUMNS = (
    Column("#", right=True),
    Column("bot", cut=True),
    Column("version", cut=True, drop=1),
    Column("author", cut=True, drop=3),
    Column("rating", right=True),
    Column("+/-", right=True, drop=2),
    Column("since", right=True, drop=4),
    Column("state", wrap=True),
)


def _lines(season: Season, number: int, ratings: dict[str, Prior], events: list[LeagueEvent]) -> list[str]:
    league = season.league
    complete = sum(epoch.ended is not None for epoch in season.epochs)
    state = "paused" if league.is_paused else "its season is ending" if league.is_ending else ""
    head = f"league {league.name}, season {number}: {counted(complete, 'epoch')} complete"
    if season.open_epoch is not None:
        head += f", epoch {season.open_epoch.number} in play (run {season.open_epoch.run})"
    lines = [f"{head}; {state}" if state and number == league.season else head, ""]
    ordered = sorted(season.bots, key=lambda bot: (bot.status != "playing", -_value(ratings.get(bot.name)), bot.name))
    rows = [_row(place, bot, ratings.get(bot.name)) for place, bot in enumerate(ordered, 1)]
    lines += table(_COLUMNS, rows, output_width())
    if events:
        lines += ["", *(f"{event.at[:16].replace('T', ' ')}  {event.what}" for event in reversed(events))]
    return lines


def _value(rating: Prior | None) -> float:
    return float("-inf") if rating is None else rating.rating


def _row(place: int, bot: LeagueBot, rating: Prior | None) -> tuple[str, ...]:
    """Return the row of a bot. Only a bot that plays and is rated has a place. An unlimited error is `open`."""
    from bowerbird.harness.extras.league.season_ratings import WIDE

    state = f"{bot.status}: {bot.why}" if bot.why else bot.status
    number = f"{rating.rating:+d}" if rating is not None else "-"
    error = "-" if rating is None else str(2 * rating.deviation) if rating.deviation < WIDE else "open"
    shown = str(place) if bot.status == "playing" and rating is not None else "-"
    return (shown, bot.name, bot.version, bot.author, number, error, f"epoch {bot.since}", state)


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    decorated: Callable[..., Any] = league_option(options.result_options(command))
    return decorated


@command.command(
    "invite", epilog=options.examples("league invite ada --author 'Ada Example'", "league invite ada --tables 64")
)
@click.argument("bot")
@click.option("--author", default="", metavar="NAME", help="The bot's author, as shown in standings.")
@click.option(
    "--variant",
    "variants",
    metavar="NAME",
    multiple=True,
    type=options.VARIANT,
    help="A variant that the bot plays. By default all. Repeatable.",
)
@options.number_option(
    "--tables", click.IntRange(1, 1024), "How many tables each of its processes plays at once.", default=1
)
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
    said = [f"bot {written.bot}: send its author {written.file} and, from the same folder, {TRUST_FILE}"]
    _show(said, as_json=as_json)


@command.command("withdraw", epilog=options.examples("league withdraw mybot", "league withdraw mybot-2"))
@click.argument("bot")
@_options
def withdraw(*, bot: str, league: str | None, db: Path, as_json: bool) -> None:
    """Take BOT out of all later epochs.

    BOT is a bot with all its versions, or one version such as mybot-2.
    """
    from bowerbird.harness.extras.league import members

    _show(members.withdraw(db, _named(db, league), bot), as_json=as_json)


@command.command("readmit", epilog=options.examples("league readmit mybot", "league readmit mybot --league autumn"))
@click.argument("bot")
@_options
def readmit(*, bot: str, league: str | None, db: Path, as_json: bool) -> None:
    """Let a withdrawn or suspended BOT play again."""
    from bowerbird.harness.extras.league import members

    _show(members.readmit(db, _named(db, league), bot), as_json=as_json)


@command.command("pause", epilog=options.examples("league pause", "league pause --league autumn"))
@_options
def pause(*, league: str | None, db: Path, as_json: bool) -> None:
    """Pause the league after the current epoch."""
    from bowerbird.harness.extras.league import members

    _show([members.pause(db, _named(db, league))], as_json=as_json)


@command.command("resume", epilog=options.examples("league resume", "league resume --league autumn"))
@_options
def resume(*, league: str | None, db: Path, as_json: bool) -> None:
    """Resume a paused league."""
    from bowerbird.harness.extras.league import members

    _show([members.resume(db, _named(db, league))], as_json=as_json)


@command.command("season-end", epilog=options.examples("league season-end", "league season-end --league autumn"))
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


def _named(db: Path, league: str | None) -> str:
    from bowerbird.harness.records.store.league import the_league
    from bowerbird.harness.records.store.store import Store

    with Store.open(db) as store:
        return the_league(store, league)


command.add_command(league_epoch.command)
