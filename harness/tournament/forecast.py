"""A forecast of a tournament before it is played: its games, their decisions and the time they may take.

Decisions are estimated from a few games of random play of each variant; the real number depends on the bots. The
longest time assumes that every match is tied, every game has the most hands, every hand the most actions, and every bot
uses all its time. It is an estimate, not a bound: the actions of a hand come from a sample, and replayed void deal sets
and restarted processes are left out.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bowerbird.engine import Action, new_game
from bowerbird.harness.records.values.game_record import SHARED
from bowerbird.harness.records.values.run import BLOCK_SETS
from bowerbird.harness.tournament.config.schema import ADAPTIVE
from bowerbird.harness.tournament.config.tournament_file import TournamentFile
from bowerbird.harness.tournament.config.variant_entries import VariantEntry
from bowerbird.harness.tournament.formats.catalogue import AT_LEAST, Extent
from bowerbird.harness.tournament.formats.rounds import Round
from bowerbird.harness.tournament.lineups import Lineup
from bowerbird.harness.tournament.plan import Plan

SAMPLE_GAMES = 4
SAMPLE_HANDS = 12
REFEREE_MS = 0.5
"""The referee's approximate time for a decision, in ms, including messages to and from a bot, the rules and the record.
"""


@dataclass(frozen=True, slots=True)
class EntryForecast:
    """One `[[variant]]`: its number of line-ups, and its share of the deal sets, games and decisions.

    longest_seconds: roughly the longest time its games can take.
    """

    entry: str
    lineup: str
    seats: int
    lineups: int
    sets: int
    games: int
    decisions: int
    longest_seconds: float


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast of a tournament.

    first: the next round; None if nothing is left, or if it depends on a lot not yet drawn.
    sets_stored: how many deal sets have been played.
    seconds: the time if bots answer at once.
    longest_seconds: roughly the longest time the run can take without voids and restarts. It includes extra sets, banks
        and increments, and counts all games and process starts one after another.
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
        longest_seconds=_longest(plan.file, entries, _most_times(whole)),
    )


def _most_times(whole: Extent) -> int:
    """Return the factor by which the number of sets can grow: extra sets can double a tied match."""
    return 2 if whole.bound == AT_LEAST else 1


def _longest(file: TournamentFile, entries: Sequence[EntryForecast], times: int) -> float:
    """Return the seconds of all games and of every start of a process, one after another.

    times: the factor by which the sets of the file can grow.
    """
    seconds = 0.0
    for entry, expected in zip(file.variants, entries, strict=True):
        if file.format == ADAPTIVE:  # a line-up may return in each round, after its processes have ended
            starts = expected.sets * _processes(file, entry.lineups[:1])
        else:
            starts = -(-times * file.sets // BLOCK_SETS) * _processes(file, entry.lineups)
        seconds += expected.longest_seconds + starts * file.time.startup_ms / 1000
    return seconds


def _processes(file: TournamentFile, lineups: Sequence[Lineup]) -> int:
    """Return the most processes that line-ups of an entry need for one block of deal sets."""
    if file.instances == SHARED:
        return sum(len(set(lineup.positions)) for lineup in lineups)
    return sum(len(lineup.positions) * len(lineup.rotations) for lineup in lineups)


def _entry(file: TournamentFile, entry: VariantEntry, whole: Extent) -> EntryForecast:
    """Return the share of an entry. Every line-up of every entry plays the same number of deal sets."""
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
        longest_seconds=_longest_games(file, entry, _most_times(whole) * games),
    )


def _longest_games(file: TournamentFile, entry: VariantEntry, games: int) -> float:
    """Return the seconds of `games` games of an entry if every bot uses all its time.

    When the time of a game is used up, each decision may still take the margin. All line-ups play the same number of
    games.
    """
    hands = int(entry.options["max_hands"])
    decisions = hands * actions_of_a_hand(entry)

    def used_ms(bot: str) -> float:
        time = file.clock_of(bot)
        used = decisions / entry.seats * time.per_decision_ms + time.bank_ms + hands * time.increment_ms
        return min(used, time.game_ms) if time.game_ms else used

    by_bot = {bot.name: used_ms(bot.name) for bot in file.bots}
    by_lineup = [sum(by_bot[bot] for bot in lineup.positions) for lineup in entry.lineups]
    return games * (sum(by_lineup) / len(by_lineup) + decisions * file.time.margin_ms) / 1000


def actions_of_a_hand(entry: VariantEntry) -> int:
    """Return the most actions that a hand of this entry has, all seats together.

    This is the sum, over the kinds of action, of the most that any sampled hand has. So the longest bidding and the
    longest play both count, even if they come from different hands. Hands are played in three ways: at random,
    always the first action, and always the last.
    """
    source = random.Random(0)
    ways: tuple[Callable[[Sequence[Action]], Action], ...] = (
        source.choice,
        lambda legal: legal[0],
        lambda legal: legal[-1],
    )
    most: Counter[str] = Counter()
    for number in range(SAMPLE_GAMES):
        for choose in ways:
            for made in _kinds_by_hand(entry, number, choose):
                most |= made
    return most.total()


def _kinds_by_hand(
    entry: VariantEntry, number: int, choose: Callable[[Sequence[Action]], Action]
) -> Iterator[Counter[str]]:
    """Play at most SAMPLE_HANDS hands of a game; yield the number of actions of each kind in each hand."""
    options = {**entry.options, "max_hands": SAMPLE_HANDS}
    game = new_game(entry.variant, options, seed=bytes(32), entry=entry.id, set_number=number)
    made: Counter[str] = Counter()
    hand = game.hand_number
    while game.actor is not None:
        action = choose(game.legal_actions())
        made[action.token.partition(" ")[0]] += 1
        game.apply(action)
        if game.hand_number != hand or game.actor is None:
            yield made
            made, hand = Counter(), game.hand_number


def decisions_of_a_game(entry: VariantEntry) -> float:
    """Return the mean number of real choices that random players make in a game of this entry."""
    made = 0
    for number in range(SAMPLE_GAMES):
        source = random.Random(number)
        game = new_game(entry.variant, entry.options, seed=bytes(32), entry=entry.id, set_number=number)
        while game.actor is not None:
            legal = game.legal_actions()
            made += len(legal) > 1
            game.apply(source.choice(legal))
    return made / SAMPLE_GAMES
