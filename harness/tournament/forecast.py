"""A forecast of a tournament before it is played: its games, their decisions and the time they may take.

Decisions are estimated from a few games of random play of each variant; the real number depends on the bots.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine import new_game
from harness.tournament.config.tournament_file import TournamentFile
from harness.tournament.config.variant_entries import VariantEntry
from harness.tournament.formats.catalogue import Extent
from harness.tournament.formats.rounds import Round
from harness.tournament.plan import Plan

SAMPLE_GAMES = 4
REFEREE_MS = 0.5
"""The referee's approximate time for a decision, in ms: messages to and from a bot, the rules, the record."""


@dataclass(frozen=True, slots=True)
class EntryForecast:
    """One `[[variant]]`: its number of line-ups, and its share of the deal sets, games and decisions."""

    entry: str
    lineup: str
    seats: int
    lineups: int
    sets: int
    games: int
    decisions: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of a tournament.

    first: the next round; None if nothing is left, or if it depends on a lot that is not drawn yet.
    sets_stored: how many deal sets have been played.
    seconds: the time if bots answer at once.
    longest_seconds: the most time that the clocks allow.
    """

    extent: Extent
    entries: tuple[EntryForecast, ...]
    first: Round | None
    sets_stored: int
    decisions: int
    seconds: float
    longest_seconds: float


def forecast(plan: Plan, first: Round | None, sets_stored: int) -> Forecast:
    """Return the forecast of a plan with `first` as its next round."""
    whole = plan.extent
    entries = tuple(_entry(plan.file, entry, whole) for entry in plan.file.variants)
    decisions = sum(entry.decisions for entry in entries)
    return Forecast(
        extent=whole,
        entries=entries,
        first=first,
        sets_stored=sets_stored,
        decisions=decisions,
        seconds=decisions * REFEREE_MS / 1000,
        longest_seconds=_longest(plan.file, decisions, whole.games),
    )


def _longest(file: TournamentFile, decisions: int, games: int) -> float:
    """Return the seconds if every decision takes all its time, one after the other, and every bank is used up."""
    seats = max(entry.seats for entry in file.variants)
    return (decisions * file.time.per_decision_ms + games * seats * file.time.bank_ms) / 1000


def _entry(file: TournamentFile, entry: VariantEntry, whole: Extent) -> EntryForecast:
    """Return the share of an entry: every line-up of every entry plays equally many deal sets."""
    lineups = sum(len(other.lineups) for other in file.variants)
    sets = whole.sets * len(entry.lineups) // lineups
    games = sets * len(entry.lineups[0].rotations)
    return EntryForecast(
        entry=entry.id,
        lineup=entry.lineups[0].kind,
        seats=entry.seats,
        lineups=len(entry.lineups),
        sets=sets,
        games=games,
        decisions=round(games * decisions_of_a_game(entry)),
    )


def decisions_of_a_game(entry: VariantEntry) -> float:
    """Return how many decisions with a choice random players make in a game of this entry, on average."""
    made = 0
    for number in range(SAMPLE_GAMES):
        source = random.Random(number)
        game = new_game(entry.variant, entry.options, seed=bytes(32), entry=entry.id, set_number=number)
        while game.actor is not None:
            legal = game.legal_actions()
            made += len(legal) > 1
            game.apply(source.choice(legal))
    return made / SAMPLE_GAMES
