"""Matches of two bots, in the formats that pair them round by round: who won, and whose turn it is to meet whom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from engine.shuffle import stream
from harness.records.rows import GameResult
from harness.records.run import BLOCK_SETS, SetKey
from harness.tournament.config import TournamentFile
from harness.tournament.format_terms import DRAW
from harness.tournament.schedule import Chosen
from harness.tournament.seating import Lineup

Pair = tuple[str, str]
"""Two bots that meet, the one that is listed first in the file before the other."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The games of a match so far: won by the first of the pair, and all; a tied game is half of each's."""

    won: float
    games: int

    @property
    def lead(self) -> float:
        """By how much the first of the pair is ahead; negative if it is behind."""
        return 2 * self.won - self.games

    def __add__(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(self.won + other.won, self.games + other.games)


class Tallies:
    """What is counted of the games between some pairs, as they are heard."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        """Before the first game."""
        self._pairs = {frozenset(pair): pair for pair in pairs}
        self._tallies = dict.fromkeys(self._pairs.values(), Tally(0.0, 0))

    def hear(self, _: SetKey, results: Sequence[GameResult]) -> None:
        """Count games. One that a withdrawn bot did not play is lost (PROTOCOL.md, Faults at a table)."""
        for game in results:
            pair = self._pairs.get(frozenset(game.bots))
            if pair is not None:
                self._tallies[pair] += Tally(_outcome(pair, game), 1)

    def __getitem__(self, pair: Pair) -> Tally:
        """The match of a pair so far."""
        return self._tallies[pair]


def _outcome(pair: Pair, game: GameResult) -> float:
    return game.outcome(game.bots.index(pair[0]), game.bots.index(pair[1]))


def between(pairs: Iterable[Pair]) -> Chosen:
    """The line-ups in which one of these pairs meets."""
    wanted = {frozenset(pair) for pair in pairs}

    def chosen(lineup: Lineup) -> bool:
        return frozenset(lineup.positions) in wanted

    return chosen


def paired(file: TournamentFile) -> Callable[[str, str], Pair]:
    """What writes two bots as the pair that they are."""
    places = {bot.name: place for place, bot in enumerate(file.bots)}

    def pair(one: str, other: str) -> Pair:
        return (one, other) if places[one] < places[other] else (other, one)

    return pair


def stride(sets: int) -> int:
    """How far apart the deal sets of two rounds begin, of which each has up to `sets`: in a block of its own.

    No round plays the packs of another, so that processes can be kept (PROTOCOL.md, Instances), and rounds are rated
    one after the other.
    """
    return -(-sets // BLOCK_SETS) * BLOCK_SETS


def seeded(file: TournamentFile, seed: bytes) -> list[str]:
    """The bots from the best seed to the last: as the file says, or by lot."""
    return lots(file, seed) if file.terms.seeding == DRAW else list(file.terms.seeds)


def lots(file: TournamentFile, seed: bytes) -> list[str]:
    """The bots in an order drawn by lot from the seed; it breaks ties that nothing else breaks."""
    return stream(seed, "lot").shuffled([bot.name for bot in file.bots])
