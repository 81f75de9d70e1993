"""The contents of a league bot's page: its versions, whether each is better than the previous one, its opponents."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bowerbird.engine import unknown
from bowerbird.harness.extras.serve.addresses import opponents_part, version_part
from bowerbird.harness.extras.serve.openness import open_hands
from bowerbird.harness.extras.serve.pages.league_pages import filled_columns
from bowerbird.harness.extras.serve.pages.reports import Values
from bowerbird.harness.extras.serve.pages.run_pages import Content, Context, bot_row, open_story
from bowerbird.harness.extras.serve.pages.season_view import SeasonView, without_paths
from bowerbird.harness.ratings.estimate import Estimate
from bowerbird.harness.ratings.sequential.leads import Lead, lead
from bowerbird.harness.ratings.standings.text.cells import NOTHING, interval_text, percent_text
from bowerbird.harness.records.errors import StoreError
from bowerbird.harness.records.values.league import PLAYING, LeagueBot, LeagueEvent, Season

EVENTS = 50
LATEST_EPOCHS = 25
STORIES = 5
"""The maximum number of fault stories of the latest epoch."""

COMPARED = 3
"""How many versions are shown with their opponents: the newest ones that played."""

MOST_OPPONENTS = 100

BETTER, WORSE, OPEN = "better", "worse", "not settled"
"""Whether a version is better than the previous one."""


def league_bot_page(context: Context, view: SeasonView, name: str) -> Content:
    """Return the page of a bot with all its versions of a season; `name` is a bot or a version.

    Raises StoreError, with the nearest name, if the season has no such bot.
    """
    versions = versions_of(view.season, name)
    newest = versions[0]
    played = [bot for bot in versions if view.figures(bot.name)["games"] != NOTHING]
    stories = _stories(view, newest) if newest.status != PLAYING else None
    data = {
        "bot": newest.bot,
        "author": newest.author,
        "newest": _version(view, newest),
        "versions": [_version(view, bot) for bot in versions],
        "opponents": [_opponents(view, bot) for bot in played[:COMPARED]],
        "variants": _variants(view, played[0]) if played else [],
        "variants_of": played[0].name if played else "",
        "stories": stories,
        "epochs": _epochs(view, versions),
        "events": view.events(_events(view, versions)),
    }
    number = view.report.number(newest.name)
    values = {"links": view.links, "report": {**view.report.tables, "cpu": [], "claims": []}, "number": number or 0}
    return view.page("league_bot.html", f"{newest.bot} in league {view.name}", data, **values)


def versions_of(season: Season, name: str) -> list[LeagueBot]:
    """Return the versions of the bot `name`, or of the bot that has the version `name`, newest first.

    Raises StoreError, with the nearest name, if there is none.
    """
    bots = {bot.bot for bot in season.bots}
    bot = name if name in bots else next((one.bot for one in season.bots if one.name == name), None)
    if bot is None:
        raise StoreError(unknown("bot", name, sorted(bots | {one.name for one in season.bots})))
    return sorted((one for one in season.bots if one.bot == bot), key=lambda one: -one.number)


def _version(view: SeasonView, bot: LeagueBot) -> Values:
    return {
        "name": bot.name,
        "number": bot.number,
        "version": bot.version,
        "since": bot.since,
        "status": bot.status,
        "why": without_paths(bot.why),
        "remote": bot.is_remote,
        "id": version_part(bot.name),
        **view.figures(bot.name),
        "lead": _lead_values(view, bot),
    }


def _lead_values(view: SeasonView, bot: LeagueBot) -> Values | None:
    """Return how a version compares with the previous one, or None for the first version and until both have played."""
    before = next((one for one in view.season.bots if one.bot == bot.bot and one.number == bot.number - 1), None)
    found = None if before is None else _lead(view, bot.name, before.name)
    if before is None or found is None:
        return None
    verdict = OPEN if not found.is_settled else BETTER if found.estimate.value > 0 else WORSE
    low, high = found.interval
    return {
        "over": before.name,
        "elo": round(found.estimate.value),
        "low": round(low) if math.isfinite(low) else None,
        "high": round(high) if math.isfinite(high) else None,
        "p_value": round(found.p_value, 4),
        "verdict": verdict,
    }


def _lead(view: SeasonView, one: str, other: str) -> Lead | None:
    """Return how two entrants compare over all variants; None unless both have played."""
    numbers = view.report.number(one), view.report.number(other)
    if None in numbers:
        return None
    labels = [view.report.tables["bots"][number]["name"] for number in numbers if number is not None]
    return lead(view.report.fits, labels[0], labels[1])


def _opponents(view: SeasonView, bot: LeagueBot) -> Values:
    """Return a version's results against each bot that it met, the strongest first, and the differences of ratings."""
    report, number = view.report, view.report.number(bot.name)
    cross = {other: results for this, other, *results in report.tables["scopes"][0]["cross"] if this == number}
    met = [other for other in report.rows if other in cross]
    return {
        "version": bot.name,
        "id": opponents_part(bot.name),
        "rows": [_opponent(view, bot, other, cross[other]) for other in met[:MOST_OPPONENTS]],
        "more": max(0, len(met) - MOST_OPPONENTS),
    }


def _opponent(view: SeasonView, bot: LeagueBot, other: int, results: Sequence[int]) -> Values:
    won, drawn, lost = results
    label, name = view.report.tables["bots"][other]["name"], view.report.names[other]
    found = _lead(view, bot.name, name)
    estimate: Estimate | None = None if found is None else found.estimate
    return {
        "bot": other,
        "name": label,
        "score": round((won + drawn / 2) / (won + drawn + lost), 4),
        "results": f"{won}-{drawn}-{lost}",
        "elo": NOTHING if estimate is None else f"{round(estimate.value):+d}",
        "interval": NOTHING if estimate is None else interval_text(estimate),
        "los": NOTHING if estimate is None else percent_text(estimate.superiority),
    }


def _variants(view: SeasonView, bot: LeagueBot) -> list[Values]:
    """Return the figures of a version in each variant."""
    number, tables = view.report.number(bot.name), view.report.tables
    titles = tables["titles"]["playing"]
    found = [(scope, row) for scope in tables["scopes"] for row in scope["rows"] if row["bot"] == number]
    kept = filled_columns(titles, [row["playing"] for _, row in found])
    shown = [titles[at] for at in kept]
    return [
        bot_row(scope, {**row, "playing": [row["playing"][at] for at in kept]}, shown, view.links.scope(scope["id"]))
        for scope, row in found
    ]


def _epochs(view: SeasonView, versions: Sequence[LeagueBot]) -> list[Values]:
    """Return the latest epochs in which versions of a bot played, with their games."""
    games = {bot.name: _games(view, bot) for bot in versions}
    found = []
    for epoch in reversed(view.season.epochs):
        played = [
            {
                "version": name,
                "games": of_run[epoch.run],
                "address": view.context.addresses.bot(epoch.run, name),
            }
            for name, of_run in games.items()
            if epoch.run in of_run
        ]
        if played:
            found.append({"number": epoch.number, "run": epoch.run, "ended": epoch.ended is not None, "played": played})
        if len(found) == LATEST_EPOCHS:
            break
    return found


def _games(view: SeasonView, bot: LeagueBot) -> dict[str, int]:
    """Return the number of games of a version by run."""
    numbers = [place for place, name in enumerate(view.report.names) if name == bot.name]
    return {run: games for number in numbers for run, games in view.report.games.get(number, {}).items()}


def _stories(view: SeasonView, bot: LeagueBot) -> Values | None:
    """Return the faults of a version in the latest epoch that it played, with their stories; None if it has none."""
    games = _games(view, bot)
    epoch = next((one for one in reversed(view.season.epochs) if one.run in games), None)
    if epoch is None:
        return None
    context, run = view.context, view.runs[epoch.run]
    report = context.reports.of(run)[1]
    number = next(place for place, one in enumerate(report["bots"]) if one["name"] == bot.name)
    hands = open_hands(run)
    faults = [open_story(story, hands) for story in report["faults"] if story["bot"] == number]
    return {
        "epoch": epoch.number,
        "faults": [{**story, "bot": view.report.number(bot.name)} for story in faults[:STORIES]],
        "more": max(0, len(faults) - STORIES),
        "address": f"{context.addresses.bot(epoch.run, bot.name)}#faults",
    }


def _events(view: SeasonView, versions: Sequence[LeagueBot]) -> list[LeagueEvent]:
    """Return the latest events about any version of a bot, newest first."""
    store = view.context.store
    of_each = [store.league_events(view.name, EVENTS, season=view.number, bot=bot.name) for bot in versions]
    events = [event for events in of_each for event in events]
    return sorted(events, key=lambda event: -event.number)[:EVENTS]
