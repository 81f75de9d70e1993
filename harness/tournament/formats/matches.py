"""Matches of two bots, for the formats that pair them round by round: scores, line-ups, seeds and lots."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from bowerbird.engine import stream
from bowerbird.harness.records.values.game_result import GameResult
from bowerbird.harness.records.values.placements import LOT, Placement, by_lot
from bowerbird.harness.records.values.run import BLOCK_SETS, SetKey
from bowerbird.harness.tournament.config.schema import DRAW, PLAYED_ONLY
from bowerbird.harness.tournament.config.tournament_file import TournamentFile
from bowerbird.harness.tournament.formats.absences import NO_ABSENCES
from bowerbird.harness.tournament.jobs.schedule import LineupFilter
from bowerbird.harness.tournament.lineups import Lineup

Pair = tuple[str, str]
"""Two bots that meet, in the order of the file."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The games of a match so far: the games won by the first of the pair, and all games played.

    A tied game counts as half. `first_out` and `other_out` tell which bot was withdrawn before the match was over.
    """

    won: float
    games: int
    first_out: bool = False
    other_out: bool = False

    @property
    def is_walkover(self) -> bool:
        """Whether exactly one of the two was withdrawn before the match was over."""
        return self.first_out != self.other_out

    @property
    def lead(self) -> float:
        """The games won by the first of the pair, minus those won by the second."""
        return 2 * self.won - self.games

    @property
    def result(self) -> float:
        """Positive if the first of the pair wins the match, negative if the other does, 0 if it is tied."""
        if self.is_walkover:
            return -1.0 if self.first_out else 1.0
        return self.lead

    @property
    def share(self) -> Fraction:
        """The share of games won by the first of the pair; a half if all games were left out."""
        return Fraction(self.won) / self.games if self.games else Fraction(1, 2)

    def __add__(self, other: Tally) -> Tally:
        """Return the sum of both."""
        return Tally(
            self.won + other.won,
            self.games + other.games,
            self.first_out or other.first_out,
            self.other_out or other.other_out,
        )


def absent_from(game: GameResult) -> frozenset[str]:
    """Return the bots whose withdrawal kept a game from being played; none if it was played."""
    return frozenset() if game.rated else frozenset(game.bots[seat] for seat in game.offenders)


class Tallies:
    """The tallies of some pairs. `add` is the `on_set_stored` of their round."""

    def __init__(
        self,
        pairs: Iterable[Pair],
        schedule: int,
        annulled: Mapping[SetKey, frozenset[str]] = NO_ABSENCES.annulled,
    ) -> None:
        """Start without games. `schedule` is the version of the format's rules; `annulled` is as in `Absences`."""
        self._counts_missed = schedule < PLAYED_ONLY
        self._annulled = annulled
        self._pairs = {frozenset(pair): pair for pair in pairs}
        self._played = dict.fromkeys(self._pairs.values(), Tally(0.0, 0))
        self._counted = dict(self._played)

    def add(self, key: SetKey, results: Sequence[GameResult]) -> None:
        """Count the played games of a deal set, and note the bots withdrawn from unplayed ones.

        The first version of the rules counted unplayed games too, as lost by the withdrawn bot.
        """
        out = self._annulled.get(key, frozenset())
        for game in results:
            pair = self._pairs.get(frozenset(game.bots))
            if pair is None:
                continue
            if game.rated or self._counts_missed:
                played = Tally(_outcome(pair, game), 1)
            else:
                played = _missed(pair, absent_from(game))
            self._played[pair] += played
            self._counted[pair] += _missed(pair, out) if out else played

    def __getitem__(self, pair: Pair) -> Tally:
        """Return the tally of a pair with annulled games, on which later rounds depend."""
        return self._played[pair]

    def counted(self, pair: Pair) -> Tally:
        """Return the tally of a pair for the final places: a bot counts as absent from games annulled for it."""
        return self._counted[pair]


def _missed(pair: Pair, absent: frozenset[str]) -> Tally:
    first, other = (bot in absent for bot in pair)
    return Tally(0.0, 0, first, other)


def _outcome(pair: Pair, game: GameResult) -> float:
    return game.pair_outcome(game.bots.index(pair[0]), game.bots.index(pair[1]))


def between(pairs: Iterable[Pair]) -> LineupFilter:
    """Return a filter for the line-ups in which one of these pairs meets."""
    wanted = {frozenset(pair) for pair in pairs}

    def is_wanted(lineup: Lineup) -> bool:
        return frozenset(lineup.positions) in wanted

    return is_wanted


def paired(file: TournamentFile) -> Callable[[str, str], Pair]:
    """Return a function that puts two bots in the order of the file."""
    places = {bot.name: place for place, bot in enumerate(file.bots)}

    def pair(one: str, other: str) -> Pair:
        return (one, other) if places[one] < places[other] else (other, one)

    return pair


def stride(sets: int) -> int:
    """Return the distance between the first deal sets of two rounds of up to `sets` each, in whole blocks.

    Whole blocks keep rounds from sharing packs, let processes be kept (protocol.md, Instances), and let rounds be rated
    in order.
    """
    return -(-sets // BLOCK_SETS) * BLOCK_SETS


def final(file: TournamentFile, seed: bytes, places: Sequence[Placement]) -> tuple[Placement, ...]:
    """Return the places as the file asks: equal bots share a place, or a lot decides between them."""
    if file.terms.equal_places != LOT:
        return tuple(places)
    own = {place.bot: place for place in places}
    lot = by_lot({bot: place.place for bot, place in own.items()}, [bot.name for bot in file.bots], seed)
    return tuple(replace(own[bot], place=number) for bot, number in lot.items())


def seeded(file: TournamentFile, seed: bytes) -> list[str]:
    """Return the bots from the best seed to the last, as the file states or by lot."""
    return lots(file, seed) if file.terms.seeding == DRAW else list(file.terms.seeds)


def lots(file: TournamentFile, seed: bytes) -> list[str]:
    """Return the bots in an order drawn from the seed, to break the last ties."""
    return stream(seed, "lot").shuffled([bot.name for bot in file.bots])
