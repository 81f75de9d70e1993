"""`bowerbird league list`: the bots and the epochs of a league."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bowerbird.engine import counted
from bowerbird.harness.cli.shared.options import examples, number_option, result_options
from bowerbird.harness.cli.shared.output import Column, output_width, plain_fields, print_json, print_lines, table

if TYPE_CHECKING:
    from bowerbird.harness.extras.league.season_ratings import Prior
    from bowerbird.harness.records.values.league import LeagueBot, LeagueEvent, Season

EVENTS = 10
"""How many of the latest events are shown."""


@click.command(
    "list", short_help="Show bots, ratings and events.", epilog=examples("league list", "league list --season 1")
)
@click.option("--league", "league", metavar="NAME", help="Which league, if the database has several.")
@number_option("--season", click.IntRange(min=1), "Show an earlier season.", name="number")
@result_options
def command(*, league: str | None, number: int | None, db: Path, as_json: bool) -> None:
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
    """Return the row of a bot. Only a bot that plays and is rated has a place; an error without an end is `open`."""
    from bowerbird.harness.extras.league.season_ratings import WIDE

    state = f"{bot.status}: {bot.why}" if bot.why else bot.status
    number = f"{rating.rating:+d}" if rating is not None else "-"
    error = "-" if rating is None else str(2 * rating.deviation) if rating.deviation < WIDE else "open"
    shown = str(place) if bot.status == "playing" and rating is not None else "-"
    return (shown, bot.name, bot.version, bot.author, number, error, f"epoch {bot.since}", state)
