"""What a tournament will be, before a card is dealt: its games, the decisions in them and how long they may take.

Decisions are those of random play, counted in a few games of each variant: how long a game is depends on who plays it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine import new_game
from harness.tournament.config import TournamentFile
from harness.tournament.entries import VariantEntry
from harness.tournament.formats import Extent
from harness.tournament.plan import Plan
from harness.tournament.rounds import Round

SAMPLE_GAMES = 4
REFEREE_MS = 0.5
"""What the referee itself takes for a decision, about: messages to and from a bot, the rules, the record."""


@dataclass(frozen=True, slots=True)
class EntryForecast:
    """One `[[variant]]`: its line-ups, and what it comes to where its share of the deal sets is `sets`."""

    entry: str
    lineup: str
    seats: int
    lineups: int
    sets: int
    games: int
    decisions: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """A tournament before it is played.

    `first` is the round that is next, None where nothing is left or a lot that is not drawn yet decides it. `seconds`
    is where bots answer at once, `longest_seconds` what the clock allows them at most. `sets_stored` have been played.
    """

    extent: Extent
    entries: tuple[EntryForecast, ...]
    first: Round | None
    sets_stored: int
    decisions: int
    seconds: float
    longest_seconds: float


def forecast(plan: Plan, first: Round | None, sets_stored: int) -> Forecast:
    """What a plan comes to, with `first` as the round that is next."""
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
    """Every decision takes all its time and every bank is used up, one after the other."""
    seats = max(entry.seats for entry in file.variants)
    return (decisions * file.time.per_decision_ms + games * seats * file.time.bank_ms) / 1000


def _entry(file: TournamentFile, entry: VariantEntry, whole: Extent) -> EntryForecast:
    """The share of an entry: in a match or pass all entries have equally many deal sets for each line-up."""
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
    """How many decisions with a choice random players make in a game of this entry, on average."""
    made = 0
    for number in range(SAMPLE_GAMES):
        source = random.Random(number)
        game = new_game(entry.variant, entry.options, seed=bytes(32), entry=entry.id, set_number=number)
        while game.actor is not None:
            legal = game.legal_actions()
            made += len(legal) > 1
            game.apply(source.choice(legal))
    return made / SAMPLE_GAMES
