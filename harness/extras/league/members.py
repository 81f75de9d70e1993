"""Carries out the organiser's commands for a league.

Each command changes the store, which the league reads before its next epoch. So a command works the same way whether or
not the league is running, and a league that is killed forgets nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bowerbird.engine import unknown
from bowerbird.harness.extras.league.errors import LeagueError
from bowerbird.harness.extras.league.remote import invitation, remote_bot, revoke
from bowerbird.harness.records.store.league import LeagueChange, changing
from bowerbird.harness.records.values.league import AWAY, PLAYING, SUSPENDED, WITHDRAWN, LeagueBot
from bowerbird.harness.records.values.run import wrong_name
from bowerbird.harness.tournament.preparation.hosting import InvitationFile

TAKEN_OUT = "the organiser took it out"


def invite(
    path: Path, league: str, name: str, *, author: str = "", variants: Sequence[str] = ("*",), tables: int = 1
) -> InvitationFile:
    """Invite a remote bot for the season, and return its invitation. A bot that was invited before keeps its tokens.

    tables: how many tables each of its processes plays at once.

    Raises LeagueError if the name is invalid or belongs to a local bot, or if the league does not listen; HostingError
    or OSError if the invitation cannot be written.
    """
    if wrong := wrong_name(name):
        raise LeagueError(wrong)
    with changing(path, league) as change:
        season = change.known
        known = season.newest(name)
        if known is not None and not known.is_remote:
            raise LeagueError(f"{name} plays on this machine; a remote bot needs another name")
        written = invitation(path, league, season.league.season, name)
        if known is None or known.status == WITHDRAWN:
            change.put_bot(remote_bot(name, author, variants, tables, season.last_number + 1))
            change.tell(f"{name} is invited", name)
    return written


def withdraw(path: Path, league: str, name: str) -> list[str]:
    """Take a bot out of later epochs: all its versions, or only the entrant `name`. Return sentences.

    A remote bot's tokens stop working at once.

    Raises LeagueError if the bot is not in the season or does not play.
    """
    with changing(path, league) as change:
        found = [bot for bot in _named(change, name) if bot.status in (PLAYING, SUSPENDED, AWAY)]
        if not found:
            raise LeagueError(f"{name} does not play in this season: {_statuses(change, name)}")
        for bot in found:
            change.put_bot(replace(bot, status=WITHDRAWN, why=TAKEN_OUT))
            change.tell(f"{bot.name} leaves, {TAKEN_OUT}", bot.name)
            if bot.is_remote:
                revoke(path, league, change.known.league.season, bot.name)
        return [f"{bot.name} does not play in further epochs" for bot in found]


def readmit(path: Path, league: str, name: str) -> list[str]:
    """Let a withdrawn or suspended bot play again: its newest version, or the entrant `name`.

    Return sentences. Raises LeagueError if the bot is not in the season, already plays, or has retired.
    """
    with changing(path, league) as change:
        bot = _named(change, name)[-1]
        if bot.is_remote and bot.status == WITHDRAWN:
            raise LeagueError(f"{bot.name} is remote; invite it again with: bowerbird league invite {bot.name}")
        if bot.status not in (WITHDRAWN, SUSPENDED):
            raise LeagueError(f"{bot.name} is neither withdrawn nor suspended: it is {bot.status}")
        change.put_bot(replace(bot, status=PLAYING, why="", since=change.known.last_number + 1))
        change.tell(f"{bot.name} is back: the organiser readmitted it", bot.name)
        return [f"{bot.name} plays from the next epoch on"]


def pause(path: Path, league: str) -> str:
    """Pause the league: begin no more epochs. Return a sentence. Raises LeagueError if the league is already paused."""
    with changing(path, league) as change:
        season = change.known
        if season.league.is_paused:
            raise LeagueError(f"league {league} is already paused")
        change.put_league(replace(season.league, is_paused=True))
        change.tell("the league is paused")
        return "the league pauses" + (" after the epoch that is being played" if season.open_epoch else "")


def resume(path: Path, league: str) -> str:
    """Resume a paused league. Return a sentence. Raises LeagueError if the league is not paused."""
    with changing(path, league) as change:
        season = change.known
        if not season.league.is_paused:
            raise LeagueError(f"league {league} is not paused")
        change.put_league(replace(season.league, is_paused=False))
        change.tell("the league continues")
        return "the league continues"


def end_season(path: Path, league: str) -> str:
    """End the season after the epoch that is being played. Return a sentence. Raises LeagueError if it is already
    ending."""
    with changing(path, league) as change:
        season = change.known
        if season.league.is_ending:
            raise LeagueError(f"season {season.league.season} is already ending")
        if not season.epochs:
            raise LeagueError(f"season {season.league.season} has no epoch yet")
        change.put_league(replace(season.league, is_ending=True))
        after = "after the epoch that is being played" if season.open_epoch else "before the next epoch"
        change.tell(f"season {season.league.season} ends {after}")
        remote = [bot.name for bot in season.bots if bot.is_remote and bot.status != WITHDRAWN]
        invite = f"; invite again: {', '.join(remote)}" if remote else ""
        number = season.league.season
        return f"season {number} ends {after}; all bots start season {number + 1} afresh{invite}"


def _named(change: LeagueChange, name: str) -> list[LeagueBot]:
    """Return the versions of the bot `name`, or the entrant `name`, oldest first. Raises LeagueError."""
    bots = change.known.bots
    found = [bot for bot in bots if bot.bot == name] or [bot for bot in bots if bot.name == name]
    if not found:
        raise LeagueError(unknown("bot", name, sorted({bot.bot for bot in bots} | {bot.name for bot in bots})))
    return found


def _statuses(change: LeagueChange, name: str) -> str:
    return ", ".join(f"{bot.name} is {bot.status}" for bot in _named(change, name))
