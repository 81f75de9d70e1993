"""The results of games, as records state them. The referee computes them here, and verification computes them again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache

from bowerbird.engine import Game, new_game, rules_of
from bowerbird.harness.records.values.faults import FORFEIT
from bowerbird.harness.records.values.game_record import OptionValue, ResultRecord

WITHDRAWN = "withdrawn"
"""The value of `ended` for a game that was not played because a bot had been withdrawn from the run."""


def sides_of(variant: str, options: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """Return each seat's side for the whole game: the number of its team, or the seat itself without teams.

    Raises EngineError for an unknown variant or option.
    """
    return _sides(variant, tuple(sorted(options.items())))


def opening_scores(variant: str, options: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """Return the scores by seat before the first hand. Raises EngineError for an unknown variant or option."""
    return _opening(variant, tuple(sorted(options.items())))


@lru_cache(maxsize=256)
def _sides(variant: str, options: tuple[tuple[str, OptionValue], ...]) -> tuple[int, ...]:
    rules = rules_of(variant)
    seats = range(rules.seats(dict(options)))
    teams = rules.teams(dict(options))
    if teams is None:
        return tuple(seats)
    return tuple(next(side for side, team in enumerate(teams) if seat in team) for seat in seats)


@lru_cache(maxsize=256)
def _opening(variant: str, options: tuple[tuple[str, OptionValue], ...]) -> tuple[int, ...]:
    return new_game(variant, dict(options), first_dealer=0, seed=bytes(32)).scores


def result_of(game: Game) -> ResultRecord:
    """Return the result of a finished game. Raises ValueError while it is in play."""
    if not game.is_over:
        raise ValueError("a game that is in play has no result yet")
    return ResultRecord(ended=game.ended, winners=game.winners, ranks=game.ranks, games=game.games)


def forfeit_of(game: Game, offenders: Collection[int]) -> ResultRecord:
    """Return the result of a game that the seats `offenders` now end with a fault (protocol.md, Faults at a table).

    Their sides rank last. The others rank as in a game stopped by `max_hands` (rules.md A15, E1): by games, then by
    score in the variant's own direction; the best share rank 1 and win. In team games all others have rank 2. If every
    side is at fault, no seat wins and all have rank 1. Raises ValueError without an offender.
    """
    if not offenders:
        raise ValueError("a forfeit needs a seat at fault")
    sides = sides_of(game.variant, game.options)
    guilty = {sides[seat] for seat in offenders}
    merit = {seat: _merit(game, seat) for seat, side in enumerate(sides) if side not in guilty}
    best = max(merit.values(), default=None)
    winners = tuple(seat for seat in merit if merit[seat] == best)
    if rules_of(game.variant).teams(game.options) is not None:
        ranks = tuple(1 if seat in winners or not winners else 2 for seat in range(game.players))
    else:
        ranks = tuple(
            1 + sum(other > merit[seat] for other in merit.values()) if seat in merit else 1 + len(merit)
            for seat in range(game.players)
        )
    return ResultRecord(ended=FORFEIT, winners=winners, ranks=ranks, games=game.games)


def _merit(game: Game, seat: int) -> tuple[int, int]:
    """Return the sort key that ranks seats; higher is better."""
    score = game.scores[seat]
    return (game.games[seat] if game.games else 0, score if rules_of(game.variant).better == "high" else -score)
